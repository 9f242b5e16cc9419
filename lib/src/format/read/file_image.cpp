// image_of: an open file as the source of another; and the check of blocks that reading tables does
// not touch.
#include <algorithm>
#include <mutex>
#include <numeric>
#include <utility>

#include "format/frame/frame.hpp"
#include "hdb/inspect/checks.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"

namespace hdb {
namespace {

using format::BlockType;
using format::type_number;

class FileImage final : public ImageSource {
 public:
  explicit FileImage(std::shared_ptr<const Reader> reader)
      : reader_(std::move(reader)), lists_(reader_->tables().size()) {}

  const Metadata& metadata() const override { return reader_->info().metadata; }
  const Bytes& thumbnail() const override {
    static const Bytes none;
    const auto& read = read_thumbnail();
    return read ? *read : none;
  }
  const std::vector<Field>& schemas() const override { return reader_->schemas(); }
  const std::vector<TableDescriptor>& tables() const override { return reader_->tables(); }
  DatabaseDescriptor database() const override { return reader_->database(); }

  Status read_group(std::size_t table, std::uint64_t group, bool with_hash,
                    RowGroup& out) const override {
    return with_hash ? reader_->read_group_hash(table, group, out)
                     : reader_->read_group(table, group, out);
  }

  Status read_slots(std::size_t table, std::uint64_t group, RowGroup& out) const override {
    Field prefix;
    prefix.children = row_prefix(reader_->tables()[table]);
    std::vector<std::uint32_t> columns(columns_of(prefix).size());
    std::iota(columns.begin(), columns.end(), 0U);
    return reader_->read_columns(table, group, columns, out);
  }

  Status read_free_list(std::size_t table, std::uint64_t first,
                        std::span<std::uint32_t> out) const override {
    const std::lock_guard lock(mutex_);
    if (!lists_[table]) {
      auto list = reader_->read_free_list(table);
      if (!list) return fail(std::move(list.error()));
      lists_[table] = std::move(*list);
    }
    return copy_free_list(*lists_[table], first, out);
  }

  Result<std::vector<AncillaryBlock>> ancillary_blocks() const override {
    if (const auto& thumbnail = read_thumbnail(); !thumbnail) return fail(thumbnail.error());
    auto blocks = ancillary_blocks_of(*reader_);
    if (blocks) leave_out_blocks_of_others(tables(), *blocks);
    return blocks;
  }

 private:
  // Loads never ask for it.
  const Result<Bytes>& read_thumbnail() const {
    const std::lock_guard lock(mutex_);
    if (!thumbnail_) thumbnail_ = reader_->read_thumbnail();
    return *thumbnail_;
  }

  std::shared_ptr<const Reader> reader_;
  mutable std::mutex mutex_;
  mutable std::optional<Result<Bytes>> thumbnail_;
  mutable std::vector<std::optional<std::vector<std::uint32_t>>> lists_;
};

}  // namespace

Status copy_free_list(std::span<const std::uint32_t> list, std::uint64_t first,
                      std::span<std::uint32_t> out) {
  if (first > list.size() || out.size() > list.size() - first) {
    return fail(ErrorCode::not_found,
                "the free list has " + std::to_string(list.size()) + " entries");
  }
  std::copy_n(list.begin() + static_cast<std::ptrdiff_t>(first), out.size(), out.begin());
  return {};
}

Result<std::vector<AncillaryBlock>> ancillary_blocks_of(const Reader& reader) {
  if ((reader.info().features.read_only & ~format::kKnownReadOnly) != 0) {
    return fail(ErrorCode::read_only_feature,
                "the file uses a feature that this version of hdb cannot rewrite", "header", 24);
  }
  std::vector<AncillaryBlock> blocks;
  for (std::size_t i = 0; i < reader.blocks().size(); ++i) {
    const BlockInfo& info = reader.blocks()[i];
    if (format::is_known(info.type) || (info.flags & format::kBlockSafeToCopy) == 0) continue;
    std::vector<Extension> extensions;
    auto payload = reader.read_payload(i, &extensions);
    if (!payload) return fail(std::move(payload.error()));
    blocks.push_back({info.type, info.flags, info.group, info.part, info.raw_bytes,
                      std::move(extensions), std::move(*payload)});
  }
  return blocks;
}

void leave_out_blocks_of_others(const std::vector<TableDescriptor>& tables,
                                std::vector<AncillaryBlock>& blocks) {
  std::erase_if(blocks, [&](const AncillaryBlock& block) {
    const Extension* const name = find_extension(block.extensions, format::kExtensionTableName);
    return name != nullptr && std::none_of(tables.begin(), tables.end(), [&](const auto& table) {
             const auto own = std::as_bytes(std::span(table.name));
             return std::equal(own.begin(), own.end(), name->bytes.begin(), name->bytes.end());
           });
  });
}

std::unique_ptr<ImageSource> image_of(std::shared_ptr<const Reader> reader) {
  return std::make_unique<FileImage>(std::move(reader));
}

Status check_state_hash(const FileInfo& file, const Hash128& computed) {
  constexpr std::uint64_t kPlaceInFooter = 32;  // FORMAT.md
  if (file.state_hash == computed) return {};
  return fail(ErrorCode::state_hash_mismatch,
              "the state hash does not match: stored " + file.state_hash.hex() + ", computed " +
                  computed.hex(),
              "footer", file.file_bytes - format::kFooterBytes + kPlaceInFooter);
}

Status check_other_blocks(const Reader& reader) {
  for (std::size_t i = 0; i < reader.blocks().size(); ++i) {
    const std::uint8_t type = reader.blocks()[i].type;
    const bool read_elsewhere = type != type_number(BlockType::thumbnail) && format::is_known(type);
    if (read_elsewhere) continue;
    if (Status status = reader.check_block(i); !status) return status;
  }
  return {};
}

}  // namespace hdb
