// A snapshot as an Image: row groups gathered from frozen pages, for the writer.
#include <algorithm>
#include <numeric>
#include <utility>

#include "base/using_detail.hpp"
#include "database/capture/group_identity.hpp"
#include "database/kept/kept_components.hpp"
#include "database/tables/name_and_blob_columns.hpp"
#include "database/tables/snapshot_data.hpp"
#include "database/tables/thread_scratch.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/text.hpp"
#include "hdb/snapshot.hpp"

namespace hdb {
namespace {

// 2^kSampleShift slots of a table, in kSamples places, are looked at to find the size of its rows.
constexpr std::uint64_t kSamples = 4;
constexpr unsigned kSampleShift = 4;
// Where the identities of other groups have the number of a pool.
constexpr std::uint64_t kKeptGroup = ~std::uint64_t{0};

class SnapshotImage final : public ImageSource {
 public:
  SnapshotImage(std::shared_ptr<const SnapshotData> data, Metadata metadata, Bytes thumbnail)
      : data_(std::move(data)),
        kept_(kept_state(*data_)),
        metadata_(std::move(metadata)),
        thumbnail_(std::move(thumbnail)) {
    const auto& fields = data_->schemas().fields;
    schemas_.assign(fields.begin(),
                    fields.begin() + static_cast<std::ptrdiff_t>(data_->schemas().saved_fields));
    for (std::size_t i = 0; i < data_->tables().size(); ++i) {
      if (data_->descriptors()[i].scope >= Scope::unsaved) continue;
      sources_.push_back({&data_->tables()[i], nullptr});
      tables_.push_back(data_->descriptors()[i]);
    }
    for (std::size_t i = 0; i < tables_.size(); ++i) tables_[i].group_shift = fitting_shift(i);
    add_kept_tables();
    const std::lock_guard lock(data_->hash_mutex);
    known_state_hash_ = data_->state_hash;
  }

  const Metadata& metadata() const override { return metadata_; }
  const Bytes& thumbnail() const override { return thumbnail_; }
  const std::vector<Field>& schemas() const override { return schemas_; }
  const std::vector<TableDescriptor>& tables() const override { return tables_; }
  DatabaseDescriptor database() const override { return data_->database(); }
  std::optional<Hash128> known_state_hash() const override { return known_state_hash_; }

  Status read_group(std::size_t table, std::uint64_t group, bool with_hash,
                    RowGroup& out) const override;

  Status read_slots(std::size_t table, std::uint64_t group, RowGroup& out) const override;
  bool group_identity(std::size_t table, std::uint64_t group, std::span<const std::uint64_t> last,
                      std::vector<std::uint64_t>& out) const override;

  Status read_free_list(std::size_t table, std::uint64_t first,
                        std::span<std::uint32_t> out) const override {
    if (kept(table) != nullptr) return copy_free_list(kept(table)->free_list, first, out);
    source(table).frozen.slots.read_free_list(first, out);
    return {};
  }
  Result<std::vector<AncillaryBlock>> ancillary_blocks() const override {
    std::vector<AncillaryBlock> blocks;
    if (kept_ != nullptr) blocks = kept_->blocks;
    leave_out_blocks_of_others(tables_, blocks);
    return blocks;
  }

 private:
  // One of the two is null.
  struct Source {
    const SnapshotTable* captured;
    const KeptTable* kept;
  };

  void add_kept_tables();
  [[nodiscard]] std::uint8_t fitting_shift(std::size_t table);
  [[nodiscard]] const SnapshotTable& source(std::size_t table) const noexcept {
    return *sources_[table].captured;
  }
  [[nodiscard]] const KeptTable* kept(std::size_t table) const noexcept {
    return sources_[table].kept;
  }

