// Opening a file, and read_info, which stops after the metadata.
#include "format/read/open.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace hdb::format {
namespace {

constexpr std::uint64_t kSmallestFile =
    kHeaderBytes + kBlockHeadBytes + kDirectoryHeadBytes + kFooterBytes;

struct Ends {
  FileHeader header;
  Footer footer;
};

Result<Ends> read_ends(BlockSource& source, const ReadLimits& limits) {
  const std::uint64_t size = source.file_bytes();
  std::array<std::byte, kHeaderBytes> head;
  const std::span<std::byte> front =
      std::span(head).first(static_cast<std::size_t>(std::min<std::uint64_t>(size, kHeaderBytes)));
  if (Status status = source.read(0, front); !status)
    return fail(std::move(status.error()).in("header"));
  auto header = decode_header(front);
  if (!header) return fail(std::move(header.error()));
  if (size < kSmallestFile) {
    return fail(ErrorCode::truncated, std::to_string(size) + " bytes are too few for a whole file",
                "footer", size);
  }
  if (size > std::min(limits.max_file_bytes, kMaxFileBytes)) {
    return fail(ErrorCode::limit_exceeded,
                "the file has " + std::to_string(size) + " bytes" +
                    at_most(std::min(limits.max_file_bytes, kMaxFileBytes)),
                "file");
  }
  std::array<std::byte, kFooterBytes> tail;
  if (Status status = source.read(size - kFooterBytes, tail); !status) {
    return fail(std::move(status.error()).in("footer"));
  }
  const auto footer = decode_footer(tail, size);
  if (!footer) return fail(footer.error());
  source.set_file_id(header->file_id);
  if (may_lack_checksums(*header)) source.accept_frames_without_checksum();
  return Ends{*header, *footer};
}

// Reads and checks the payload of a block that must be small enough.
Result<Bytes> read_payload(const BlockSource& source, const BlockInfo& block,
                           std::uint64_t max_bytes) {
  const std::string place = block_place(block, {});
  if (block.stored_bytes > max_bytes) {
    return fail(
        ErrorCode::limit_exceeded,
        "the block has " + std::to_string(block.stored_bytes) + " bytes" + at_most(max_bytes),
        place, block.offset);
  }
  Buffer buffer;
  const auto payload = source.read_block(block, buffer);
  if (!payload) return fail(Error(payload.error()).in(place));
  return Bytes(payload->begin(), payload->end());
}

Result<Bytes> read_catalog(const BlockSource& source, const BlockInfo& block,
                           ChunkDecoder& scratch) {
  auto content = source.read_content(block, scratch);
  if (content) return content;
  return fail(std::move(content.error()).in(block_place(block, {})));
}

FileInfo info_of(const Ends& ends, Metadata metadata) {
  FileInfo info;
  info.version_major = ends.header.version_major;
  info.version_minor = ends.header.version_minor;
  info.features = ends.header.features;
  info.file_bytes = ends.footer.file_bytes;
  info.file_id = ends.header.file_id;
  info.state_hash = ends.footer.state_hash;
  info.metadata = std::move(metadata);
  return info;
}

Result<std::vector<BlockInfo>> read_directory(const BlockSource& source, const Ends& ends,
                                              const ReadLimits& limits) {
  const Footer& footer = ends.footer;
  if (footer.directory_bytes > limits.max_directory_bytes) {
    return fail(ErrorCode::limit_exceeded,
                "the directory has " + std::to_string(footer.directory_bytes) + " bytes" +
                    at_most(limits.max_directory_bytes),
                "footer", footer.directory_offset);
  }
  Buffer bytes;
  bytes.reset(static_cast<std::size_t>(footer.directory_bytes));
  if (Status status = source.read(footer.directory_offset, bytes.bytes()); !status) {
    return fail(std::move(status.error()).in("directory"));
  }
  if (hash64(bytes.bytes()) != footer.directory_hash) {
    return fail(ErrorCode::directory_checksum, "the hash of the directory does not match",
                "directory", footer.directory_offset);
  }
  return decode_directory(bytes.bytes(), footer.directory_offset, ends.header.file_id, limits);
}

// The first block, which must be the metadata.
Result<Metadata> read_metadata(const BlockSource& source, const BlockInfo& block,
                               const ReadLimits& limits) {
  const auto payload =
      read_payload(source, block, std::min(limits.max_metadata_bytes, kMaxMetadataBytes));
  if (!payload) return fail(payload.error());
  return decode_metadata(*payload, content_offset(block));
}

}  // namespace

