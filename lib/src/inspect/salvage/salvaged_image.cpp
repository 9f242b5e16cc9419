// Sound groups are read again and brought to the settled state; lost ones are slots without
// records.
#include "inspect/salvage/salvaged_image.hpp"

#include <algorithm>
#include <utility>

#include "hdb/bytes.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/row_encoder.hpp"
#include "inspect/values/keep_rows.hpp"

namespace hdb::salvaging {
namespace {

class SalvagedImage final : public ImageSource {
 public:
  explicit SalvagedImage(std::unique_ptr<Salvaged> salvaged) : salvaged_(std::move(salvaged)) {
    std::vector<std::size_t> numbers(salvaged_->file->schemas().size(), kUnused);
    for (std::size_t i = 0; i < salvaged_->tables.size(); ++i) {
      const SalvagedTable& table = *salvaged_->tables[i];
      if (table.report.is_left_out) continue;
      // A schema that no table has any more is none of the new file.
      std::size_t& number = numbers[table.descriptor().schema];
      if (number == kUnused) {
        number = schemas_.size();
        schemas_.push_back(salvaged_->file->schemas()[table.descriptor().schema]);
      }
      kept_.push_back(i);
      tables_.push_back(table.descriptor());
      tables_.back().schema = static_cast<std::uint32_t>(number);
    }
    keep_order_of_schemas(numbers);
  }

  const Metadata& metadata() const override { return salvaged_->file->metadata(); }
  const Bytes& thumbnail() const override { return salvaged_->file->thumbnail(); }
  const std::vector<Field>& schemas() const override { return schemas_; }
  const std::vector<TableDescriptor>& tables() const override { return tables_; }
  DatabaseDescriptor database() const override { return salvaged_->database; }

  Status read_group(std::size_t table, std::uint64_t group, bool with_hash,
                    RowGroup& out) const override {
    const SalvagedTable& from = *salvaged_->tables[kept_[table]];
    const Field& schema = schemas_[tables_[table].schema];
    if (from.group_is_sound(group)) {
      if (Status status = read_sound(kept_[table], group, out); !status) return status;
    } else {
      out.columns.assign(columns_of(schema).size(), {});
      from.fill_slots(group, out);
    }
    out.record_hash.reset();
    if (!with_hash) return {};
    const auto hash = group_record_hash(schema, out);
    if (!hash) return fail(hash.error());
    out.record_hash = *hash;
    return {};
  }

  Status read_free_list(std::size_t table, std::uint64_t first,
                        std::span<std::uint32_t> out) const override {
    return copy_free_list(salvaged_->tables[kept_[table]]->free_list(), first, out);
  }

  Result<std::vector<AncillaryBlock>> ancillary_blocks() const override {
    std::vector<AncillaryBlock> blocks = salvaged_->file->ancillary_blocks();
    leave_out_blocks_of_others(tables_, blocks);
    return blocks;
  }

 private:
  static constexpr std::size_t kUnused = ~std::size_t{0};

  // As in the file, so that nothing but what is lost makes a difference (the file id is over them
  // in order).
  void keep_order_of_schemas(const std::vector<std::size_t>& numbers) {
    std::vector<std::uint32_t> moved(schemas_.size());
    std::vector<Field> ordered;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] == kUnused) continue;
      moved[numbers[i]] = static_cast<std::uint32_t>(ordered.size());
      ordered.push_back(std::move(schemas_[numbers[i]]));
    }
    schemas_ = std::move(ordered);
    for (TableDescriptor& table : tables_) table.schema = moved[table.schema];
  }

  Status read_sound(std::size_t number, std::uint64_t group, RowGroup& out) const {
    const SalvagedTable& from = *salvaged_->tables[number];
    const Field& schema = salvaged_->file->schemas()[from.stored().schema];
    if (Status status = salvaged_->groups->read_group(number, group, out); !status) return status;
    std::vector<bool> keep;
    for (std::size_t i = 0; i < out.states.size(); ++i) {
      if (out.states[i] == static_cast<std::uint8_t>(SlotState::live))
        keep.push_back(from.fate(out.first_slot + i) == Fate::live);
    }
    if (std::find(keep.begin(), keep.end(), false) != keep.end()) {
      const std::uint64_t most = salvaged_->options.limits.max_memory_bytes / sizeof(Value);
      if (Status status = keep_rows(schema, keep, most, out.columns); !status) return status;
    }
    from.fill_slots(group, out);
    if (!from.offsets().empty()) move_blocks(from, out);
    if (from.report.references_nulled == 0) return {};
    return null_references(schema, number, out);
  }

  static void move_blocks(const SalvagedTable& from, RowGroup& out) {
    Bytes& offsets = out.columns[from.stored().policy.names == RecordNames::none ? 0 : 2];
    std::size_t row = 0;
    for (std::size_t i = 0; i < out.states.size(); ++i) {
      if (out.states[i] != static_cast<std::uint8_t>(SlotState::live)) continue;
      store_le(offsets.data() + row * sizeof(std::uint64_t),
               from.offsets()[static_cast<std::size_t>(out.first_slot) + i]);
      ++row;
    }
  }

  // The values of a column are in the order in which the rows are visited.
  Status null_references(const Field& schema, std::size_t number, RowGroup& out) const {
    struct Place {
      const Field* field;
      std::uint32_t column;
      std::size_t next;
    };
    GroupReferences references(schema, number);
    const std::vector<Column> columns = columns_of(schema);
    std::vector<Place> places;
    for (const std::uint32_t column : references.handle_columns())
      places.push_back({columns[column].field, column, 0});
    const auto walked = references.visit(out, [&](const Reference& reference) {
      for (Place& place : places) {
        if (place.field != reference.field) continue;
        const std::size_t width = place.field->layout.byte_size();
        const std::size_t at = place.next++ * width;
        if (salvaged_->references->becomes_null(reference))
          std::fill_n(out.columns[place.column].begin() + static_cast<std::ptrdiff_t>(at), width,
                      std::byte{0});
        break;
      }
      return true;
    });
    if (!walked) return fail(walked.error());
    return {};
  }

  std::unique_ptr<Salvaged> salvaged_;
  std::vector<Field> schemas_;
  std::vector<TableDescriptor> tables_;
  std::vector<std::size_t> kept_;  // numbers in the damaged file
};

}  // namespace

std::unique_ptr<ImageSource> image_of_salvaged(std::unique_ptr<Salvaged> salvaged) {
  return std::make_unique<SalvagedImage>(std::move(salvaged));
}

}  // namespace hdb::salvaging
