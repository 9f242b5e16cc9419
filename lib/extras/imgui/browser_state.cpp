// Selection, changes and time of a browser. Records are read and changed through LiveTable alone.
#include "hdb/detail/imgui/browser_state.hpp"

#include <algorithm>
#include <utility>

#include "hdb/autosaver.hpp"
#include "hdb/database.hpp"
#include "hdb/history.hpp"
#include "hdb/imgui_browser.hpp"
#include "hdb/inspect/text.hpp"
#include "hdb/migration.hpp"

namespace hdb::detail::imgui {
namespace {

constexpr std::size_t kMaxPast = 256;
// Dear ImGui 1.86 has at most 64 columns; handle and name are two.
constexpr std::size_t kMaxColumns = 60;

}  // namespace

void BrowserState::begin_frame(Database& database, History* history) {
  if (database_ != &database || history_ != history) shown_frame_.reset();
  database_ = &database;
  history_ = history;
  if (shown_frame_ && (history_ == nullptr || history_->find(*shown_frame_) == nullptr ||
                       history_->newest() != newest_frame_)) {
    shown_frame_.reset();  // the game went on
  }
  if (are_tables_the_same()) return;
  tables = LiveTable::all(database);
  names_ = database.table_names();
  descriptors.clear();
  for (const LiveTable& each : tables) descriptors.push_back(each.descriptor());
  references.stop();
  show(selected_);
}

bool BrowserState::are_tables_the_same() const {
  return names_ == database_->table_names() &&
         std::all_of(tables.begin(), tables.end(),
                     [](const LiveTable& table) { return table.exists(); });
}

// --- what is shown

LiveTable* BrowserState::find(std::string_view name) noexcept {
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const LiveTable& table) { return table.name() == name; });
  return found != tables.end() ? &*found : nullptr;
}

const LiveTable* BrowserState::table_of(const LiveTable& holder, const Field& field,
                                        std::uint64_t bits) const noexcept {
  const auto index = bits != 0 ? holder.namer().table_of(field, bits) : std::nullopt;
  return index && *index < tables.size() ? &tables[*index] : nullptr;
}

void BrowserState::show(const Place& place) {
  const bool is_other_table = place.table != selected_.table;
  selected_ = place;
  refusal_.clear();
  new_name.clear();
  if (is_other_table) filter.clear();
  rows.start(filter);
  columns_.clear();
  scroll_to_selected = true;
  const LiveTable* const shown = table();
  if (shown == nullptr) return;
  const std::vector<Field>& fields = shown->record().children;
  for (std::size_t i = 0; i < fields.size() && i < kMaxColumns; ++i)
    columns_.push_back({escape_text(fields[i].name), i});
}

void BrowserState::select(const Place& place) {
  if (place == selected_) return;
  if (!selected_.table.empty()) past_.push_back(selected_);
  if (past_.size() > kMaxPast) past_.erase(past_.begin());
  future_.clear();
  if (place.table == selected_.table) {
    selected_.handle = place.handle;
    refusal_.clear();
  } else {
    show(place);
  }
}

void BrowserState::go_to(const std::string& text) {
  const std::string path(kAtPlace);
  if (find(text) != nullptr) return select({text, 0});
  const auto place = parse_place(text, tables);
  if (!place) return report(path, fail(place.error()));
  place_text.clear();
  report(path, {});
  select(*place);
  scroll_to_selected = true;
}

std::optional<std::uint64_t> BrowserState::row_of_selected() noexcept {
  const LiveTable* const shown = table();
  return shown != nullptr ? rows.row_of(*shown, selected_.handle) : std::nullopt;
}

void BrowserState::back() {
  if (past_.empty()) return;
  future_.push_back(selected_);
  const Place place = past_.back();
  past_.pop_back();
  show(place);
}

void BrowserState::forward() {
  if (future_.empty()) return;
  past_.push_back(selected_);
  const Place place = future_.back();
  future_.pop_back();
  show(place);
}

// --- changes

const std::string& BrowserState::refusal(std::string_view path) const noexcept {
  static const std::string none;
  return refused_path_ == path ? refusal_ : none;
}

