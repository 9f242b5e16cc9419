// Temporary files: created exclusively, found again by the hash of their target's name.
#include "files/temporary.hpp"

#include "hdb/bytes.hpp"
#include "hdb/hash.hpp"

namespace hdb {
namespace {

constexpr std::string_view kSuffix = ".hdb.tmp";
constexpr std::size_t kRandomDigits = 32;
constexpr int kNameAttempts = 4;

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
    if (file) return Temporary{OwnedDescriptor(files, *file), std::move(*name)};
    last = file.error();
    if (last.number != EEXIST) break;
  }
  return fail(os_failure(last, "creating a temporary file in the folder", path));
}

void remove_stale_temporaries(FileSystem& files, Descriptor directory,
                              const std::string& target_name) {
  const auto entries = retry_interrupted([&] { return files.list(directory); });
  if (!entries) return;
  const TemporaryNames names(target_name);
  for (const std::string& entry : *entries) {
    if (!names.matches(entry)) continue;
    static_cast<void>(retry_interrupted([&] { return files.unlink(directory, entry); }));
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
