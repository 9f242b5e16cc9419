// Files of an archive, out and in.
#include "archive/pack_file.hpp"

#include <algorithm>
#include <utility>

#include "files/save_lock.hpp"

namespace hdb::archive {
namespace {

constexpr std::array<std::uint8_t, 8> kHeaderMagic{0x8a, 'H', 'D', 'B', 'P', 'A', 'K', '\n'};
constexpr std::array<std::uint8_t, 8> kFooterMagic{'H', 'D', 'B', 'P', 'E', 'N', 'D', '\n'};
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeadBytes = 64;
constexpr std::size_t kFootBytes = 64;
static_assert(kHeadBytes + kFootBytes == kPackFrameBytes);
constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
// What is read of the end of a file at first, in the hope that index and manifest lie within.
constexpr std::size_t kFirstRead = 8192;
constexpr std::uint64_t kMostTailBytes = std::uint64_t{1} << 32;

tl::unexpected<Error> damaged(std::string what, const std::string& path,
                              std::uint64_t offset = kNoOffset) {
  return fail(Error{ErrorCode::bad_archive, std::move(what), offset, {}, path});
}

void seal(Bytes& bytes) {
  ByteWriter out(bytes);
  bytes.resize(kHeadBytes - 8);
  out.u64(hash64(bytes));
}

bool seal_holds(std::span<const std::byte> bytes) {
  return hash64(bytes.first(kHeadBytes - 8)) ==
         load_le<std::uint64_t>(bytes.data() + kHeadBytes - 8);
}

bool begins_with(std::span<const std::byte> bytes, const std::array<std::uint8_t, 8>& magic) {
  const auto wanted = std::as_bytes(std::span(magic));
  return std::equal(wanted.begin(), wanted.end(), bytes.begin());
}

Status read_exactly(FileSystem& files, Descriptor file, std::uint64_t offset,
                    std::span<std::byte> out, const std::string& path) {
  const auto got = read_fully(files, file, offset, out);
  if (!got) return fail(os_failure(got.error(), "reading", path));
  if (*got == out.size()) return {};
  return damaged("the file ends too early", path, offset + *got);
}

Bytes encode_header(const Hash128& archive_id) {
  Bytes bytes;
  ByteWriter out(bytes);
  out.raw(std::as_bytes(std::span(kHeaderMagic)));
  out.u32(kVersion);
  out.u32(0);
  out.u64(archive_id.low);
  out.u64(archive_id.high);
  seal(bytes);
  return bytes;
}

}  // namespace

// --- in

Result<PackIndex> read_pack_index(FileSystem& files, Descriptor file, const std::string& path) {
  const auto status = retry_interrupted([&] { return files.status(file); });
  if (!status) return fail(os_failure(status.error(), "reading the status", path));
  const std::uint64_t size = status->size_bytes;
  if (size < kPackFrameBytes) return damaged("the file is too short", path, size);
  const std::uint64_t first = std::min<std::uint64_t>(size, kFirstRead);
  Bytes tail(static_cast<std::size_t>(first));
  if (Status read = read_exactly(files, file, size - first, tail, path); !read)
    return fail(std::move(read.error()));
  const auto foot = std::span<const std::byte>(tail).last(kFootBytes);
  ByteReader in(foot, size - kFootBytes, ErrorCode::bad_archive);
  PackIndex index;
  index.inode = status->inode;
  const std::uint64_t count = in.u64();
  const std::uint64_t manifest_bytes = in.u64();
  index.file_bytes = in.u64();
  const std::uint64_t hash = in.u64();
  if (!seal_holds(foot) || !begins_with(foot.subspan(32), kFooterMagic))
    return damaged("the footer is not sound", path, size - kFootBytes);
  const std::uint64_t room = size - kPackFrameBytes;
  if (index.file_bytes != size || count > room / kPackIndexEntryBytes || manifest_bytes > room ||
      count * kPackIndexEntryBytes + manifest_bytes > room) {
    return damaged("the sizes in the footer do not fit the file", path, size - kFootBytes);
  }
  const std::uint64_t wanted = count * kPackIndexEntryBytes + manifest_bytes;
  if (wanted > kMostTailBytes) return damaged("the index is too large", path, size - kFootBytes);
  index.manifest_offset = size - kFootBytes - wanted;
  if (wanted + kFootBytes > tail.size()) {
    tail.resize(static_cast<std::size_t>(wanted + kFootBytes));
    if (Status read = read_exactly(files, file, index.manifest_offset, tail, path); !read)
      return fail(std::move(read.error()));
  }
  const auto body = std::span<const std::byte>(tail)
                        .last(static_cast<std::size_t>(wanted + kFootBytes))
                        .first(static_cast<std::size_t>(wanted));
  if (hash64(body) != hash)
    return damaged("the hash of manifest and index does not match", path, index.manifest_offset);
  const auto manifest = body.first(static_cast<std::size_t>(manifest_bytes));
  index.manifest.assign(manifest.begin(), manifest.end());
  const std::byte* at = body.data() + manifest.size();
  std::uint64_t offset = kHeadBytes;
  index.objects.resize(static_cast<std::size_t>(count));
  for (PackedObject& object : index.objects) {
    std::copy_n(at, object.id.size(), object.id.begin());
    object.offset = offset;
    object.bytes = load_le<std::uint32_t>(at + 32);
    object.hash = load_le<std::uint64_t>(at + 36);
    offset += object.bytes;
    at += kPackIndexEntryBytes;
  }
  if (offset != index.manifest_offset)
    return damaged("the objects do not fill the file", path, index.manifest_offset);
  return index;
}

Status check_pack_header(FileSystem& files, Descriptor file, const Hash128& archive_id,
                         const std::string& path) {
  std::array<std::byte, kHeadBytes> bytes;
  if (Status read = read_exactly(files, file, 0, bytes, path); !read) return read;
  if (!begins_with(bytes, kHeaderMagic) || !seal_holds(bytes))
    return damaged("the header is not sound", path, 0);
  ByteReader in(bytes, 0, ErrorCode::bad_archive);
  in.raw(kHeaderMagic.size());
  const std::uint32_t version = in.u32();
  if (version != kVersion) {
    return fail(
        Error{ErrorCode::newer_version,
              "the file has version " + std::to_string(version) + "; this version of hdb reads 1",
              8,
              {},
              path});
  }
  if (in.u32() != 0) return damaged("reserved bytes are not zero", path, 12);
  Hash128 id;
  id.low = in.u64();
  id.high = in.u64();
  in.zero_padding_to(kHeadBytes - 8);
  if (id != archive_id) {
    return fail(Error{ErrorCode::foreign_archive,
                      "the file belongs to the archive " + id.hex() + ", and not to this one",
                      16,
                      {},
                      path});
  }
  return {};
}

Result<Bytes> read_packed(FileSystem& files, Descriptor file, const PackedObject& object,
                          const std::string& path) {
  Bytes bytes(object.bytes);
  if (Status read = read_exactly(files, file, object.offset, bytes, path); !read)
    return fail(std::move(read.error()));
  if (hash64(bytes) != object.hash) {
    return fail(Error{ErrorCode::bad_archive, "the hash of an object does not match", object.offset,
                      key_of(object.id), path});
  }
  return bytes;
}

// --- out

Result<std::unique_ptr<PackWriter>> PackWriter::create(FileSystem& files, Descriptor folder,
                                                       const Hash128& archive_id,
                                                       const std::string& path) {
  std::unique_ptr<PackWriter> writer(new PackWriter(files, folder, path));
  auto temporary = create_temporary(files, folder, kTemporaryTarget, path);
  if (!temporary) return fail(std::move(temporary.error()));
  writer->temporary_ = std::move(*temporary);
  if (Status status = writer->append(encode_header(archive_id)); !status)
    return fail(std::move(status.error()));
  return writer;
}

PackWriter::~PackWriter() {
  static_cast<void>(temporary_.file.close());
  if (temporary_.name.empty()) return;
  static_cast<void>(retry_interrupted([&] { return files_.unlink(folder_, temporary_.name); }));
}

Status PackWriter::write_out() {
  const auto written = write_all(files_, temporary_.file.get(), buffer_);
  buffer_.clear();
  if (written) return {};
  return fail(os_failure(written.error(), "writing a file of the archive", path_));
}

Status PackWriter::append(std::span<const std::byte> bytes) {
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  size_ += bytes.size();
  return buffer_.size() < kBufferBytes ? Status() : write_out();
}

Status PackWriter::add(const ObjectId& id, std::span<const std::byte> bytes) {
  if (bytes.size() > 0xffffffffU)
    return fail(ErrorCode::limit_exceeded, "an object has more than 4 GiB", {}, kNoOffset);
  index_.objects.push_back({id, size_, static_cast<std::uint32_t>(bytes.size()), hash64(bytes)});
  return append(bytes);
}

Result<bool> PackWriter::finish(std::span<const std::byte> manifest, const std::string& name,
                                Name how) {
  index_.manifest_offset = size_;
  index_.manifest.assign(manifest.begin(), manifest.end());
  Bytes tail(manifest.begin(), manifest.end());
  ByteWriter out(tail);
  for (const PackedObject& object : index_.objects) {
    out.raw(object.id);
    out.u32(object.bytes);
    out.u64(object.hash);
  }
  index_.file_bytes = size_ + tail.size() + kFootBytes;
  Bytes foot;
  ByteWriter end(foot);
  end.u64(index_.objects.size());
  end.u64(manifest.size());
  end.u64(index_.file_bytes);
  end.u64(hash64(tail));
  end.raw(std::as_bytes(std::span(kFooterMagic)));
  seal(foot);
  Status status = append(tail);
  if (status) status = append(foot);
  if (status) status = write_out();
  if (!status) return fail(std::move(status.error()));
  const Descriptor file = temporary_.file.get();
  if (const auto mode = retry_interrupted([&] { return files_.new_file_mode(folder_); }))
    static_cast<void>(retry_interrupted([&] { return files_.set_mode(file, *mode); }));
  if (const auto synced = files_.sync_file(file); !synced)
    return fail(os_failure(synced.error(), "syncing a file of the archive", path_));
  const auto written = retry_interrupted([&] { return files_.status(file); });
  if (!written)
    return fail(os_failure(written.error(), "reading the status of a file of the archive", path_));
  index_.inode = written->inode;
  if (const auto closed = temporary_.file.close(); !closed)
    return fail(os_failure(closed.error(), "closing a file of the archive", path_));
  if (how == Name::replace) {
    const auto renamed =
        retry_interrupted([&] { return files_.rename(folder_, temporary_.name, name); });
    if (!renamed) return fail(os_failure(renamed.error(), "renaming to '" + name + "'", path_));
    temporary_.name.clear();
    return true;
  }
  // The destructor removes the temporary name.
  return name_if_absent(files_, folder_, temporary_.name, name, path_);
}

}  // namespace hdb::archive
