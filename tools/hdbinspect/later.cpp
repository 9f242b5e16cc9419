// Finds and prints what this version of hdb does not know.
#include "later.hpp"

#include <algorithm>
#include <initializer_list>

#include <fmt/format.h>

#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/schema.hpp"
#include "hdb/inspect/values.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

bool is_known(std::uint8_t type) { return !block_type_text(type).starts_with("unknown "); }

class Collector {
 public:
  explicit Collector(const Reader& reader) : reader_(reader) {}

  void add_blocks(Heads heads) {
    for (std::size_t i = 0; i < reader_.blocks().size(); ++i) {
      const BlockInfo& block = reader_.blocks()[i];
      const bool known = is_known(block.type);
      if (known && (heads == Heads::of_unknown_blocks || block.extension_bytes == 0)) continue;
      add_block(i, block, known);
    }
  }

  void add_database() {
    Addition of_database;
    of_database.kind = AdditionKind::database_extension;
    of_database.is_state = true;
    add_unknown(reader_.database().extensions, format::kKnownCatalogExtensions, of_database);
  }

  void add_tables() {
    for (const TableDescriptor& table : reader_.tables()) {
      Addition of_table;
      of_table.kind = AdditionKind::table_extension;
      of_table.table = table.name;
      of_table.is_state = table.is_hashed();
      add_unknown(table.extensions, format::kKnownTableExtensions, of_table);
    }
  }

  void add_fields() {
    const std::vector<Field>& schemas = reader_.schemas();
    std::vector<Addition> of_schemas(schemas.size());
    for (const TableDescriptor& table : reader_.tables()) {
      Addition& of_schema = of_schemas[table.schema];
      of_schema.kind = AdditionKind::field_extension;
      of_schema.is_state = of_schema.is_state || table.is_hashed();
      if (of_schema.table.empty()) {
        of_schema.table = table.name;
      } else {
        ++of_schema.other_tables;
      }
    }
    for (std::size_t i = 0; i < schemas.size(); ++i) add_field(schemas[i], {}, of_schemas[i]);
  }

  std::vector<Addition> take() {
    if (left_out_ != 0) {
      Addition& others = additions_.emplace_back();
      others.kind = AdditionKind::others;
      others.count = left_out_;
    }
    return std::move(additions_);
  }

 private:
  // A block of an unknown type, and the unknown extensions of the head of any block.
  void add_block(std::size_t index, const BlockInfo& block, bool known) {
    Addition found;
    found.block_type = block.type;
    found.offset = block.offset;
    found.bytes = block.total_bytes;
    found.is_safe_to_copy = !known && (block.flags & format::kBlockSafeToCopy) != 0;
    std::vector<Extension> extensions;
    if (block.extension_bytes != 0) {
      if (const auto read = reader_.read_payload(index, &extensions); !read)
        found.fault = code_name(read.error().code);
    }
    const Extension* const name =
        known ? nullptr : find_extension(extensions, format::kExtensionTableName);
    if (name != nullptr)
      found.table.assign(reinterpret_cast<const char*>(name->bytes.data()), name->bytes.size());
    if (!known) add(found);
    found.kind = AdditionKind::head_extension;
    found.fault.clear();
    add_unknown(extensions, format::kKnownHeadExtensions, found);
  }

  void add_field(const Field& field, const std::string& path, Addition& of_field) {
    of_field.field = path;
    add_unknown(field.extensions, format::kKnownFieldExtensions, of_field);
    for (std::size_t i = 0; i < field.children.size(); ++i)
      add_field(field.children[i], part_path(field, path, i), of_field);
  }

  // The extensions without those of `known` tags; `of` says what they belong to, and whether the
  // state hash covers that.
  void add_unknown(const std::vector<Extension>& extensions, std::span<const std::uint8_t> known,
                   const Addition& of) {
    for (const Extension& extension : extensions) {
      if (hdb::is_known(extension.tag, known)) continue;
      Addition found = of;
      found.tag = extension.tag;
      found.bytes = extension.bytes.size();
      if (of.kind != AdditionKind::head_extension) {  // whose flags the block decides
        found.is_state = of.is_state && (extension.flags & format::kExtensionHashed) != 0;
        found.is_safe_to_copy = (extension.flags & format::kExtensionSafeToCopy) != 0;
      }
      add(std::move(found));
    }
  }