  std::shared_ptr<const SnapshotData> data_;
  std::shared_ptr<const KeptFile> kept_;  // of its state; or null
  Metadata metadata_;
  Bytes thumbnail_;
  std::optional<Hash128> known_state_hash_;
  std::vector<Field> schemas_;           // of the saved tables
  std::vector<TableDescriptor> tables_;  // the saved ones, and those that a load kept
  std::vector<Source> sources_;          // of each
};

void SnapshotImage::add_kept_tables() {
  if (kept_ == nullptr) return;
  for (const auto& table : kept_->tables) {
    const std::size_t at = insert_by_name(tables_, table->descriptor);
    sources_.insert(sources_.begin() + static_cast<std::ptrdiff_t>(at), {nullptr, table.get()});
    const auto schema = std::find(schemas_.begin(), schemas_.end(), table->schema);
    tables_[at].schema = static_cast<std::uint32_t>(schema - schemas_.begin());
    if (schema == schemas_.end()) schemas_.push_back(table->schema);
  }
}

// Fills all but columns and hash. Calls `all()` if all slots are live, else
// `live(slot, tag, place)` with each live slot and `vacant(i, slot)` with each other one.
template <class All, class Live, class Vacant>
void gather_slots(const TableDescriptor& descriptor, const FrozenTable& frozen, std::uint64_t group,
                  RowGroup& out, const All& all, const Live& live, const Vacant& vacant) {
  const bool dense = descriptor.policy.storage == Storage::dense;
  const std::uint64_t begin = descriptor.group_begin(group);
  const auto count = static_cast<std::size_t>(descriptor.group_end(group) - begin);
  out.first_slot = begin;
  out.record_hash.reset();
  out.states.resize(count);
  out.generations.resize(count);
  out.positions.resize(dense ? count : 0);
  HDB_KEPT_BY_THREAD std::vector<SlotEntry> entries;  // no code of the user runs meanwhile
  entries.resize(count);
  frozen.slots.read_entries(begin, entries);
  // Groups without holes are the most frequent: loops without branches.
  bool all_live = true;
  for (const SlotEntry& entry : entries) all_live &= slot_tag::is_live(entry.tag);
  if (all_live) {
    std::fill(out.states.begin(), out.states.end(), static_cast<std::uint8_t>(SlotState::live));
    for (std::size_t i = 0; i < count; ++i) out.generations[i] = entries[i].tag;
    for (std::size_t i = 0; i < out.positions.size(); ++i) out.positions[i] = entries[i].position;
    return all();
  }
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto slot = static_cast<std::uint32_t>(begin + i);
    const auto [tag, position] = entries[i];
    out.states[i] = static_cast<std::uint8_t>(slot_tag::kind(tag));
    if (slot_tag::is_live(tag)) {
      out.generations[i] = tag;
      if (dense) out.positions[found++] = position;
      live(slot, tag, dense ? position : slot);
    } else {
      out.generations[i] = slot_tag::generation(tag, descriptor.policy.layout);
      vacant(i, slot);
    }
  }
  out.positions.resize(dense ? found : 0);
}

Status SnapshotImage::read_group(std::size_t table, std::uint64_t group, bool with_hash,
                                 RowGroup& out) const {
  if (kept(table) != nullptr) {
    out = kept(table)->groups[static_cast<std::size_t>(group)];
    return {};
  }
  const SnapshotTable& source = this->source(table);
  const TableDescriptor& descriptor = tables_[table];
  const FrozenTable& frozen = source.frozen;
  // One buffer per worker thread, so that a group costs no allocation.
  HDB_KEPT_BY_THREAD GatheredRecords kept;
  ThreadScratch scratch(kept);
  GatheredRecords& gathered = *scratch;
  gathered.begin(source, static_cast<std::size_t>(descriptor.group_end(group) -
                                                  descriptor.group_begin(group)));
  Hash128 sum;
  gather_slots(
      descriptor, frozen, group, out,
      [&] { gathered.add_all(out.first_slot, out.generations, out.positions); },
      [&](std::uint32_t slot, std::uint32_t tag, std::uint32_t place) {
        gathered.add(slot, tag, place);
      },
      [&](std::size_t i, std::uint32_t slot) {
        if (!with_hash) return;
        sum += vacant_slot_hash(slot, static_cast<SlotState>(out.states[i]), out.generations[i]);
      });
  out.columns.resize(data_->schemas().column_counts[descriptor.schema]);
  auto encoded = encode_rows(source, gathered, out.columns, with_hash ? &sum : nullptr);
  if (!encoded) return fail(std::move(encoded.error()).in("table '" + descriptor.name + "'"));
  if (with_hash) out.record_hash = sum;
  return {};
}

// Chooses the number of slots in a row group so that a group has about 1 MiB. Descriptors are made
// with the size that suits the smallest possible rows. Where rows can be larger, this encodes a few
// to estimate how large they are. The result depends only on the content, so equal states make
// equal files.
std::uint8_t SnapshotImage::fitting_shift(std::size_t table) {
  TableDescriptor& descriptor = tables_[table];
  const std::uint8_t most = descriptor.group_shift;
  constexpr std::uint64_t kSlots = std::uint64_t{1} << format::kMinGroupShift;
  if (descriptor.slot_count <= kSlots || !varies_in_size(schemas_[descriptor.schema])) return most;
  descriptor.group_shift = kSampleShift;
  const std::uint64_t groups = descriptor.group_count();
  RowGroup sample;
  std::uint64_t largest = 0;
  for (std::uint64_t i = 0; i < kSamples; ++i) {
    if (!read_group(table, groups * i / kSamples, false, sample))
      return most;  // writing the group reports the error
    std::uint64_t bytes = 0;
    for (const Bytes& column : sample.columns) bytes += column.size();
    largest = std::max(largest, bytes * kSlots / sample.states.size());
  }
  std::uint8_t shift = most;
  while (shift > format::kMinGroupShift &&
         largest > format::kGroupTargetBytes >> (shift - format::kMinGroupShift))
    --shift;
  return shift;
}

Status SnapshotImage::read_slots(std::size_t table, std::uint64_t group, RowGroup& out) const {
  if (kept(table) != nullptr) return read_group(table, group, false, out);
  const SnapshotTable& source = this->source(table);
  const TableDescriptor& descriptor = tables_[table];
  if (descriptor.policy.names == RecordNames::none) {
    gather_slots(
        descriptor, source.frozen, group, out, [] {}, [](auto...) {}, [](auto...) {});
    out.columns.clear();
    return {};
  }
  HDB_KEPT_BY_THREAD std::vector<std::uint32_t> live_slots;  // no code of the user runs meanwhile
  live_slots.clear();
  gather_slots(
      descriptor, source.frozen, group, out,
      [&] {
        live_slots.resize(out.states.size());
        std::iota(live_slots.begin(), live_slots.end(), static_cast<std::uint32_t>(out.first_slot));
      },
      [&](std::uint32_t slot, std::uint32_t, std::uint32_t) { live_slots.push_back(slot); },
      [](auto...) {});
  out.columns.resize(extra_column_count(descriptor));
  encode_extras(source, live_slots, out.columns);
  return {};
}

bool SnapshotImage::group_identity(std::size_t table, std::uint64_t group,
                                   std::span<const std::uint64_t> last,
                                   std::vector<std::uint64_t>& out) const {
  if (kept(table) != nullptr) {
    out = {kKeptGroup, kept(table)->id, group};
    return true;
  }
  const TableDescriptor& descriptor = tables_[table];
  return hdb::group_identity(source(table), descriptor.group_begin(group),
                             descriptor.group_end(group), last, out);
}

}  // namespace

