// Lines out of dump_exact, lines into ExactImporter.
#include "exact/exact_lines.hpp"

#include "exact/importer.hpp"
#include "exact/lines.hpp"
#include "hdb/inspect/image.hpp"

namespace hdb::test {

Result<std::vector<std::string>> dumped_lines(const ImageSource& image,
                                              const std::optional<inspect::DumpedFile>& file) {
  std::vector<std::string> lines;
  const Status dumped = inspect::dump_exact(image, file, [&lines](std::string_view line) {
    lines.emplace_back(line);
    return true;
  });
  if (!dumped) return fail(dumped.error());
  return lines;
}

Result<std::unique_ptr<inspect::SpooledImage>> imported(const std::vector<std::string>& lines,
                                                        const ReadLimits& limits) {
  inspect::ExactImporter importer(limits);
  for (std::string line : lines) {
    if (Status added = importer.add_line(line.data(), line.size()); !added)
      return fail(std::move(added.error()));
  }
  return importer.finish();
}

}  // namespace hdb::test
