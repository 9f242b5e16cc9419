// An ImageSource that passes on everything but the order of free slots.
#include "sorted_image.hpp"

#include <algorithm>
#include <hdb/atomic_file.hpp>
#include <hdb/file_system.hpp>
#include <hdb/inspect/image.hpp>
#include <hdb/inspect/reader.hpp>
#include <memory>
#include <vector>

namespace demo {
namespace {

class SortedImage final : public hdb::ImageSource {
 public:
  SortedImage(std::unique_ptr<hdb::ImageSource> image,
              std::vector<std::vector<std::uint32_t>> free_lists)
      : image_(std::move(image)), free_lists_(std::move(free_lists)) {}

  const hdb::Metadata& metadata() const override { return image_->metadata(); }
  const hdb::Bytes& thumbnail() const override { return image_->thumbnail(); }
  const std::vector<hdb::Field>& schemas() const override { return image_->schemas(); }
  const std::vector<hdb::TableDescriptor>& tables() const override { return image_->tables(); }
  hdb::Status read_group(std::size_t table, std::uint64_t group, bool with_hash,
                         hdb::RowGroup& out) const override {
    return image_->read_group(table, group, with_hash, out);
  }
  hdb::Status read_free_list(std::size_t table, std::uint64_t first,
                             std::span<std::uint32_t> out) const override {
    return hdb::copy_free_list(free_lists_[table], first, out);
  }
  // known_state_hash is left at "unknown": this is another state, and the writer computes its hash.

 private:
  std::unique_ptr<hdb::ImageSource> image_;
  std::vector<std::vector<std::uint32_t>> free_lists_;
};

hdb::Result<std::shared_ptr<const hdb::Reader>> open(const std::string& path) {
  auto source = hdb::FileSource::open(path);
  if (!source) return hdb::fail(std::move(source.error()));
  auto reader = hdb::Reader::open(*std::move(source));
  if (!reader) return hdb::fail(std::move(reader.error()));
  return std::shared_ptr<const hdb::Reader>(*std::move(reader));
}

}  // namespace

hdb::Status write_with_sorted_free_lists(const std::string& from, const std::string& to) {
  const auto reader = open(from);
  if (!reader) return hdb::fail(reader.error());
  std::vector<std::vector<std::uint32_t>> free_lists;
  for (std::size_t table = 0; table < (*reader)->tables().size(); ++table) {
    auto free_list = (*reader)->read_free_list(table);
    if (!free_list) return hdb::fail(std::move(free_list.error()));
    std::sort(free_list->begin(), free_list->end());
    free_lists.push_back(*std::move(free_list));
  }
  auto file = hdb::AtomicFile::create(to);
  if (!file) return hdb::fail(std::move(file.error()));
  const SortedImage image(hdb::image_of(*reader), std::move(free_lists));
  const auto written = hdb::write_image(image, **file);
  if (!written) return hdb::fail(written.error());
  const auto committed = (*file)->commit();
  if (!committed) return hdb::fail(committed.error());
  return {};
}

hdb::Result<FreeListShape> free_list_shape(const std::string& file, const std::string& table) {
  const auto reader = open(file);
  if (!reader) return hdb::fail(reader.error());
  const auto& tables = (*reader)->tables();
  const auto found =
      std::find_if(tables.begin(), tables.end(), [&](const auto& t) { return t.name == table; });
  if (found == tables.end()) return FreeListShape{};
  const auto free_list =
      (*reader)->read_free_list(static_cast<std::size_t>(found - tables.begin()));
  if (!free_list) return hdb::fail(free_list.error());
  FreeListShape shape{free_list->size(), 0};
  for (std::size_t i = 1; i < free_list->size(); ++i) {
    shape.descents += (*free_list)[i - 1] > (*free_list)[i] ? 1 : 0;
  }
  return shape;
}

}  // namespace demo
