// Edits of content are packed again at once; all other hashes and sizes are made to fit at the end.
#include "sealed_file.hpp"

#include <algorithm>
#include <utility>

#include "edit_bytes.hpp"
#include "format/columns/chunk.hpp"
#include "format/columns/filter.hpp"
#include "hdb/inspect/reader.hpp"
#include "require.hpp"
#include "sound_files.hpp"

namespace hdb::fuzz {

using format::BlockType;
using test::ForgedBlock;

namespace {

bool is_of_type(const ForgedBlock& block, BlockType type) {
  return block.head.info.type == format::type_number(type);
}

OpenChunk unpacked(test::ForgedChunk chunk) {
  static format::ChunkDecoder decoder;
  OpenChunk open{std::move(chunk), {}};
  open.raw.resize(static_cast<std::size_t>(open.forged.entry.info.raw_bytes));
  const Status status = decoder.decode(open.forged.entry, open.forged.stored, open.raw, true);
  require(status.has_value(), "the chunks of a sound file can be read");
  return open;
}

// Filters and compresses the content as the input says, where that can be done.
void pack(OpenChunk& chunk, FuzzedDataProvider& in) {
  static format::Compressor compressor(1);
  ChunkInfo& info = chunk.forged.entry.info;
  const unsigned width = chunk.forged.entry.width;
  auto filter = static_cast<format::Filter>(in.ConsumeIntegralInRange(0, 3));
  if (!format::filter_fits(filter, chunk.raw.size(), width)) filter = format::Filter::none;
  Bytes filtered(format::filtered_size(filter, chunk.raw.size(), width));
  format::apply_filter(filter, chunk.raw, width, filtered.data());
  format::Buffer frame;
  info.codec = in.ConsumeBool() && compressor.compress(filtered, 0, frame) ? 1 : 0;
  if (info.codec == 1) filtered.assign(frame.bytes().begin(), frame.bytes().end());
  info.filter = static_cast<std::uint8_t>(filter);
  info.raw_bytes = chunk.raw.size();
  info.raw_hash = hash128(chunk.raw);
  chunk.forged.stored = std::move(filtered);
}

}  // namespace

SealedFile::SealedFile(const Bytes& sound) : file_(sound), open_(file_.blocks.size()) {
  for (std::size_t i = 0; i < open_.size(); ++i) {
    const ForgedBlock& block = file_.blocks[i];
    open_[i].is_chunked = format::is_indexed(block.head.info);
    if (open_[i].is_chunked) {
      for (test::ForgedChunk& chunk : file_.chunks(i)) {
        open_[i].chunks.push_back(unpacked(std::move(chunk)));
      }
    }
    if (is_of_type(block, BlockType::catalog)) {
      catalog_ = format::decode_catalog(block.payload, 0, {}).value();
    }
  }
}

std::size_t SealedFile::any_block(FuzzedDataProvider& in) const {
  return in.ConsumeIntegralInRange<std::size_t>(0, open_.size() - 1);
}

OpenBlock& SealedFile::chunked_block_from(std::size_t start) {
  for (std::size_t i = 0; i < open_.size(); ++i) {
    OpenBlock& block = open_[(start + i) % open_.size()];
    if (block.is_chunked && !block.chunks.empty()) return block;
  }
  return open_[start];
}

void SealedFile::edit(FuzzedDataProvider& in) {
  if (open_.empty()) return;
  const int kind = in.ConsumeIntegralInRange(0, 15);
  if (kind < 7) return edit_content(in);
  if (kind < 9) return edit_chunk(in);
  if (kind < 12) {
    edit_catalog(catalog_, in);
    is_catalog_edited_ = true;
    return;
  }
  if (kind == 12) return edit_head(in);
  if (kind == 13) return edit_blocks(in);
  if (kind == 14) return edit_header(in);
  const std::size_t block = any_block(in);
  const auto program = in.ConsumeBytes<std::byte>(24);
  late_.push_back({block, {program.begin(), program.end()}});
}

void SealedFile::edit_content(FuzzedDataProvider& in) {
  const std::size_t at = any_block(in);
  if (ForgedBlock& pack = file_.blocks[at]; is_of_type(pack, BlockType::pack)) {
    edit_bytes(pack.payload, in);
    pack.head.info.raw_bytes = pack.payload.size();
    return;
  }
  OpenBlock& block = chunked_block_from(at);
  if (block.chunks.empty()) return;
  OpenChunk& chunk =
      block.chunks[in.ConsumeIntegralInRange<std::size_t>(0, block.chunks.size() - 1)];
  edit_bytes(chunk.raw, in);
  pack(chunk, in);
}

void SealedFile::edit_chunk(FuzzedDataProvider& in) {
  OpenBlock& block = chunked_block_from(any_block(in));
  if (block.chunks.empty()) return;
  const auto index = in.ConsumeIntegralInRange<std::size_t>(0, block.chunks.size() - 1);
  OpenChunk& chunk = block.chunks[index];
  ChunkInfo& info = chunk.forged.entry.info;
  switch (in.ConsumeIntegralInRange(0, 9)) {
    case 0: info.column = static_cast<std::uint32_t>(edited_number(info.column, in)); return;
    case 1: info.piece = static_cast<std::uint32_t>(edited_number(info.piece, in)); return;
    case 2: info.filter = in.ConsumeIntegralInRange<std::uint8_t>(0, 4); return;
    case 3: info.codec = in.ConsumeIntegralInRange<std::uint8_t>(0, 2); return;
    case 4: chunk.forged.entry.width = in.ConsumeIntegralInRange<std::uint8_t>(0, 9); return;
    case 5: info.raw_bytes = edited_number(info.raw_bytes, in); return;
    case 6: block.chunks.erase(block.chunks.begin() + static_cast<std::ptrdiff_t>(index)); return;
    case 7: block.chunks.push_back(OpenChunk(chunk)); return;
    case 8: std::swap(chunk, block.chunks.back()); return;
    default: return edit_bytes(chunk.forged.stored, in);
  }
}

void SealedFile::edit_head(FuzzedDataProvider& in) {
  ForgedBlock& block = file_.blocks[any_block(in)];
  BlockInfo& info = block.head.info;
  switch (in.ConsumeIntegralInRange(0, 6)) {
    case 0: info.type = static_cast<std::uint8_t>(edited_number(info.type, in)); return;
    case 1: info.flags = static_cast<std::uint8_t>(edited_number(info.flags, in)); return;
    case 2: info.table = static_cast<std::uint32_t>(edited_number(info.table, in)); return;
    case 3: info.part = static_cast<std::uint32_t>(edited_number(info.part, in)); return;
    case 4: info.group = edited_number(info.group, in); return;
    case 5: info.flags ^= format::kBlockIndexed; return;
    default: info.raw_bytes = edited_number(info.raw_bytes, in); return;
  }
}

SealedFile any_sound_file(FuzzedDataProvider& in) {
  static const std::vector<SealedFile> files(sound_files().begin(), sound_files().end());
  const auto choice = in.ConsumeIntegralInRange<std::size_t>(0, 5);
  return files[choice < 4 ? choice % 2 : choice - 2];
}

Bytes edited_and_sealed(SealedFile file, FuzzedDataProvider& in) {
  static constexpr int kEdits[] = {0, 1, 1, 1, 2, 2, 3, 6};  // most of them few, or nothing loads
  const int edits = in.PickValueInArray(kEdits);
  for (int i = 0; i < edits; ++i) file.edit(in);
  return file.sealed(in);
}

}  // namespace hdb::fuzz