Result<OpenedFile> open_file(BlockSource& source, const ReadLimits& limits,
                             bool accept_damaged_copies, ChunkDecoder& scratch) {
  const auto ends = read_ends(source, limits);
  if (!ends) return fail(ends.error());
  OpenedFile file;
  auto blocks = read_directory(source, *ends, limits);
  if (!blocks) return fail(std::move(blocks.error()));
  file.blocks = std::move(*blocks);
  if (Status status = check_geometry(file.blocks, ends->footer.directory_offset); !status) {
    return fail(std::move(status.error()));
  }
  // The catalog is needed to know the rest of the order; so the frame around it comes first.
  const auto known = known_blocks(file.blocks);
  const auto catalogs = std::count_if(known.begin(), known.end(), [&](std::uint32_t i) {
    return file.blocks[i].type == type_number(BlockType::catalog);
  });
  const bool framed = catalogs == 2 && known.front() == 0 &&
                      file.blocks[known.front()].type == type_number(BlockType::metadata) &&
                      file.blocks[known.back()].type == type_number(BlockType::catalog);
  if (!framed) {
    for (const std::uint32_t i : known) {
      if (file.blocks[i].type != type_number(BlockType::catalog)) continue;
      const auto content = read_catalog(source, file.blocks[i], scratch);
      if (!content) continue;
      const auto decoded = decode_catalog(*content, file.blocks[i], limits);
      if (!decoded && category_of(decoded.error().code) == ErrorCategory::newer)
        return fail(decoded.error());
      break;
    }
    return fail(ErrorCode::missing_block,
                "the metadata, or a copy of the catalog before or after the tables, is missing",
                "directory", ends->footer.directory_offset);
  }
  const auto accept = [&](const Error& error) -> Status {
    if (!accept_damaged_copies || category_of(error.code) != ErrorCategory::corrupt)
      return fail(Error(error));
    file.faults.push_back(error);
    return {};
  };
  const BlockInfo& first = file.blocks[*std::find_if(known.begin(), known.end(), [&](auto i) {
    return file.blocks[i].type == type_number(BlockType::catalog);
  })];
  const BlockInfo& second = file.blocks[known.back()];
  const auto catalog = read_catalog(source, first, scratch);
  const auto copy = read_catalog(source, second, scratch);
  if (!catalog && !copy) return fail(catalog.error());
  auto decoded = decode_catalog(catalog ? *catalog : *copy, catalog ? first : second, limits);
  // Before all that is wrong, so that a file that needs a newer reader says so.
  if (!decoded && category_of(decoded.error().code) == ErrorCategory::newer)
    return fail(std::move(decoded.error()));
  if (Status status = check_content_ratio(file.blocks, ends->footer.file_bytes, limits); !status)
    return fail(std::move(status.error()));
  auto metadata = read_metadata(source, file.blocks[0], limits);
  const std::array faults{metadata ? nullptr : &std::as_const(metadata).error(),
                          catalog ? nullptr : &catalog.error(), copy ? nullptr : &copy.error()};
  for (const Error* const error : faults) {
    if (error == nullptr) continue;
    if (Status status = accept(*error); !status) return fail(std::move(status.error()));
  }
  if (catalog && copy && *catalog != *copy) {
    return fail(ErrorCode::copies_differ, "the two copies of the catalog differ", "catalog",
                second.offset);
  }
  if (!decoded) return fail(std::move(decoded.error()));
  file.catalog = std::move(*decoded);
  auto layout = lay_out(file.blocks, known, file.catalog.tables);
  if (!layout) return fail(std::move(layout.error()));
  file.layout = std::move(*layout);
  for (const BlockInfo& block : file.blocks) {
    if (block.type == type_number(BlockType::thumbnail) &&
        block.stored_bytes > limits.max_thumbnail_bytes) {
      return fail(ErrorCode::limit_exceeded,
                  "the thumbnail has " + std::to_string(block.stored_bytes) + " bytes" +
                      at_most(limits.max_thumbnail_bytes),
                  "thumbnail", block.offset);
    }
  }
  file.info = info_of(*ends, metadata ? std::move(*metadata) : Metadata{});
  return file;
}

}  // namespace hdb::format

namespace hdb {

ReadLimits ReadLimits::highest() noexcept {
  constexpr std::uint64_t kAny = ~std::uint64_t{0};
  return {.max_file_bytes = format::kMaxFileBytes,
          .max_slots_per_table = kAny,  // those of its layout
          .max_tables = format::kMaxTables,
          .max_schema_fields = format::kMaxSchemaFields,
          .max_blocks = format::kMaxBlocks,
          .max_metadata_bytes = format::kMaxMetadataBytes,
          .max_thumbnail_bytes = format::kMaxThumbnailBytes,
          .max_directory_bytes = kAny,
          .max_column_bytes = kAny,
          .max_memory_bytes = kAny,
          .max_content_ratio = kAny};
}

Result<FileInfo> read_info(ByteSource& source, const ReadLimits& limits) {
  using namespace format;
  const auto size = source.size();
  if (!size) return fail(size.error());
  BlockSource blocks(source, *size);
  const auto ends = read_ends(blocks, limits);
  if (!ends) return fail(ends.error());
  const auto head = blocks.read_head(kHeaderBytes);
  if (!head) return fail(Error(head.error()).in("metadata"));
  if (head->info.type != type_number(BlockType::metadata)) {
    return fail(ErrorCode::missing_block, "the first block is not the metadata", "metadata",
                kHeaderBytes);
  }
  auto metadata = read_metadata(blocks, head->info, limits);
  if (!metadata) return fail(std::move(metadata.error()));
  return info_of(*ends, std::move(*metadata));
}

}  // namespace hdb
