// The rest of SealedFile: edits of the file's frame, and the sealing.
#include <algorithm>
#include <map>
#include <utility>

#include "edit_bytes.hpp"
#include "hdb/inspect/reader.hpp"
#include "sealed_file.hpp"

namespace hdb::fuzz {

using format::BlockType;
using test::ForgedBlock;

void SealedFile::edit_blocks(FuzzedDataProvider& in) {
  const std::size_t a = any_block(in);
  const std::size_t b = any_block(in);
  const auto at = static_cast<std::ptrdiff_t>(b);
  switch (in.ConsumeIntegralInRange(0, 2)) {
    case 0:
      std::swap(file_.blocks[a], file_.blocks[b]);
      std::swap(open_[a], open_[b]);
      return;
    case 1:
      file_.blocks.erase(file_.blocks.begin() + at);
      open_.erase(open_.begin() + at);
      return;
    default:
      file_.blocks.insert(file_.blocks.begin() + at, ForgedBlock(file_.blocks[a]));
      open_.insert(open_.begin() + at, OpenBlock(open_[a]));
      return;
  }
}

void SealedFile::edit_header(FuzzedDataProvider& in) {
  format::FileHeader& header = file_.header;
  const std::uint64_t value = edited_number(0, in);
  switch (in.ConsumeIntegralInRange(0, 6)) {
    case 0: header.version_major = static_cast<std::uint16_t>(value); return;
    case 1: header.version_minor = static_cast<std::uint16_t>(value); return;
    case 2: header.features.incompatible = value; return;
    case 3: header.features.read_only = value; return;
    case 4: header.features.compatible = value; return;
    case 5: file_.claimed_entries = value; return;
    default: file_.state_hash.low = value; return;
  }
}

// Counts the slots of every table that has rows blocks, and takes the group shift that belongs to
// its schema.
void SealedFile::fit_counts() {
  std::map<std::uint32_t, std::map<int, std::uint64_t>> counts;
  for (std::size_t i = 0; i < open_.size(); ++i) {
    const BlockInfo& info = file_.blocks[i].head.info;
    if (info.type != format::type_number(BlockType::rows)) continue;
    for (const OpenChunk& chunk : open_[i].chunks) {
      if (chunk.forged.entry.info.column != format::kColumnStates) continue;
      for (const std::byte state : chunk.raw) ++counts[info.table][std::to_integer<int>(state)];
    }
  }
  for (std::size_t i = 0; i < catalog_.tables.size(); ++i) {
    TableDescriptor& table = catalog_.tables[i];
    if (const auto found = counts.find(static_cast<std::uint32_t>(i)); found != counts.end()) {
      auto& count = found->second;
      table.free_count = count[0];
      table.live_count = count[1];
      table.retired_count = count[2];
      table.slot_count = count[0] + count[1] + count[2];
    }
    if (table.schema < catalog_.schemas.size()) {
      table.group_shift = group_shift_for(catalog_.schemas[table.schema]);
    }
  }
}

Bytes SealedFile::sealed(FuzzedDataProvider& in) {
  if (in.ConsumeBool()) {
    fit_counts();
    is_catalog_edited_ = true;
  }
  for (std::size_t i = 0; i < open_.size(); ++i) {
    ForgedBlock& block = file_.blocks[i];
    if (open_[i].is_chunked) {
      std::vector<test::ForgedChunk> chunks;
      for (OpenChunk& chunk : open_[i].chunks) chunks.push_back(std::move(chunk.forged));
      const std::uint64_t raw_bytes = block.head.info.raw_bytes;
      file_.set_chunks(i, chunks);
      if (chunks.empty()) block.head.info.raw_bytes = raw_bytes;
    }
    if (is_catalog_edited_ && block.head.info.type == format::type_number(BlockType::catalog)) {
      block.payload = format::encode_catalog(catalog_.schemas, catalog_.tables, catalog_.database);
      block.head.info.raw_bytes = block.payload.size();
    }
  }
  for (const PayloadEdit& edit : late_) {
    if (edit.block >= file_.blocks.size()) continue;
    FuzzedDataProvider program(reinterpret_cast<const std::uint8_t*>(edit.program.data()),
                               edit.program.size());
    ForgedBlock& block = file_.blocks[edit.block];
    const bool has_size = block.head.info.raw_bytes == block.payload.size();
    edit_bytes(block.payload, program);
    if (has_size) block.head.info.raw_bytes = block.payload.size();
  }
  return file_.sealed();
}

}  // namespace hdb::fuzz
