// ImageFilter: an image made from another one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hdb/inspect/image.hpp"

namespace hdb::detail::evolve {

/// An image over another image, which must outlive it. Passes everything through except unknown
/// blocks and the state hash; a derived class overrides the members that it changes.
class ImageFilter : public ImageSource {
 public:
  explicit ImageFilter(const ImageSource& below) : below_(below) {}
  // A constructor that takes another filter must add a layer, so filters cannot be copied.
  ImageFilter(const ImageFilter&) = delete;
  ImageFilter& operator=(const ImageFilter&) = delete;

  [[nodiscard]] const Metadata& metadata() const override { return below_.metadata(); }
  [[nodiscard]] const Bytes& thumbnail() const override { return below_.thumbnail(); }
  [[nodiscard]] const std::vector<Field>& schemas() const override { return below_.schemas(); }
  [[nodiscard]] const std::vector<TableDescriptor>& tables() const override {
    return below_.tables();
  }
  [[nodiscard]] DatabaseDescriptor database() const override { return below_.database(); }
  [[nodiscard]] Status read_group(std::size_t table, std::uint64_t group, bool with_hash,
                                  RowGroup& out) const override {
    return below_.read_group(table, group, with_hash, out);
  }
  [[nodiscard]] Status read_free_list(std::size_t table, std::uint64_t first,
                                      std::span<std::uint32_t> out) const override {
    return below_.read_free_list(table, first, out);
  }

 protected:
  const ImageSource& below_;
};

/// An image for a load, which makes records of it.
class LoadImage : public ImageFilter {
 public:
  using ImageFilter::ImageFilter;
  /// Whether handles of a row group that was read became null, so that keys may have become equal.
  [[nodiscard]] virtual bool has_cleared_handles(std::size_t table, std::uint64_t group) const = 0;
};

}  // namespace hdb::detail::evolve
