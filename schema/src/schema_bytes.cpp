// Canonical bytes of a schema, and their strict reader.
//
//   node  := kind u8, flags u8, name text, rest by kind, [extensions when flagged]
//   text  := length varint, bytes
//   rest  := struct:   [version u32 when flagged] child count varint, children
//            variant:  child count u8, children
//            array:    count varint, child
//            enum, list, optional: child          map: key, value
//            handle:   index, generation, type bits u8 u8 u8, table text
//            others:   nothing
#include <algorithm>
#include <utility>

#include "hdb/byte_io.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/schema.hpp"
#include "schema_check.hpp"

namespace hdb {
namespace {

constexpr std::uint8_t kFlagVersioned = 1;
constexpr std::uint8_t kFlagUtf8 = 2;
constexpr std::uint8_t kFlagStrong = 4;
constexpr std::uint8_t kFlagExtended = 8;
constexpr std::uint8_t kKnownFlags = kFlagVersioned | kFlagUtf8 | kFlagStrong | kFlagExtended;

class NodeReader {
 public:
  explicit NodeReader(ByteReader& in) : in_(in) {}

  Field node(std::size_t depth) {
    Field field;
    const std::uint64_t start = in_.offset();
    if (depth > format::kMaxSchemaDepth) in_.fail_at(start, "the schema is nested too deeply");
    if (++fields_ > format::kMaxSchemaFields) in_.fail_at(start, "the schema has too many fields");
    const std::uint8_t kind = in_.u8();
    field.kind = static_cast<FieldKind>(kind);
    if (in_.ok() && kind_name(field.kind) == "unknown") {
      in_.fail_at(start, "field type " + std::to_string(kind) + " is unknown");
    }
    const std::uint8_t flags = in_.u8();
    if ((flags & ~kKnownFlags) != 0) in_.fail_at(start + 1, "reserved field flags are set");
    field.versioned = (flags & kFlagVersioned) != 0;
    field.utf8_checked = (flags & kFlagUtf8) != 0;
    field.strong = (flags & kFlagStrong) != 0;
    field.name = in_.text(format::kMaxNameBytes);
    if (in_.ok()) rest(field, depth);
    if (in_.ok() && (flags & kFlagExtended) != 0) {
      field.extensions = read_extensions(in_, format::kKnownFieldExtensions);
      if (field.extensions.empty())
        in_.fail_at(start + 1, "a field has an empty list of extensions");
    }
    return field;
  }

 private:
  void rest(Field& field, std::size_t depth) {
    switch (field.kind) {
      case FieldKind::structure:
        if (field.versioned) field.class_version = in_.u32();
        return children(field, in_.varint(), depth);
      case FieldKind::variant: return children(field, in_.u8(), depth);
      case FieldKind::array: field.count = in_.varint(); return children(field, 1, depth);
      case FieldKind::enumeration:
      case FieldKind::list:
      case FieldKind::optional: return children(field, 1, depth);
      case FieldKind::map: return children(field, 2, depth);
      case FieldKind::handle:
        field.layout.index_bits = in_.u8();
        field.layout.generation_bits = in_.u8();
        field.layout.type_bits = in_.u8();
        field.table = in_.text(format::kMaxNameBytes);
        return;
      default: return;
    }
  }

  void children(Field& field, std::uint64_t count, std::size_t depth) {
    constexpr std::size_t kMinNodeBytes = 3;
    if (count > format::kMaxSchemaFields || count > in_.remaining() / kMinNodeBytes) {
      return in_.fail_here("the schema claims to have " + std::to_string(count) + " fields");
    }
    field.children.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < count && in_.ok(); ++i) field.children.push_back(node(depth + 1));
  }

  ByteReader& in_;
  std::size_t fields_ = 0;
};

}  // namespace

namespace {

// `hashed_only`: without the extensions that the state hash does not cover.
void write_node(const Field& root, ByteWriter& out, bool hashed_only) {
  const bool is_extended =
      hashed_only ? has_hashed_extension(root.extensions) : !root.extensions.empty();
  const int flags = (root.versioned ? kFlagVersioned : 0) | (root.utf8_checked ? kFlagUtf8 : 0) |
                    (root.strong ? kFlagStrong : 0) | (is_extended ? kFlagExtended : 0);
  out.u8(static_cast<std::uint8_t>(root.kind));
  out.u8(static_cast<std::uint8_t>(flags));
  out.text(root.name);
  if (root.kind == FieldKind::structure) {
    if (root.versioned) out.u32(root.class_version);
    out.varint(root.children.size());
  } else if (root.kind == FieldKind::variant) {
    out.u8(static_cast<std::uint8_t>(root.children.size()));
  } else if (root.kind == FieldKind::array) {
    out.varint(root.count);
  } else if (root.kind == FieldKind::handle) {
    out.u8(root.layout.index_bits);
    out.u8(root.layout.generation_bits);
    out.u8(root.layout.type_bits);
    out.text(root.table);
  }
  for (const Field& child : root.children) write_node(child, out, hashed_only);
  if (is_extended) write_extensions(root.extensions, out, hashed_only);
}

}  // namespace

void write_schema(const Field& root, ByteWriter& out) { write_node(root, out, false); }

Field read_schema(ByteReader& in) {
  const std::uint64_t start = in.offset();
  Field root = NodeReader(in).node(1);
  if (in.ok()) {
    std::string fault = find_schema_fault(root);
    if (!fault.empty()) in.fail_at(start, std::move(fault));
  }
  return root;
}

Hash128 schema_fingerprint(const Field& root) {
  Bytes bytes;
  ByteWriter out(bytes);
  write_node(root, out, true);
  return hash128(bytes);
}

}  // namespace hdb
