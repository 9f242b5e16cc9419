// Files by FileSource; standard input through an unlinked temporary file.
#include "input.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "archive/place.hpp"
#include "hdb/bytes.hpp"
#include "hdb/file_system.hpp"
#include "hdb/inspect/constants.hpp"
#include "inputs.hpp"
#include "memory_limit.hpp"
#include "progress.hpp"
#include "signals.hpp"
#include "spool.hpp"
#include "system/system.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

// Whether the bytes so far can be the beginning of a save file.
bool begins_like_a_save(Spool& spool) {
  std::array<std::byte, format::kSignature.size()> first{};
  if (spool.size().value() < format::kHeaderBytes || !spool.read_at(0, first)) return true;
  return std::equal(first.begin(), first.end(), format::kSignature.begin(),
                    [](std::byte a, std::uint8_t b) { return a == std::byte{b}; });
}

Status take_standard_input(Spool& spool) {
  Bytes buffer(std::size_t{256} << 10);
  for (;;) {
    const auto got = read_standard_input(buffer);
    if (!got) return fail(Error(got.error()).in(kSpoolPlace));
    if (*got == 0) return {};
    if (spool.size().value() + *got > kMaxSpoolBytes) {
      return fail(ErrorCode::limit_exceeded,
                  fmt::format("standard input is longer than {} bytes", kMaxSpoolBytes),
                  std::string(kSpoolPlace));
    }
    if (auto stored = spool.write(std::span(buffer).first(*got)); !stored) return stored;
    // The reader refuses input that is not a save file at its first bytes.
    if (!begins_like_a_save(spool)) return {};
  }
}

Result<std::unique_ptr<ByteSource>> spool_standard_input() {
  static bool taken = false;
  if (taken) return fail(ErrorCode::bad_options, "standard input can be read only once");
  taken = true;
  auto spool = Spool::create(kSpoolPlace);
  if (!spool) return fail(std::move(spool.error()));
  if (auto filled = take_standard_input(**spool); !filled) return fail(std::move(filled.error()));
  return std::unique_ptr<ByteSource>(std::move(*spool));
}

// The URL of an archive, perhaps with a save, without `:PASSWORD` and `password=PASSWORD`.
std::string without_password(std::string url) {
  constexpr std::string_view kParameter = "password=";
  if (const std::size_t at = url.find(kParameter); at != url.npos)
    url.erase(at + kParameter.size(), url.find('&', at) - at - kParameter.size());
  const std::size_t host = url.find("://") + 3;
  const std::size_t user_end = url.find_first_of("@/?", host);
  if (user_end == url.npos || url[user_end] != '@') return url;
  const std::size_t colon = url.find(':', host);
  if (colon < user_end) url.erase(colon, user_end - colon);
  return url;
}

}  // namespace

Result<std::size_t> read_standard_input(std::span<std::byte> out) {
  for (;;) {
    if (interrupted() != 0) return fail(ErrorCode::cancelled, "interrupted");
    const std::ptrdiff_t got = read_stream(kStandardInput, out);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == EINTR) continue;
    return fail(ErrorCode::io_failed, errno == EBADF
                                          ? "standard input is closed"
                                          : fmt::format("cannot read: {}", std::strerror(errno)));
  }
}

std::string shown_name(const std::string& path) {
  if (path == "-") return "standard input";
  return is_archive_url(path) ? without_password(path) : path;
}

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

Error file_error(const std::string& path, ErrorCode code, std::string what, std::string where) {
  return {code, std::move(what), kNoOffset, std::move(where), shown_name(path)};
}

Result<std::unique_ptr<ByteSource>> open_source(const std::string& path) {
  note_input(path);
  if (path == "-") {
    auto spooled = spool_standard_input();
    if (!spooled) return fail(with_file(std::move(spooled.error()), path));
    return watched(*std::move(spooled));
  }
  if (const auto place = archive_place(path)) {
    auto archived = open_archived(*place, read_limits());
    if (archived) return watched(*std::move(archived));
    Error error = std::move(archived.error());
    return fail(error.file.empty() ? with_file(std::move(error), path) : std::move(error));
  }
  if (is_archive(path)) {
    return fail(file_error(path, ErrorCode::not_regular,
                           "it is an archive: write " + path +
                               "@WORLD/NUMBER; hdbinspect archive list shows its saves"));
  }
  auto file = FileSource::open(path);
  if (!file) return fail(with_file(std::move(file.error()), path));
  return watched(std::move(*file));
}

Result<std::shared_ptr<const Reader>> open_reader(const std::string& path,
                                                  const ReadOptions& options) {
  auto source = open_source(path);
  if (!source) return fail(std::move(source.error()));
  ReadOptions limited = options;
  limited.limits = read_limits();
  auto reader = Reader::open(std::move(*source), limited);
  if (!reader) return fail(with_file(std::move(reader.error()), path));
  return std::shared_ptr<const Reader>(std::move(*reader));
}

}  // namespace hdb::inspect
