// Rows are read and written again one by one.
#include "inspect/values/keep_rows.hpp"

#include <utility>

#include "hdb/inspect/row_encoder.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb {

Status keep_rows(const Field& schema, const std::vector<bool>& keep, std::uint64_t max_values,
                 std::vector<Bytes>& columns) {
  std::vector<Bytes> kept;
  RowDecoder decoder(schema, max_values);
  RowEncoder encoder(schema);
  decoder.begin(columns);
  encoder.begin(kept);
  Value row;
  for (const bool is_kept : keep) {
    if (Status read = decoder.next(row); !read) return read;
    if (!is_kept) continue;
    if (Status put = encoder.append(row); !put) return put;
  }
  columns = std::move(kept);
  return {};
}

}  // namespace hdb
