// Lists of tagged extensions: their bytes, out and in.
//
//   extensions := count varint, count * extension
//   extension  := tag u8, flags u8, size varint, bytes
#include <algorithm>

#include "hdb/byte_io.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/schema.hpp"
#include "hdb/inspect/text.hpp"

namespace hdb {
namespace {

constexpr std::size_t kMinExtensionBytes = 3;

Extension read_extension(ByteReader& in, unsigned last_tag, std::span<const std::uint8_t> known,
                         std::uint64_t max_bytes) {
  const std::uint64_t start = in.offset();
  Extension extension;
  extension.tag = in.u8();
  extension.flags = in.u8();
  const std::uint64_t size = in.varint();
  if (!in.ok()) return extension;
  const std::string name = "extension " + std::to_string(extension.tag);
  if (extension.tag <= last_tag) in.fail_at(start, name + " is not in rising order");
  if ((extension.flags & ~format::kKnownExtensionFlags) != 0)
    in.fail_at(start + 1, "reserved flags of " + name + " are set");
  if (size > max_bytes) in.fail_at(start + 2, name + " has " + std::to_string(size) + " bytes");
  if ((extension.flags & format::kExtensionCritical) != 0 && !is_known(extension.tag, known)) {
    in.fail_at(start, name + " is critical, and this version of hdb does not know it",
               ErrorCode::unknown_feature);
  }
  const auto bytes = in.raw(size);
  extension.bytes.assign(bytes.begin(), bytes.end());
  return extension;
}

}  // namespace

const Extension* find_extension(const std::vector<Extension>& extensions,
                                std::uint8_t tag) noexcept {
  const auto found =
      std::find_if(extensions.begin(), extensions.end(),
                   [tag](const Extension& extension) { return extension.tag == tag; });
  return found == extensions.end() ? nullptr : &*found;
}

bool is_known(std::uint8_t tag, std::span<const std::uint8_t> known) noexcept {
  return std::find(known.begin(), known.end(), tag) != known.end();
}

void write_extensions(const std::vector<Extension>& extensions, ByteWriter& out, bool hashed_only) {
  const auto is_written = [&](const Extension& extension) {
    return !hashed_only || (extension.flags & format::kExtensionHashed) != 0;
  };
  out.varint(
      static_cast<std::uint64_t>(std::count_if(extensions.begin(), extensions.end(), is_written)));
  for (const Extension& extension : extensions) {
    if (!is_written(extension)) continue;
    out.u8(extension.tag);
    out.u8(extension.flags);
    out.varint(extension.bytes.size());
    out.raw(extension.bytes);
  }
}

bool has_hashed_extension(const std::vector<Extension>& extensions) noexcept {
  return std::any_of(extensions.begin(), extensions.end(), [](const Extension& extension) {
    return (extension.flags & format::kExtensionHashed) != 0;
  });
}

std::vector<Extension> read_extensions(ByteReader& in, std::span<const std::uint8_t> known,
                                       std::uint64_t max_bytes) {
  const std::uint64_t start = in.offset();
  const std::uint64_t count = in.varint();
  std::vector<Extension> extensions;
  if (count > in.remaining() / kMinExtensionBytes) {
    in.fail_at(start, std::to_string(count) + " extensions do not fit here");
    return extensions;
  }
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    const unsigned last_tag = extensions.empty() ? 0 : extensions.back().tag;
    extensions.push_back(read_extension(in, last_tag, known, max_bytes));
  }
  return extensions;
}

std::string extensions_text(const std::vector<Extension>& extensions) {
  if (extensions.empty()) return "none";
  std::string text;
  for (const Extension& extension : extensions) {
    if (!text.empty()) text += ", ";
    text += extension.tag == format::kExtensionSortWork
                ? std::string("sort_work")
                : "extension " + std::to_string(extension.tag);
    text += ' ' + hex_text(extension.bytes);
  }
  return text;
}

}  // namespace hdb
