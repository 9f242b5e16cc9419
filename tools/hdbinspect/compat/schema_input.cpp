// Opens either form of a game's schemas.
#include "compat/schema_input.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "exact/schema_document.hpp"
#include "hdb/inspect/constants.hpp"
#include "input.hpp"
#include "memory_limit.hpp"

namespace hdb::inspect {
namespace {

Result<bool> is_save_file(ByteSource& source, std::uint64_t size) {
  std::array<std::byte, format::kSignature.size()> first{};
  if (size < first.size()) return false;
  if (Status read = source.read_at(0, first); !read) return fail(std::move(read.error()));
  return std::equal(first.begin(), first.end(), format::kSignature.begin(),
                    [](std::byte a, std::uint8_t b) { return a == std::byte{b}; });
}

Result<std::string> read_document(ByteSource& source, std::uint64_t size) {
  if (size > kMaxDocumentBytes) {
    return fail(ErrorCode::bad_schema_document,
                fmt::format("the file is not a save file, and with more than {} bytes it is too "
                            "long for a document of schemas",
                            kMaxDocumentBytes));
  }
  std::string text(static_cast<std::size_t>(size), '\0');
  if (Status read = source.read_at(0, std::as_writable_bytes(std::span(text))); !read)
    return fail(std::move(read.error()));
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos || text[begin] != '{') {
    return fail(ErrorCode::bad_schema_document,
                "the file is neither a save file nor a document of schemas");
  }
  return text;
}

Result<SchemaInput> open_either(const std::string& path) {
  auto source = open_source(path);
  if (!source) return fail(std::move(source.error()));
  const auto size = (*source)->size();
  if (!size) return fail(size.error());
  const auto is_save = is_save_file(**source, *size);
  if (!is_save) return fail(is_save.error());
  SchemaInput input;
  if (*is_save) {
    auto reader = Reader::open(*std::move(source), {read_limits(), false});
    if (!reader) return fail(std::move(reader.error()));
    input.reader = *std::move(reader);
    input.tables = schemas_of(*input.reader);
    return input;
  }
  auto text = read_document(**source, *size);
  if (!text) return fail(std::move(text.error()));
  auto tables = read_schema_document(*std::move(text));
  if (!tables) return fail(std::move(tables.error()));
  input.tables = *std::move(tables);
  return input;
}

}  // namespace

std::vector<TableSchema> schemas_of(const Reader& reader) {
  std::vector<TableSchema> schemas;
  for (const TableDescriptor& table : reader.tables())
    schemas.push_back(table_schema(table, reader.schemas()[table.schema]));
  return schemas;
}

Result<SchemaInput> open_schemas(const std::string& path) {
  auto input = open_either(path);
  if (!input) return fail(with_file(std::move(input.error()), path));
  return input;
}

}  // namespace hdb::inspect
