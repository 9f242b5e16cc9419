// Taking apart through the reader, sealing through the writer's own frame functions.
#include "format/forge.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "format/columns/compress.hpp"
#include "hdb/byte_io.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/reader.hpp"

namespace hdb::test {

using namespace format;

namespace {

// What a catalog or pack holds, if it is compressed.
std::optional<Bytes> unpacked(const ForgedBlock& block) {
  const BlockInfo& info = block.head.info;
  const bool may_be_compressed =
      info.type == type_number(BlockType::catalog) || info.type == type_number(BlockType::pack);
  if (!may_be_compressed || info.stored_bytes == info.raw_bytes) return std::nullopt;
  Bytes content(static_cast<std::size_t>(info.raw_bytes));
  Decompressor decompressor;
  EXPECT_EQ(decompressor.decompress(block.payload, content), nullptr);
  return content;
}

}  // namespace

ForgedFile::ForgedFile(const Bytes& bytes, bool unpacks) {
  auto reader = open_bytes(bytes);
  EXPECT_TRUE(reader) << reader.error().message();
  header = decode_header(bytes).value();
  state_hash = (*reader)->info().state_hash;
  for (std::size_t i = 0; i < (*reader)->blocks().size(); ++i) {
    const BlockInfo& info = (*reader)->blocks()[i];
    const auto at = static_cast<std::ptrdiff_t>(info.offset);
    ForgedBlock block;
    block.head =
        decode_block_head(std::span(bytes).subspan(static_cast<std::size_t>(at), kBlockHeadBytes),
                          info.offset)
            .value();
    const auto payload = bytes.begin() + at + static_cast<std::ptrdiff_t>(kBlockHeadBytes);
    block.payload.assign(payload, payload + static_cast<std::ptrdiff_t>(info.stored_bytes));
    if (auto content = unpacks ? unpacked(block) : std::nullopt)
      block.payload = *std::move(content);
    blocks.push_back(std::move(block));
  }
}

Bytes ForgedFile::sealed() const {
  Bytes file;
  ByteWriter out(file);
  out.raw(encode_header(header));
  std::vector<BlockInfo> entries;
  for (const ForgedBlock& block : blocks) {
    BlockHead head = block.head;
    head.info.offset = file.size();
    head.info.stored_bytes = block.payload.size();
    head.info.payload_hash = hash64(block.payload);
    head.file_id = header.file_id;
    if (const auto hashed = hashed_part(head.info, block.payload))
      head.info.payload_hash = hash64(*hashed);
    entries.push_back(head.info);
    out.raw(encode_block_head(head));
    out.raw(block.payload);
    out.pad_to(kAlignment);
  }
  if (change_entries) change_entries(entries);
  Bytes directory = encode_directory(header.file_id, entries);
  if (claimed_entries != 0) store_le(directory.data() + 24, claimed_entries);
  Footer footer;
  footer.directory_offset = file.size();
  footer.directory_bytes = directory.size();
  footer.directory_hash = hash64(directory);
  footer.file_bytes = file.size() + directory.size() + kFooterBytes;
  footer.state_hash = state_hash;
  out.raw(directory);
  out.raw(encode_footer(footer));
  return file;
}

std::size_t ForgedFile::find(BlockType type, std::uint32_t table, std::uint64_t group) const {
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const BlockInfo& info = blocks[i].head.info;
    if (info.type == type_number(type) && info.table == table && info.group == group) return i;
  }
  ADD_FAILURE() << "no such block";
  return 0;
}

std::vector<ForgedChunk> ForgedFile::chunks(std::size_t block) const {
  const ForgedBlock& from = blocks[block];
  BlockInfo info = from.head.info;
  info.stored_bytes = from.payload.size();
  std::vector<ForgedChunk> chunks;
  const auto entries = decode_index(from.payload, info);
  for (const ChunkEntry& entry : *entries) {
    const auto at = from.payload.begin() + static_cast<std::ptrdiff_t>(entry.content_offset);
    chunks.push_back({entry, Bytes(at, at + static_cast<std::ptrdiff_t>(entry.info.stored_bytes))});
  }
  return chunks;
}

void ForgedFile::set_chunks(std::size_t block, const std::vector<ForgedChunk>& chunks) {
  Bytes payload;
  ByteWriter out(payload);
  out.u32(static_cast<std::uint32_t>(chunks.size()));
  out.u32(0);
  blocks[block].head.info.raw_bytes = 0;
  for (const ForgedChunk& chunk : chunks) {
    const ChunkInfo& info = chunk.entry.info;
    out.u32(info.column);
    out.u32(info.piece);
    out.u8(info.filter);
    out.u8(info.codec);
    out.u8(static_cast<std::uint8_t>(chunk.entry.width));
    out.pad_to(kAlignment);
    out.u64(chunk.stored.size());
    out.u64(info.raw_bytes);
    out.u64(info.raw_hash.low);
    out.u64(info.raw_hash.high);
    out.u64(hash64(chunk.stored));
    blocks[block].head.info.raw_bytes += info.raw_bytes;
  }
  for (const ForgedChunk& chunk : chunks) out.raw(chunk.stored);
  blocks[block].payload = std::move(payload);
}

void ForgedFile::set_column(std::size_t block, std::uint32_t column, const Bytes& raw) {
  auto all = chunks(block);
  for (ForgedChunk& chunk : all) {
    if (chunk.entry.info.column != column) continue;
    chunk.stored = raw;
    chunk.entry.info.filter = 0;
    chunk.entry.info.codec = 0;
    chunk.entry.info.raw_bytes = raw.size();
    chunk.entry.info.raw_hash = hash128(raw);
  }
  set_chunks(block, all);
}

}  // namespace hdb::test
