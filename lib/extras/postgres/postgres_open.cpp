// Opens archives in PostgreSQL databases by their URLs.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "archive/sql/sql_backend.hpp"
#include "postgres/connection.hpp"

namespace hdb {
namespace archive {
namespace {

std::vector<std::string> urls_in(std::string_view text) {
  std::vector<std::string> urls;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end != 0) urls.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return urls;
}

class PgDatabase final : public SqlDatabase {
 public:
  explicit PgDatabase(PgServer server) : server_(std::move(server)) {}
  SqlResultOf<std::unique_ptr<SqlConnection>> open(
      SqlConnection::Clock::time_point deadline) override {
    return PgConnection::open(server_, deadline);
  }
  const std::string& place() const noexcept override { return server_.place; }

 private:
  const PgServer server_;
};

}  // namespace
}  // namespace archive

Result<std::unique_ptr<ArchiveBackend>> open_archive_url(const std::string& urls,
                                                         const ArchiveOptions& options) {
  using namespace archive;
  std::vector<std::unique_ptr<SqlPool>> servers;
  for (const std::string& url : urls_in(urls)) {
    auto server = parse_server(url);
    if (!server) return fail(std::move(server.error()));
    servers.push_back(std::make_unique<SqlPool>(std::make_unique<PgDatabase>(*std::move(server)),
                                                options.patience));
  }
  if (servers.empty()) return fail(ErrorCode::bad_options, "the URL is empty");
  return open_sql_archive(std::move(servers), options.create);
}

}  // namespace hdb
