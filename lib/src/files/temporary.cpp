// Temporary files: created exclusively, found again by the hash of their target's name.
#include "files/temporary.hpp"

#include <chrono>
#include <optional>

#include "files/lock_wait.hpp"
#include "hdb/bytes.hpp"
#include "hdb/hash.hpp"

namespace hdb {
namespace {

constexpr std::string_view kSuffix = ".hdb.tmp";
constexpr std::size_t kRandomDigits = 32;
constexpr std::size_t kHashDigits = 16;
constexpr int kNameAttempts = 4;
constexpr std::chrono::hours kAbandonedAfter{24};
constexpr int kMostOthers = 1000;

}  // namespace

TemporaryNames::TemporaryNames(const std::string& target_name)
    : prefix_("." + Hash128{hash64(bytes_of(target_name)), 0}.hex().substr(16) + "-") {}

bool TemporaryNames::matches(const std::string& name) const {
  return name.size() == prefix_.size() + kRandomDigits + kSuffix.size() &&
         name.starts_with(prefix_) && name.ends_with(kSuffix);
}

OsResult<std::string> TemporaryNames::make(FileSystem& files) const {
  std::byte random[16];
  const auto filled = retry_interrupted([&] { return files.random_bytes(random); });
  if (!filled) return tl::unexpected<OsError>(filled.error());
  const Hash128 number{load_le<std::uint64_t>(random), load_le<std::uint64_t>(random + 8)};
  return with(number.hex());
}

std::string TemporaryNames::with(const std::string& word) const {
  return prefix_ + word + std::string(kSuffix);
}

Result<Temporary> create_temporary(FileSystem& files, Descriptor directory,
                                   const std::string& target_name, const std::string& path) {
  const TemporaryNames names(target_name);
  OsError last;
  for (int i = 0; i < kNameAttempts; ++i) {
    auto name = names.make(files);
    if (!name) return fail(os_failure(name.error(), "making a random name", path));
    const auto file = retry_interrupted([&] { return files.create_exclusive(directory, *name); });
    if (file) {
      static_cast<void>(files.try_lock(*file));  // a mark for remove_stale_temporaries
      return Temporary{OwnedDescriptor(files, *file), std::move(*name)};
    }
    last = file.error();
    if (last.number != EEXIST) break;
  }
  return fail(os_failure(last, "creating a temporary file in the folder", path));
}

bool is_name_of_saver(std::string_view name) noexcept {
  if (!name.starts_with('.')) return false;
  if (name.ends_with(".hdb.lock")) return true;
  if (!name.ends_with(kSuffix)) return false;
  name = name.substr(1, name.size() - 1 - kSuffix.size());
  const auto is_hex = [](std::string_view text) {
    return text.find_first_not_of("0123456789abcdef") == text.npos;
  };
  if (name.size() <= kHashDigits || name[kHashDigits] != '-' ||
      !is_hex(name.substr(0, kHashDigits))) {
    return false;
  }
  const std::string_view word = name.substr(kHashDigits + 1);
  return word == "lock" || (word.size() == kRandomDigits && is_hex(word));
}

namespace {

void remove_if_abandoned(FileSystem& files, Descriptor directory, const std::string& name) {
  const auto look = [&] {
    return retry_interrupted([&] { return files.status_at(directory, name); });
  };
  const auto status = look();
  if (!status || status->kind != FileKind::regular || !is_older_than(*status, kAbandonedAfter))
    return;
  const auto opened =
      retry_interrupted([&] { return files.open_lock_file(directory, name, false); });
  if (!opened) return;
  const OwnedDescriptor file(files, *opened);  // locked until the name is gone
  const auto locked = files.try_lock(file.get());
  if (!locked && !lacks_locks(locked.error().number)) return;
  const auto held = files.status(file.get());
  const auto now = look();  // as L1 of SaveLock
  if (!held || !now || !held->same_file(*now) || !is_older_than(*now, kAbandonedAfter)) return;
  static_cast<void>(retry_interrupted([&] { return files.unlink(directory, name); }));
}

}  // namespace

void remove_stale_temporaries(FileSystem& files, Descriptor directory,
                              const std::string* locked_target) {
  const auto entries = retry_interrupted([&] { return files.list(directory); });
  if (!entries) return;
  const auto own =
      locked_target != nullptr ? std::optional<TemporaryNames>(*locked_target) : std::nullopt;
  int others = 0;
  for (const std::string& entry : *entries) {
    if (own && own->matches(entry)) {
      static_cast<void>(retry_interrupted([&] { return files.unlink(directory, entry); }));
    } else if (is_name_of_saver(entry) && ++others <= kMostOthers) {
      remove_if_abandoned(files, directory, entry);
    }
  }
}

OsResult<std::size_t> read_fully(FileSystem& files, Descriptor file, std::uint64_t offset,
                                 std::span<std::byte> out) {
  std::size_t filled = 0;
  while (filled < out.size()) {
    const auto size = retry_interrupted(
        [&] { return files.read_at(file, offset + filled, out.subspan(filled)); });
    if (!size) return size;
    if (*size == 0) break;
    filled += *size;
  }
  return filled;
}

OsStatus write_all(FileSystem& files, Descriptor file, std::span<const std::byte> bytes) {
  int empty_writes = 0;
  while (!bytes.empty()) {
    const auto size = retry_interrupted([&] { return files.write(file, bytes); });
    if (!size) return tl::unexpected<OsError>(size.error());
    if (*size == 0 && ++empty_writes > kMaxRetries) return tl::unexpected<OsError>(OsError{EIO});
    bytes = bytes.subspan(*size);
  }
  return {};
}

}  // namespace hdb