void BrowserState::report(const std::string& path, const Status& done) {
  refused_path_ = path;
  refusal_ = done ? std::string() : printable_text(done.error().what);
}

bool BrowserState::begin_change(const std::string& path) {
  if (!shown_frame_) return true;
  const Status rewound = history_->rewind(*shown_frame_);
  if (!rewound) {
    report(path, rewound);
    return false;
  }
  shown_frame_.reset();
  return true;
}

void BrowserState::change(const std::string& path, const RecordChange& change) {
  LiveTable* const shown = table();
  if (shown != nullptr && begin_change(path)) report(path, shown->edit(selected_.handle, change));
}

void BrowserState::set_text(std::span<const ValueStep> steps, const std::string& path,
                            const Field& field, const std::string& text) {
  auto value = parse_value(field, text, tables);
  LiveTable* const shown = table();
  if (!value || shown == nullptr) {
    if (!value) report(path, fail(std::move(value.error())));
    return;
  }
  change(path, [&](DynamicValue& record) {
    value_at(record, shown->record(), steps) = *std::move(value);
  });
}

void BrowserState::erase() {
  LiveTable* const shown = table();
  const std::string path(kAtRecord);
  if (shown != nullptr && begin_change(path)) report(path, shown->erase(selected_.handle));
}

void BrowserState::rename(const std::string& name) {
  LiveTable* const shown = table();
  const std::string path(kAtName);
  if (shown != nullptr && begin_change(path)) report(path, shown->rename(selected_.handle, name));
}

void BrowserState::insert(const std::string& name_or_owner) {
  LiveTable* const shown = table();
  const std::string path(kAtInsert);
  if (shown == nullptr || !begin_change(path)) return;
  const std::string table_name = shown->name();
  std::uint64_t handle = 0;
  if (shown->descriptor().owner.empty()) {
    const auto inserted = shown->insert({}, name_or_owner);
    if (!inserted) return report(path, fail(inserted.error()));
    handle = *inserted;
  } else {
    const auto owner = parse_place(name_or_owner, tables);
    if (!owner) return report(path, fail(owner.error()));
    if (Status given = shown->insert_component(owner->handle); !given) return report(path, given);
    handle = owner->handle;
  }
  select({table_name, handle});
  new_name.clear();
  scroll_to_selected = true;
}

// --- time

HistoryFacts BrowserState::history_facts() const noexcept {
  if (history_ == nullptr || history_->empty()) return {};
  return {*history_->oldest(), *history_->newest(), history_->size(), history_->memory_bytes()};
}

std::optional<std::uint64_t> BrowserState::show_frame(std::uint64_t wanted) {
  const auto frame = history_->at_or_before(wanted);
  const std::uint64_t newest = history_->newest().value_or(0);
  if (!frame || *frame == shown_frame_.value_or(newest)) return std::nullopt;
  const Status restored = database_->restore(*history_->find(*frame));
  report(std::string(kAtHistory), restored);
  if (!restored) return std::nullopt;
  newest_frame_ = newest;
  shown_frame_ = *frame != newest ? frame : std::nullopt;
  return frame;
}

void BrowserState::continue_from_shown_frame() {
  static_cast<void>(begin_change(std::string(kAtHistory)));  // a refusal is shown there
}

std::uint64_t BrowserState::memory_bytes() const noexcept { return database_->memory_bytes(); }

}  // namespace hdb::detail::imgui

namespace hdb::imgui {

Browser::Browser() : state_(std::make_unique<detail::imgui::BrowserState>()) {}
Browser::Browser(Browser&&) noexcept = default;
Browser& Browser::operator=(Browser&&) noexcept = default;
Browser::~Browser() = default;

void Browser::select(std::string_view table, std::uint64_t handle) {
  state_->select({std::string(table), handle});
  state_->scroll_to_selected = true;
}
const std::string& Browser::table() const noexcept { return state_->selected().table; }
std::uint64_t Browser::handle() const noexcept { return state_->selected().handle; }
std::optional<std::uint64_t> Browser::shown_frame() const noexcept { return state_->shown_frame(); }
void Browser::reset() { state_->reset(); }

}  // namespace hdb::imgui
