// A sound file in parts that can be edited, and sealed again with all hashes and sizes fitting.
#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include <vector>

#include "format/forge.hpp"
#include "format/frame/catalog.hpp"

namespace hdb::fuzz {

/// A chunk with its content unpacked.
struct OpenChunk {
  test::ForgedChunk forged;
  Bytes raw;
};

/// A block, and its chunks if it has any.
struct OpenBlock {
  std::vector<OpenChunk> chunks;
  bool is_chunked = false;
};

/// A file taken apart.
class SealedFile {
 public:
  explicit SealedFile(const Bytes& sound);

  /// Makes one edit, told by the input: of a column's content, a chunk, a head, the catalog, the
  /// order of blocks ...
  void edit(FuzzedDataProvider& in);
  /// The file with the edits made; counts in the catalog are made to fit where the input says so.
  [[nodiscard]] Bytes sealed(FuzzedDataProvider& in);

 private:
  struct PayloadEdit {
    std::size_t block;
    Bytes program;  // what edit_bytes is given
  };

  [[nodiscard]] std::size_t any_block(FuzzedDataProvider& in) const;
  [[nodiscard]] OpenBlock& chunked_block_from(std::size_t start);
  void edit_content(FuzzedDataProvider& in);
  void edit_chunk(FuzzedDataProvider& in);
  void edit_head(FuzzedDataProvider& in);
  void edit_blocks(FuzzedDataProvider& in);
  void edit_header(FuzzedDataProvider& in);
  void fit_counts();

  test::ForgedFile file_;
  std::vector<OpenBlock> open_;
  format::Catalog catalog_;
  bool is_catalog_edited_ = false;
  std::vector<PayloadEdit> late_;  // edits of whole payloads come last
};

/// One of the sound files, taken apart. The declared tables' files come twice as often: only those
/// load.
[[nodiscard]] SealedFile any_sound_file(FuzzedDataProvider& in);
/// Makes a few edits, or none, and seals the file.
[[nodiscard]] Bytes edited_and_sealed(SealedFile file, FuzzedDataProvider& in);

}  // namespace hdb::fuzz
