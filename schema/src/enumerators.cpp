// The names of enumerators in a schema: the content of the extension "enum names".
//
//   content := count varint, count * (number in the width of the enum, name text)
#include <algorithm>
#include <utility>

#include "hdb/byte_io.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/schema.hpp"
#include "schema_check.hpp"

namespace hdb {
namespace {

bool is_before(std::uint64_t a, std::uint64_t b, FieldKind integer) noexcept {
  const bool has_sign = integer >= FieldKind::i8 && integer <= FieldKind::i64;
  return has_sign ? static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b) : a < b;
}

// The number as 64 bits with its sign: what is compared and printed.
std::uint64_t extended(std::uint64_t bits, FieldKind integer) noexcept {
  switch (integer) {
    case FieldKind::i8: return static_cast<std::uint64_t>(static_cast<std::int8_t>(bits));
    case FieldKind::i16: return static_cast<std::uint64_t>(static_cast<std::int16_t>(bits));
    case FieldKind::i32: return static_cast<std::uint64_t>(static_cast<std::int32_t>(bits));
    default: return bits;
  }
}

std::uint64_t read_bits(ByteReader& in, unsigned width) {
  switch (width) {
    case 1: return in.u8();
    case 2: return in.u16();
    case 4: return in.u32();
    default: return in.u64();
  }
}

void write_bits(ByteWriter& out, std::uint64_t bits, unsigned width) {
  switch (width) {
    case 1: return out.u8(static_cast<std::uint8_t>(bits));
    case 2: return out.u16(static_cast<std::uint16_t>(bits));
    case 4: return out.u32(static_cast<std::uint32_t>(bits));
    default: return out.u64(bits);
  }
}

// The content up to its first fault, which `in` keeps.
std::vector<Enumerator> read_all(ByteReader& in, unsigned width) {
  std::vector<Enumerator> read;
  const std::uint64_t count = in.varint();
  if (count > in.remaining() / (width + 1)) in.fail_here("the list is cut off");
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    Enumerator& next = read.emplace_back();
    next.bits = read_bits(in, width);
    next.name = in.text(format::kMaxNameBytes);
  }
  in.expect_end();
  return read;
}

std::string find_name_twin(const std::vector<Enumerator>& enumerators) {
  std::vector<std::string_view> names;
  names.reserve(enumerators.size());
  for (const Enumerator& each : enumerators) names.push_back(each.name);
  std::sort(names.begin(), names.end());
  const auto twin = std::adjacent_find(names.begin(), names.end());
  return twin == names.end() ? std::string() : std::string(*twin);
}

}  // namespace

std::string enumerator_number(std::uint64_t bits, FieldKind integer) {
  const std::uint64_t number = extended(bits, integer);
  return is_before(number, 0, integer) ? std::to_string(static_cast<std::int64_t>(number))
                                       : std::to_string(number);
}

std::string find_enumerators_fault(const Field& field) {
  const Extension* const extension = find_extension(field.extensions, format::kExtensionEnumNames);
  if (extension == nullptr) return {};
  if (field.kind != FieldKind::enumeration) return "only an enum can name its values";
  if (extension->flags != format::kExtensionSafeToCopy)
    return "the names of its values have flags " + std::to_string(extension->flags);
  if (extension->bytes.size() > format::kMaxExtensionBytes) {
    return "the names of its values take " + std::to_string(extension->bytes.size()) +
           " bytes, more than " + std::to_string(format::kMaxExtensionBytes);
  }
  ByteReader in(extension->bytes);
  const std::vector<Enumerator> read = read_all(in, fixed_width(field));
  if (!in.ok()) return "the names of its values: " + in.error().what;
  if (read.empty()) return "its list of names of values is empty";
  const FieldKind integer = field.children.front().kind;
  for (std::size_t i = 0; i < read.size(); ++i) {
    const std::string number = enumerator_number(read[i].bits, integer);
    if (std::string what = find_name_fault(read[i].name); !what.empty())
      return "its value " + number + ": " + what;
    if (i == 0) continue;
    if (read[i - 1].bits == read[i].bits) {
      return "its value " + number + " has two names, '" + read[i - 1].name + "' and '" +
             read[i].name + "'";
    }
    if (!is_before(extended(read[i - 1].bits, integer), extended(read[i].bits, integer), integer))
      return "its value " + number + " is not in rising order";
  }
  if (const std::string twin = find_name_twin(read); !twin.empty())
    return "two of its values are named '" + twin + "'";
  return {};
}

std::vector<Enumerator> enumerators_of(const Field& field) {
  const Extension* const extension = find_extension(field.extensions, format::kExtensionEnumNames);
  if (extension == nullptr || field.kind != FieldKind::enumeration) return {};
  ByteReader in(extension->bytes);
  std::vector<Enumerator> read = read_all(in, fixed_width(field));
  if (!in.ok()) read.clear();
  return read;
}

void set_enumerators(Field& field, std::vector<Enumerator> enumerators) {
  std::erase_if(field.extensions, [](const Extension& extension) {
    return extension.tag == format::kExtensionEnumNames;
  });
  if (enumerators.empty()) return;
  const FieldKind integer = field.children.empty() ? FieldKind::u64 : field.children.front().kind;
  std::stable_sort(enumerators.begin(), enumerators.end(), [&](const auto& a, const auto& b) {
    return is_before(extended(a.bits, integer), extended(b.bits, integer), integer);
  });
  Extension names{format::kExtensionEnumNames, format::kExtensionSafeToCopy, {}};
  ByteWriter out(names.bytes);
  out.varint(enumerators.size());
  for (const Enumerator& each : enumerators) {
    write_bits(out, each.bits, fixed_width(field));
    out.text(each.name);
  }
  const auto place =
      std::find_if(field.extensions.begin(), field.extensions.end(),
                   [](const Extension& each) { return each.tag > format::kExtensionEnumNames; });
  field.extensions.insert(place, std::move(names));
}

std::string enumerators_text(const Field& field) {
  std::string text;
  for (const Enumerator& each : enumerators_of(field)) {
    if (!text.empty()) text += ", ";
    text += each.name + ' ' + enumerator_number(each.bits, field.children.front().kind);
  }
  return text;
}

std::string_view enumerator_name(const Field& field, std::uint64_t bits) noexcept {
  if (field.kind != FieldKind::enumeration) return {};
  const Extension* const extension = find_extension(field.extensions, format::kExtensionEnumNames);
  if (extension == nullptr) return {};
  const unsigned width = fixed_width(field);
  const std::byte* at = extension->bytes.data();
  const std::byte* const end = at + extension->bytes.size();
  std::uint64_t count = 0;
  at = load_varint(at, end, count);
  for (; at != nullptr && count != 0 && static_cast<std::uint64_t>(end - at) > width; --count) {
    std::uint64_t number = 0;
    for (unsigned i = width; i-- > 0;) number = number << 8 | std::to_integer<unsigned>(at[i]);
    std::uint64_t size = 0;
    at = load_varint(at + width, end, size);
    if (at == nullptr || size > static_cast<std::uint64_t>(end - at)) break;
    if (number == bits) return {reinterpret_cast<const char*>(at), static_cast<std::size_t>(size)};
    at += size;
  }
  return {};
}

}  // namespace hdb