  void add(Addition found) {
    if (additions_.size() == kMaxListedAdditions) {
      ++left_out_;
    } else {
      additions_.push_back(std::move(found));
    }
  }

  const Reader& reader_;
  std::vector<Addition> additions_;
  std::uint64_t left_out_ = 0;
};

std::string_view kind_word(AdditionKind kind) noexcept {
  switch (kind) {
    case AdditionKind::block: return "block";
    case AdditionKind::head_extension: return "head_extension";
    case AdditionKind::database_extension: return "database_extension";
    case AdditionKind::table_extension: return "table_extension";
    case AdditionKind::field_extension: return "field_extension";
    case AdditionKind::others: break;
  }
  return "others";
}

// What an extension belongs to: "field 'hp' of table 'units'".
std::string owner_text(const Addition& extension) {
  if (extension.kind == AdditionKind::head_extension) {
    return fmt::format("the head of the block at 0x{:08x} ({})", extension.offset,
                       block_type_text(extension.block_type));
  }
  if (extension.kind == AdditionKind::database_extension) return "the database";
  std::string table = fmt::format("table '{}'", escape_text(extension.table));
  if (extension.kind == AdditionKind::table_extension) return table;
  if (extension.other_tables != 0)
    table += " and " + count_text(extension.other_tables, "other table");
  return extension.field.empty() ? "the schema of " + table
                                 : fmt::format("field '{}' of {}", extension.field, table);
}

std::string block_text(const Addition& block) {
  std::string table;
  if (!block.table.empty()) table = fmt::format(", of table '{}'", escape_text(block.table));
  if (!block.fault.empty()) table = fmt::format(", of an unknown table ({})", block.fault);
  return fmt::format("block of type {} at 0x{:08x}, {}{}, may be ignored", block.block_type,
                     block.offset, count_text(block.bytes, "byte"), table);
}

}  // namespace

std::vector<Addition> additions_of(const Reader& reader, Heads heads) {
  Collector all(reader);
  all.add_blocks(heads);
  all.add_database();
  all.add_tables();
  all.add_fields();
  return all.take();
}

std::string addition_text(const Addition& addition) {
  if (addition.kind == AdditionKind::others) return count_text(addition.count, "other addition");
  const std::string text =
      addition.kind == AdditionKind::block
          ? block_text(addition)
          : fmt::format("extension {} of {}, {}, {}part of the state", addition.tag,
                        owner_text(addition), count_text(addition.bytes, "byte"),
                        addition.is_state ? "" : "not ");
  return text + (addition.is_safe_to_copy ? ", safe to copy" : ", not safe to copy");
}

JsonObject& add_addition(const Addition& addition, JsonObject& object) {
  const AdditionKind kind = addition.kind;
  object.text("what", kind_word(kind));
  if (kind == AdditionKind::others) return object.number("count", addition.count);
  if (kind == AdditionKind::block || kind == AdditionKind::head_extension)
    object.number("block_type", addition.block_type).number("offset", addition.offset);
  if (kind != AdditionKind::block) object.number("tag", addition.tag);
  if (!addition.table.empty()) object.text("table", addition.table);
  if (!addition.fault.empty()) object.text("fault", addition.fault);
  if (kind == AdditionKind::field_extension)
    object.text("field", addition.field).number("other_tables", addition.other_tables);
  return object.number("bytes", addition.bytes)
      .boolean("state", addition.is_state)
      .boolean("safe_to_copy", addition.is_safe_to_copy);
}

void print_additions(Output& out, const std::vector<Addition>& additions) {
  for (const Addition& addition : additions) {
    out.print("  later   {}", addition_text(addition));
    if (out.closed()) return;
  }
}

std::string additions_json(const std::vector<Addition>& additions) {
  JsonArray array;
  for (const Addition& addition : additions) {
    JsonObject object;
    array.raw(add_addition(addition, object).str());
  }
  return array.str();
}

}  // namespace hdb::inspect
