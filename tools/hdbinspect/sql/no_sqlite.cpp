// The calls of `export` and `sql` in builds without SQLite: errors.
#include "sql/sql.hpp"

namespace hdb::inspect::sql {
namespace {

tl::unexpected<Error> not_supported() {
  return fail(ErrorCode::archive_not_supported,
              "this build has no support for SQL: SQLite was not found");
}

}  // namespace

Result<Exported> export_to(const std::string&, const std::vector<Save>&, const Note&) {
  return not_supported();
}

Status answer(const std::vector<Save>&, const std::string&, const Answer&, const Note&) {
  return not_supported();
}

}  // namespace hdb::inspect::sql
