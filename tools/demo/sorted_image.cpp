// The control: rewrites a save through an ImageSource that changes only the order of free slots.
#include <fmt/format.h>

#include <algorithm>
#include <hdb/atomic_file.hpp>
#include <hdb/file_system.hpp>
#include <hdb/inspect/image.hpp>
#include <hdb/inspect/reader.hpp>
#include <memory>
#include <vector>

#include "checks.hpp"

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

std::shared_ptr<const hdb::Reader> open(const std::string& path) {
  return must(hdb::Reader::open(must(hdb::FileSource::open(path))));
}

}  // namespace

void write_with_sorted_free_lists(const std::string& from, const std::string& to) {
  const auto reader = open(from);
  std::vector<std::vector<std::uint32_t>> free_lists;
  for (std::size_t table = 0; table < reader->tables().size(); ++table) {
    auto& list = free_lists.emplace_back(must(reader->read_free_list(table)));
    std::sort(list.begin(), list.end());
  }
  const auto file = must(hdb::AtomicFile::create(to));
  must(hdb::write_image(SortedImage(hdb::image_of(reader), std::move(free_lists)), *file));
  must(file->commit());
}

std::vector<std::uint32_t> free_list_of(const std::string& path, std::string_view table) {
  const auto reader = open(path);
  for (std::size_t i = 0; i < reader->tables().size(); ++i) {
    if (reader->tables()[i].name == table) return must(reader->read_free_list(i));
  }
  throw std::runtime_error(fmt::format("{}: the file has no table {}", path, table));
}

}  // namespace demo
