// Any lines as an exact dump: import never crashes, and what it accepts can be written, dumped and
// imported again to the same bytes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "exact/exact_lines.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"
#include "require.hpp"
#include "subject.hpp"

namespace hdb::fuzz {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// What the image is in a file; empty when the file as a whole is refused.
Bytes file_of(const ImageSource& image) {
  WriteOptions options;
  options.codec = Codec::none;
  options.limits = small_limits();
  options.file_id = Hash128{1, 2};  // so that equal images make equal files
  MemorySink sink;
  const auto report = write_image(image, sink, options);
  if (report) return sink.take();
  const ErrorCode code = report.error().code;
  require(code != ErrorCode::bad_slots && code != ErrorCode::bad_free_list &&
              code != ErrorCode::bad_dense_order && code != ErrorCode::invalid_value &&
              code != ErrorCode::bad_lengths && code != ErrorCode::bad_names &&
              code != ErrorCode::bad_blobs,
          "X1: what import accepts is sound:", report.error().message().c_str());
  return {};
}

void check_again(const Bytes& file) {
  auto opened = Reader::open(std::make_unique<MemorySource>(file), {small_limits(), true});
  require(opened.has_value(),
          "X1: an imported file opens:", opened ? "" : opened.error().message().c_str());
  const std::shared_ptr<const Reader> reader = *std::move(opened);
  const auto lines = test::dumped_lines(
      *image_of(reader), inspect::DumpedFile{reader->info().state_hash, reader->info().file_id});
  require(lines.has_value(),
          "X2: an imported file can be dumped:", lines ? "" : lines.error().message().c_str());
  const auto back = test::imported(*lines, small_limits());
  require(back.has_value(),
          "X2: its dump is imported:", back ? "" : back.error().message().c_str());
  require(file_of(**back) == file, "X2: to the same bytes");
}

}  // namespace
}  // namespace hdb::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hdb::fuzz;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto image = hdb::test::imported(lines_of(text), small_limits());
  if (!image) {
    require(!image.error().message().empty(), "F1: a refusal says why");
    return 0;
  }
  const hdb::Bytes file = file_of(**image);
  if (!file.empty()) check_again(file);
  return 0;
}
