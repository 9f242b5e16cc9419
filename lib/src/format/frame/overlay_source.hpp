// A source with a few bytes replaced in memory: rebuilt block heads, wrong bytes of indexes.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "format/frame/frame.hpp"
#include "hdb/io.hpp"

namespace hdb::format {

/// The file is never written. `patch` must not run beside reads.
class OverlaySource final : public ByteSource {
 public:
  OverlaySource(std::unique_ptr<ByteSource> source, std::uint64_t file_bytes)
      : source_(std::move(source)), file_bytes_(file_bytes) {}

  /// The readable bytes: the file, and zeros after it, so that a block whose padding is cut off is
  /// whole.
  [[nodiscard]] std::uint64_t readable_bytes() const noexcept { return file_bytes_ + kAlignment; }
  [[nodiscard]] Result<std::uint64_t> size() override { return readable_bytes(); }

  /// Replaces bytes from `offset` on. Requires: at most kBlockHeadBytes of them.
  void patch(std::uint64_t offset, std::span<const std::byte> bytes) {
    patches_[offset].assign(bytes.begin(), bytes.end());
  }

  [[nodiscard]] Status read_at(std::uint64_t offset, std::span<std::byte> out) override {
    if (offset > readable_bytes() || out.size() > readable_bytes() - offset) {
      return fail(ErrorCode::truncated,
                  std::to_string(out.size()) + " bytes are needed after the end of the file", {},
                  offset);
    }
    const std::uint64_t there = offset < file_bytes_ ? file_bytes_ - offset : 0;
    const auto front =
        out.first(static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), there)));
    if (!front.empty()) {
      if (Status status = source_->read_at(offset, front); !status) return status;
    }
    std::fill(out.begin() + static_cast<std::ptrdiff_t>(front.size()), out.end(), std::byte{0});
    const std::uint64_t end = offset + out.size();
    for (auto at = patches_.lower_bound(offset < kBlockHeadBytes ? 0 : offset - kBlockHeadBytes);
         at != patches_.end() && at->first < end; ++at) {
      const std::uint64_t patch_end = at->first + at->second.size();
      const std::uint64_t from = std::max(offset, at->first);
      const std::uint64_t to = std::min(end, patch_end);
      if (from >= to) continue;
      std::copy_n(at->second.begin() + static_cast<std::ptrdiff_t>(from - at->first),
                  static_cast<std::size_t>(to - from),
                  out.begin() + static_cast<std::ptrdiff_t>(from - offset));
    }
    return {};
  }

 private:
  std::unique_ptr<ByteSource> source_;
  std::uint64_t file_bytes_;
  std::map<std::uint64_t, Bytes> patches_;
};

}  // namespace hdb::format