std::uint64_t Snapshot::live_count() const {
  std::uint64_t count = 0;
  for (const TableDescriptor& table : tables()) count += table.live_count;
  return count;
}

const std::vector<TableDescriptor>& Snapshot::tables() const {
  static const std::vector<TableDescriptor> none;
  return data_ ? data_->descriptors() : none;
}

namespace {

// U+FFFD takes the place of each byte that is not part of a code point.
std::string well_formed(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    std::uint32_t code = 0;
    const bool is_valid = take_code_point(text, at, code);
    out += is_valid ? text.substr(start, at - start) : std::string_view("\xef\xbf\xbd");
  }
  return out;
}

// A text for menus must not cost the save. Keys that become equal stay apart.
Metadata with_texts_of_utf8(Metadata metadata) {
  metadata.title = well_formed(metadata.title);
  std::map<std::string, std::string> values;
  for (const auto& [key, value] : metadata.values) {
    std::string unique = well_formed(key);
    while (unique != key && (values.contains(unique) || metadata.values.contains(unique)))
      unique += "\xef\xbf\xbd";
    values.emplace(std::move(unique), well_formed(value));
  }
  metadata.values = std::move(values);
  return metadata;
}

}  // namespace

std::unique_ptr<ImageSource> Snapshot::image(Metadata metadata, Bytes thumbnail) const {
  HDB_REQUIRE(data_ != nullptr, "Snapshot::image: the snapshot is empty");
  return std::make_unique<SnapshotImage>(data_, with_texts_of_utf8(std::move(metadata)),
                                         std::move(thumbnail));
}

}  // namespace hdb
