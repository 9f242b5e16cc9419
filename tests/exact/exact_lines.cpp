// Lines out of dump_exact, lines into ExactImporter.
#include "exact/exact_lines.hpp"

#include "exact/importer.hpp"
#include "exact/lines.hpp"
#include "hdb/inspect/image.hpp"

namespace hdb::test {

Result<std::vector<std::string>> dumped_lines(const ImageSource& image,
                                              const std::optional<inspect::DumpedFile>& file) {
  std::string text;
  const Status dumped = inspect::dump_exact(image, file, [&text](std::string_view part) {
    text += part;
    return true;
  });
  if (!dumped) return fail(dumped.error());
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin != text.size();) {
    const std::size_t end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
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
