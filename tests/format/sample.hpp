// Images made by hand for the tests of the format: random records of any schema, kept as columns
// and as row bytes.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"

namespace hdb::test {

/// One table: its descriptor, its groups, its free list.
struct SampleTable {
  TableDescriptor descriptor;
  std::vector<RowGroup> groups;  ///< `record_hash` is computed from row bytes, not from columns.
  std::vector<std::uint32_t> free_list;
};

/// An image in memory. The members may be changed, also to something that is refused.
class MemoryImage : public ImageSource {
 public:
  Metadata meta;
  Bytes thumb;
  std::vector<Field> schema_list;
  std::vector<SampleTable> data;
  std::vector<AncillaryBlock> extra;
  std::vector<Extension> extensions;  ///< Of the database.
  bool gives_hashes = true;

  void add(SampleTable table);

  const Metadata& metadata() const override { return meta; }
  const Bytes& thumbnail() const override { return thumb; }
  const std::vector<Field>& schemas() const override { return schema_list; }
  const std::vector<TableDescriptor>& tables() const override;
  DatabaseDescriptor database() const override {
    return {highest_type_id_of(tables()), extensions};
  }
  Status read_group(std::size_t table, std::uint64_t group, bool with_hash,
                    RowGroup& out) const override;
  Status read_free_list(std::size_t table, std::uint64_t first,
                        std::span<std::uint32_t> out) const override;
  Result<std::vector<AncillaryBlock>> ancillary_blocks() const override { return extra; }

 private:
  mutable std::vector<TableDescriptor> descriptors_;
};

/// A field without children.
[[nodiscard]] Field leaf(FieldKind kind, std::string name = {});
/// A field with children.
[[nodiscard]] Field node(FieldKind kind, std::string name, std::vector<Field> children);
/// A record schema.
[[nodiscard]] Field record(std::vector<Field> fields);
/// A schema with every kind of field, nested in each other.
[[nodiscard]] Field every_kind();
/// x, y, z f32; hp i32; flags u8; id u64.
[[nodiscard]] Field plain_schema();

struct SampleOptions {
  std::string name = "things";
  std::uint32_t schema = 0;
  TablePolicy policy{};
  std::uint64_t slots = 200;
  unsigned live_percent = 70;
  unsigned retired_percent = 5;
  unsigned seed = 1;
  unsigned max_elements = 4;  ///< Of lists, maps and strings.
};

/// A table of random records: some slots free, some retired; free list and dense order shuffled.
[[nodiscard]] SampleTable random_table(const Field& schema, const SampleOptions& options);

/// Three tables with every kind of field, dense and stable, at least three groups, one empty;
/// metadata and thumbnail.
[[nodiscard]] MemoryImage sample_image();

/// Writes; the test fails when that fails.
[[nodiscard]] Bytes written(const ImageSource& image, const WriteOptions& options = {});
[[nodiscard]] Result<std::unique_ptr<Reader>> open_bytes(const Bytes& bytes,
                                                         const ReadOptions& options = {});
/// Opens, reads every group, free list, the thumbnail and every block; runs every check there is.
[[nodiscard]] Status read_everything(const Bytes& bytes, const ReadOptions& options = {});
/// Whether both images hold the same; adds test failures where they differ.
void expect_equal(const ImageSource& a, const ImageSource& b);

}  // namespace hdb::test
