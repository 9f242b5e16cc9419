// Opens the saves that `export` and `sql` read.
#include "input.hpp"
#include "sql/sql.hpp"

namespace hdb::inspect::sql {

std::optional<std::vector<Save>> open_saves(const Context& context,
                                            const std::vector<std::string>& files,
                                            dumping::Request request, ExitStatus& status) {
  std::vector<Save> saves;
  for (const std::string& file : files) {
    const auto reader = open_reader(file);
    if (!reader) {
      status = context.messages.error(reader.error());
      return std::nullopt;
    }
    request.file = file;
    auto selections = dumping::select(context, **reader, request, status);
    if (!selections) return std::nullopt;
    saves.push_back({file, *reader, *std::move(selections)});
  }
  return saves;
}

}  // namespace hdb::inspect::sql
