// Lines of a whole image, one row group in memory at a time.
#include "exact/lines.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "hdb/inspect/schema.hpp"
#include "hdb/inspect/text.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb::inspect {
namespace {

class ExactDump {
 public:
  ExactDump(const ImageSource& image, const std::function<bool(std::string_view)>& take)
      : image_(image),
        take_(take),
        values_(HandleNamer(image.tables()), JsonValueWriter::Form::exact, [this] { spill(); }) {}

  Status run(const std::optional<DumpedFile>& file) {
    if (auto begun = begin(); !begun) return begun;
    for (std::size_t i = 0; i < image_.tables().size() && !stopped_; ++i) {
      if (auto dumped = dump_slots(i); !dumped) return dumped;
      if (auto dumped = dump_free_list(i); !dumped) return dumped;
    }
    end_.file = file;
    line(end_line(end_));
    return {};
  }

 private:
  void part(std::string_view text) {
    if (!stopped_) stopped_ = !take_(text);
  }
  void line(std::string text) { part(text += '\n'); }

  // What an import would refuse is not written on.
  void spill() {
    spilled_bytes_ += text_.size();
    values_written_ += values_.take_count();
    if (!is_too_large()) part(text_);
    text_.clear();
  }
  [[nodiscard]] bool is_too_large() const noexcept {
    return values_written_ + 16 > JsonDocument::kMaxValues ||
           spilled_bytes_ + text_.size() >= JsonDocument::kMaxBytes;
  }

  Status begin() {
    const auto blocks = image_.ancillary_blocks();
    if (!blocks) return fail(blocks.error());
    const std::span<const std::byte> thumbnail(image_.thumbnail());
    line(header_line({image_.metadata(), thumbnail.size(), image_.schemas().size(),
                      image_.tables().size(), blocks->size(), image_.database()}));
    for (std::size_t at = 0; at < thumbnail.size(); at += kThumbnailPieceBytes) {
      const auto piece =
          thumbnail.subspan(at, std::min(kThumbnailPieceBytes, thumbnail.size() - at));
      line(thumbnail_line(at, piece));
    }
    for (std::size_t i = 0; i < image_.schemas().size(); ++i)
      line(schema_line(i, image_.schemas()[i]));
    for (const TableDescriptor& table : image_.tables()) line(table_line(table));
    for (const AncillaryBlock& block : *blocks) line(block_line(block));
    return {};
  }

  Status dump_slots(std::size_t index) {
    const TableDescriptor& table = image_.tables()[index];
    const std::string begin =
        fmt::format("{{\"type\":\"{}\",\"v\":1,\"table\":{},\"slot\":", line_type::kSlot,
                    json_text(table.name));
    // Groups were checked when they were read; a record may have as many values as its columns
    // hold.
    RowDecoder decoder(image_.schemas()[table.schema], JsonDocument::kMaxValues);
    for (std::uint64_t number = 0; number < table.group_count() && !stopped_; ++number) {
      if (auto read = image_.read_group(index, number, false, group_); !read) return read;
      decoder.begin(group_.columns);
      if (auto dumped = dump_group(table, begin, decoder); !dumped) return dumped;
    }
    return {};
  }

  Status dump_group(const TableDescriptor& table, const std::string& begin, RowDecoder& decoder) {
    std::size_t rank = 0;
    for (std::size_t i = 0; i < group_.states.size() && !stopped_; ++i) {
      const std::uint64_t slot = group_.first_slot + i;
      const auto state = static_cast<SlotState>(group_.states[i]);
      text_ = begin;
      fmt::format_to(std::back_inserter(text_), "{},\"state\":\"{}\",\"generation\":{}", slot,
                     state_name(state), group_.generations[i]);
      if (state == SlotState::live) {
        if (table.policy.storage == Storage::dense)
          fmt::format_to(std::back_inserter(text_), ",\"position\":{}", group_.positions[rank++]);
        const std::string handle = handle_name(table, slot, group_.generations[i]);
        if (auto read = decoder.next(record_); !read)
          return fail(std::move(read.error()).in(handle));
        text_ += ",\"fields\":";
        spilled_bytes_ = values_written_ = 0;
        values_.append(record_, text_);
        values_written_ += values_.take_count();
        if (is_too_large())
          return fail(ErrorCode::limit_exceeded, "the record is too large for one line", handle);
        ++end_.records;
      }
      text_ += "}\n";
      part(text_);
      ++end_.slots;
    }
    return {};
  }

  Status dump_free_list(std::size_t index) {
    const TableDescriptor& table = image_.tables()[index];
    std::vector<std::uint32_t> slots;
    for (std::uint64_t first = 0; first < table.listed_count() && !stopped_;
         first += slots.size()) {
      slots.resize(static_cast<std::size_t>(
          std::min<std::uint64_t>(kFreeListPieceSlots, table.listed_count() - first)));
      if (auto read = image_.read_free_list(index, first, slots); !read) return read;
      line(free_list_line(table, first, slots));
    }
    return {};
  }

  const ImageSource& image_;
  const std::function<bool(std::string_view)>& take_;
  JsonValueWriter values_;
  ExactEnd end_;
  RowGroup group_;
  Value record_;
  std::string text_;  // of the line at hand, what was not given to `take_`
  std::uint64_t spilled_bytes_ = 0;
  std::uint64_t values_written_ = 0;
  bool stopped_ = false;
};

}  // namespace

Status dump_exact(const ImageSource& image, const std::optional<DumpedFile>& file,
                  const std::function<bool(std::string_view)>& take) {
  return ExactDump(image, take).run(file);
}

}  // namespace hdb::inspect
