// Files by FileSource; standard input through an unlinked temporary file.
#include "input.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "hdb/base/bytes.hpp"
#include "hdb/database/file_source.hpp"
#include "hdb/schema/constants.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

// A file without a name: nobody else can change it, and it goes with its descriptor.
class SpooledSource final : public ByteSource {
 public:
  explicit SpooledSource(int fd) : fd_(fd) {}
  ~SpooledSource() override { ::close(fd_); }
  SpooledSource(const SpooledSource&) = delete;
  SpooledSource& operator=(const SpooledSource&) = delete;

  Status fill(int from) {
    Bytes buffer(std::size_t{256} << 10);
    for (;;) {
      const ssize_t got = ::read(from, buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EBADF)
        return fail(ErrorCode::io_failed, "it is closed", std::string(kSpoolPlace));
      if (got < 0) {
        return fail(ErrorCode::io_failed, fmt::format("cannot read: {}", std::strerror(errno)),
                    std::string(kSpoolPlace));
      }
      if (got == 0) return {};
      size_ += static_cast<std::uint64_t>(got);
      if (size_ > kMaxSpoolBytes) {
        return fail(ErrorCode::limit_exceeded, fmt::format("longer than {} bytes", kMaxSpoolBytes),
                    std::string(kSpoolPlace));
      }
      if (auto stored = store({buffer.data(), static_cast<std::size_t>(got)}); !stored)
        return stored;
      // Gigabytes that are no save file are refused at their first bytes, by the reader.
      if (!begins_like_a_save()) return {};
    }
  }

  [[nodiscard]] Result<std::uint64_t> size() override { return size_; }

  [[nodiscard]] Status read_at(std::uint64_t offset, std::span<std::byte> out) override {
    if (offset > size_ || out.size() > size_ - offset) {
      return fail(ErrorCode::truncated, "the file ends here", {}, size_);
    }
    while (!out.empty()) {
      const ssize_t got = ::pread(fd_, out.data(), out.size(), static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return fail(ErrorCode::io_failed, "cannot read the temporary file", {}, offset);
      out = out.subspan(static_cast<std::size_t>(got));
      offset += static_cast<std::uint64_t>(got);
    }
    return {};
  }

 private:
  // Whether the bytes so far can be the beginning of a save file.
  [[nodiscard]] bool begins_like_a_save() {
    std::array<std::byte, format::kSignature.size()> first{};
    if (size_ < format::kHeaderBytes || !read_at(0, first)) return true;
    return std::equal(first.begin(), first.end(), format::kSignature.begin(),
                      [](std::byte a, std::uint8_t b) { return a == std::byte{b}; });
  }

  Status store(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t put = ::write(fd_, bytes.data(), bytes.size());
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) {
        return fail(errno == ENOSPC ? ErrorCode::disk_full : ErrorCode::io_failed,
                    fmt::format("cannot write the temporary file: {}; set TMPDIR to another folder",
                                std::strerror(errno)),
                    std::string(kSpoolPlace));
      }
      bytes = bytes.subspan(static_cast<std::size_t>(put));
    }
    return {};
  }

  int fd_;
  std::uint64_t size_ = 0;
};

int open_unlinked() {
  const char* const chosen = std::getenv("TMPDIR");
  const std::string folder = chosen != nullptr && *chosen != '\0' ? chosen : "/tmp";
#ifdef O_TMPFILE
  const int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
  if (fd >= 0) return fd;
#endif
  std::string name = folder + "/hdbinspect-XXXXXX";
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

Result<std::unique_ptr<ByteSource>> spool_standard_input() {
  static bool taken = false;
  if (taken) return fail(ErrorCode::bad_options, "standard input can be read only once");
  taken = true;
  const int fd = open_unlinked();
  if (fd < 0) {
    return fail(ErrorCode::io_failed,
                fmt::format("cannot make a temporary file: {}; set TMPDIR to another folder",
                            std::strerror(errno)),
                std::string(kSpoolPlace));
  }
  auto source = std::make_unique<SpooledSource>(fd);
  if (auto filled = source->fill(STDIN_FILENO); !filled) return fail(std::move(filled.error()));
  return source;
}

}  // namespace

std::string shown_name(const std::string& path) { return path == "-" ? "standard input" : path; }

std::string json_name(const std::string& path) {
  return is_utf8(path) ? shown_name(path) : escape_text(path);
}

std::string typed_path(const std::string& path) {
  const bool like_option = path.size() > 1 && path.starts_with('-');
  return shell_word(like_option ? "./" + path : path);
}

std::string repaired_name(const std::string& path) {
  constexpr std::string_view kExtension = ".hdb";
  const bool named = path.ends_with(kExtension);
  return path.substr(0, path.size() - (named ? kExtension.size() : 0)) + ".fixed.hdb";
}

Error with_file(Error error, const std::string& path) {
  error.file = shown_name(path);
  return error;
}

Result<std::unique_ptr<ByteSource>> open_source(const std::string& path) {
  if (path == "-") {
    auto spooled = spool_standard_input();
    if (!spooled) return fail(with_file(std::move(spooled.error()), path));
    return spooled;
  }
  auto file = FileSource::open(path);
  if (!file) return fail(with_file(std::move(file.error()), path));
  return std::unique_ptr<ByteSource>(std::move(*file));
}

Result<std::shared_ptr<const Reader>> open_reader(const std::string& path,
                                                  const ReadOptions& options) {
  auto source = open_source(path);
  if (!source) return fail(std::move(source.error()));
  auto reader = Reader::open(std::move(*source), options);
  if (!reader) return fail(with_file(std::move(reader.error()), path));
  return std::shared_ptr<const Reader>(std::move(*reader));
}

}  // namespace hdb::inspect
