// EditedImage: an image in which one edit is made.
#pragma once

#include <atomic>
#include <mutex>

#include "edit/equal_keys.hpp"
#include "edit/field_edit.hpp"
#include "hdb/inspect/image.hpp"

namespace hdb::inspect {

/// Of the row groups with records of the edit, the columns of the field are encoded again; all else
/// passes through.
class EditedImage final : public ImageSource {
 public:
  /// Requires: both outlive the image.
  EditedImage(const ImageSource& below, const FieldEdit& edit) : below_(below), edit_(edit) {}

  /// Whether a record of the edit has been read.
  [[nodiscard]] bool has_found() const noexcept { return has_found_; }
  /// The maps and lists in which the edit made keys or elements equal that were not, by their
  /// paths; without fields of which other records near by have equal ones.
  [[nodiscard]] EntriesPaths made_equal() const;

  [[nodiscard]] const Metadata& metadata() const override { return below_.metadata(); }
  [[nodiscard]] const Bytes& thumbnail() const override { return below_.thumbnail(); }
  [[nodiscard]] const std::vector<Field>& schemas() const override { return below_.schemas(); }
  [[nodiscard]] const std::vector<TableDescriptor>& tables() const override {
    return below_.tables();
  }
  [[nodiscard]] DatabaseDescriptor database() const override { return below_.database(); }
  [[nodiscard]] Status read_group(std::size_t table, std::uint64_t group, bool with_hash,
                                  RowGroup& out) const override;
  [[nodiscard]] Status read_free_list(std::size_t table, std::uint64_t first,
                                      std::span<std::uint32_t> out) const override {
    return below_.read_free_list(table, first, out);
  }
  [[nodiscard]] Result<std::vector<AncillaryBlock>> ancillary_blocks() const override {
    return below_.ancillary_blocks();
  }

 private:
  [[nodiscard]] bool may_be_in(std::size_t table, std::uint64_t group) const;
  [[nodiscard]] Result<std::vector<bool>> find(const RowGroup& rows) const;
  [[nodiscard]] Status apply(const std::vector<bool>& found, RowGroup& rows) const;

  const ImageSource& below_;
  const FieldEdit& edit_;
  mutable std::atomic<bool> has_found_{false};
  mutable std::mutex mutex_;
  mutable EntriesPaths made_equal_;  // guarded by mutex_
  mutable EntriesPaths were_equal_;  // as above
};

}  // namespace hdb::inspect
