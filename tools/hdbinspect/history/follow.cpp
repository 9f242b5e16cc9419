// Finds what a name means, then asks a RecordFollower about save after save.
#include "history/follow.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "archive/place.hpp"
#include "hdb/inspect/paths.hpp"
#include "input.hpp"
#include "names.hpp"
#include "system/paths.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

// The most other records of the slot that a message names.
constexpr std::size_t kMaxTenants = 5;

struct Place {
  Target target;
  Error error;       // unless `found`
  std::string next;  // what to do about it
  bool found = false;
};

// What the name means in one save.
Place find_place(const Reader& reader, const FollowRequest& request, const std::string& file) {
  Place place;
  const auto refuse = [&](Error error, std::string next = {}) {
    place.error = with_file(std::move(error), file);
    place.next = std::move(next);
    return place;
  };
  std::optional<std::size_t> only_table;
  if (!request.table.empty()) {
    auto found = find_table(reader.tables(), request.table);
    if (!found) return refuse(std::move(found.error()));
    only_table = *found;
  }
  auto target = parse_target(reader, request.name, only_table);
  if (!target) {
    if (const auto slot = parse_slot(reader, request.name)) target = *slot;
  }
  if (!target) return refuse(std::move(target.error()));
  place.target = *std::move(target);
  const TableDescriptor& table = reader.tables()[place.target.table];
  const Field& root = reader.schemas()[table.schema];
  if (followed_columns(root, place.target.path).empty() && !root.children.empty()) {
    const auto field = find_named_field(reader, place.target.table, place.target.path);
    return refuse(
        field ? Error(ErrorCode::not_found, "the field has no columns").in(table.name)
              : field.error(),
        fmt::format("hdbinspect schema {} -t {}", typed_path(file), shell_word(table.name)));
  }
  place.found = true;
  return place;
}

void note_without_table(const Context& context, std::size_t count, const std::string& first,
                        const std::string& table) {
  if (count == 0) return;
  const std::string what =
      fmt::format("no table '{}', so that no record of it exists there", table);
  context.messages.note(count == 1
                            ? fmt::format("{} has {}", first, what)
                            : fmt::format("{} saves have {}; the first is {}", count, what, first));
}

}  // namespace

bool names_record(const std::string& text) {
  std::error_code error;
  return (text.find(':') != std::string::npos || text.starts_with("0x")) && !is_archive(text) &&
         !archive_place(text) && !std::filesystem::exists(utf8_path(text), error);
}

std::string Followed::handle(std::uint32_t generation) const {
  if (generation != 0) return handle_name(table, record.slot, generation);
  const bool is_component = table.policy.is_component;
  return fmt::format("{}:{}{}", is_component ? table.owner : table.name, record.slot,
                     is_component ? '.' + table.name : std::string());
}

std::string Followed::name() const {
  return handle(record.generation) + (record.fields.empty() ? "" : '.' + record.fields);
}

std::optional<Followed> begin_following(const Context& context, const FollowRequest& request,
                                        ExitStatus& status) {
  Followed followed;
  followed.series = open_series(context, request.where, status);
  if (!followed.series.saves) return std::nullopt;
  const auto& saves = followed.saves();
  std::optional<Place> newest;
  for (std::size_t i = saves.size(); i-- > 0;) {
    if (context.out.closed()) return std::nullopt;
    const auto reader = followed.series.saves->open(i);
    if (!reader) continue;  // `follow` reports it
    Place place = find_place(**reader, request, saves[i].name);
    if (place.found) {
      followed.table = (*reader)->tables()[place.target.table];
      followed.record = {followed.table.name, place.target.slot, place.target.generation,
                         place.target.path};
      return followed;
    }
    if (!newest) newest = std::move(place);
    if (newest->error.code == ErrorCode::bad_name) break;  // no save makes a handle of it
  }
  if (newest) {
    const bool misspelt = newest->error.code == ErrorCode::bad_name;
    status = worse(status, misspelt ? context.messages.usage(
                                          newest->error.what,
                                          fmt::format("hdbinspect {} --help", request.command))
                                    : context.messages.error(newest->error, newest->next));
    return std::nullopt;
  }
  for (std::size_t i = 0; i < saves.size(); ++i)
    static_cast<void>(open_save(context, *followed.series.saves, i, status));
  return std::nullopt;
}

ExitStatus follow(const Context& context, const FollowRequest& request, const Followed& followed,
                  const StepListener& listener) {
  ExitStatus status = ExitStatus::fine;
  RecordFollower follower(followed.record, follow_options(context));
  std::size_t without_table = 0;
  std::size_t without_field = 0;
  std::string first_without_table;
  std::string first_without_field;
  bool existed = false;
  std::set<std::uint32_t> tenants;
  std::size_t looked_at = 0;
  const auto& saves = followed.saves();
  for (std::size_t i = 0; i < saves.size() && !context.out.closed(); ++i) {
    auto reader = open_save(context, *followed.series.saves, i, status);
    if (!reader) continue;
    const bool has_table = find_table(reader->tables(), followed.record.table).has_value();
    auto step = follower.next(std::move(reader));
    if (!step) {
      status = worse(status, context.messages.error(with_file(step.error(), saves[i].name)));
      continue;
    }
    if (!has_table && without_table++ == 0) first_without_table = saves[i].name;
    if (step->event == RecordEvent::no_table) step->event = RecordEvent::none;
    if (step->event == RecordEvent::no_field) {
      if (without_field++ == 0) first_without_field = saves[i].name;
      continue;
    }
    ++looked_at;
    existed = existed || follower.exists();
    if (step->generation != 0 && tenants.size() <= kMaxTenants) tenants.insert(step->generation);
    listener(saves[i], *step, follower);
  }
  note_without_table(context, without_table, first_without_table, followed.record.table);
  note_passed_over(
      context, without_field, first_without_field,
      fmt::format("field '{}' in table '{}'", followed.record.fields, followed.record.table));
  if (existed || looked_at == 0 || context.out.closed()) return status;
  std::string others;
  for (const std::uint32_t generation : tenants) {
    if (!others.empty()) others += ", ";
    others += followed.handle(generation);
  }
  const std::string slot = followed.handle(0);
  std::string what =
      fmt::format("{} is in none of the {}; ", followed.handle(followed.record.generation),
                  count_text(looked_at, "save"));
  what += others.empty() ? fmt::format("slot {} never held a record there", followed.record.slot)
                         : fmt::format("slot {} held {}{} there", followed.record.slot, others,
                                       tenants.size() > kMaxTenants ? ", ..." : "");
  context.messages.error(
      Error(ErrorCode::not_found, std::move(what)),
      others.empty()
          ? fmt::format("hdbinspect dump {} -t {}", typed_path(saves.back().name),
                        shell_word(followed.record.table))
          : fmt::format("hdbinspect log {} {}", typed_where(request.where), shell_word(slot)));
  return worse(status, ExitStatus::finding);
}

}  // namespace hdb::inspect
