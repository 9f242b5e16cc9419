// Objects out and in.
#include "archive/object.hpp"

#include <algorithm>
#include <cstring>

#include "base/using_detail.hpp"
#include "format/columns/filter.hpp"
#include "hdb/hash.hpp"

namespace hdb::archive {
namespace {

using format::Filter;

constexpr std::size_t kWholeHeadBytes = 16;
constexpr std::size_t kDifferenceHeadBytes = kWholeHeadBytes + 6 + detail::kBlake2bBytes;
// Smaller payloads are stored as they are.
constexpr std::size_t kMinCompressedBytes = 32;
// A difference of less than this part of the raw bytes is taken without a look at the whole object.
constexpr std::size_t kClearlySmaller = 8;
// Runs of fewer bytes are not worth a look at what a frame would take.
constexpr std::size_t kSmallPayload = 256;
// Nor are objects of which a smaller part differs: numbers change in their places, single bytes
// (texts, packs, whole blocks) also move.
constexpr std::size_t moved_part(unsigned width) noexcept { return width == 1 ? 256 : 4; }

constexpr char kDigits[] = "0123456789abcdef";

tl::unexpected<Error> malformed(const char* what) {
  return fail(ErrorCode::bad_archive, std::string("an object is malformed: ") + what);
}

// What the first byte of an object says.
enum class Form : std::uint8_t { whole = 0, runs = 1, frame = 2 };

void store_head(std::byte* to, Form form, Filter filter, Codec codec, unsigned width,
                std::span<const std::byte> raw) {
  to[0] = static_cast<std::byte>(form);
  to[1] = static_cast<std::byte>(filter);
  to[2] = static_cast<std::byte>(codec);
  to[3] = static_cast<std::byte>(width);
  store_le(to + 4, static_cast<std::uint32_t>(raw.size()));
  store_le(to + 8, hash64(raw));
}

void append(Bytes& out, std::span<const std::byte> bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

void append_varint(Bytes& out, std::uint64_t value) {
  std::byte bytes[kMaxVarintBytes];
  append(out, std::span(bytes).first(store_varint(bytes, value)));
}

bool is_width(unsigned width) { return width == 1 || width == 2 || width == 4 || width == 8; }

}  // namespace

ObjectKey key_of(const ObjectId& id) {
  ObjectKey key(kChunkKeys);
  key.reserve(key.size() + 2 * id.size());
  for (const std::byte byte : id) {
    key += kDigits[std::to_integer<unsigned>(byte) >> 4];
    key += kDigits[std::to_integer<unsigned>(byte) & 15];
  }
  return key;
}

std::optional<ObjectId> id_of(std::string_view key) noexcept {
  ObjectId id;
  if (!key.starts_with(kChunkKeys)) return std::nullopt;
  key.remove_prefix(kChunkKeys.size());
  if (key.size() != 2 * id.size()) return std::nullopt;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const char* const end = kDigits + 16;
    const char* const digit = std::find(kDigits, end, key[i]);
    if (digit == end) return std::nullopt;
    const auto value = static_cast<unsigned>(digit - kDigits);
    id[i / 2] = static_cast<std::byte>(i % 2 == 0 ? value << 4
                                                  : std::to_integer<unsigned>(id[i / 2]) | value);
  }
  return id;
}

Result<StoredObject> parse_object(std::span<const std::byte> stored) {
  if (stored.size() < kWholeHeadBytes) return malformed("it is too short");
  StoredObject object;
  const auto form = std::to_integer<unsigned>(stored[0]);
  const auto filter = std::to_integer<unsigned>(stored[1]);
  const auto codec = std::to_integer<unsigned>(stored[2]);
  object.width = std::to_integer<unsigned>(stored[3]);
  object.raw_bytes = load_le<std::uint32_t>(stored.data() + 4);
  object.raw_hash = load_le<std::uint64_t>(stored.data() + 8);
  if (form > static_cast<unsigned>(Form::frame)) return malformed("its form is unknown");
  if (filter > static_cast<unsigned>(Filter::delta_shuffle)) return malformed("its filter is");
  if (codec > static_cast<unsigned>(Codec::zstd)) return malformed("its codec is unknown");
  if (!is_width(object.width)) return malformed("its width is not 1, 2, 4 or 8");
  object.filter = static_cast<Filter>(filter);
  object.codec = static_cast<Codec>(codec);
  object.is_difference = form != static_cast<unsigned>(Form::whole);
  object.is_frame = form == static_cast<unsigned>(Form::frame);
  if (!object.is_difference) {
    if (!format::filter_fits(object.filter, object.raw_bytes, object.width))
      return malformed("its filter does not fit its size");
    object.payload = stored.subspan(kWholeHeadBytes);
    return object;
  }
  if (stored.size() < kDifferenceHeadBytes) return malformed("it is too short");
  if (object.filter != Filter::none) return malformed("a difference has a filter");
  const std::byte* at = stored.data() + kWholeHeadBytes;
  object.step = load_le<std::uint16_t>(at);
  object.content_bytes = load_le<std::uint32_t>(at + 2);
  std::memcpy(object.base.data(), at + 6, object.base.size());
  object.payload = stored.subspan(kDifferenceHeadBytes);
  if (object.step == 0 || object.step >= kChainLength)
    return malformed("its place in the chain is not possible");
  if (object.raw_bytes > kMaxDifferenceBytes || object.content_bytes > 4 * kMaxDifferenceBytes)
    return malformed("it is larger than a difference may be");
  if (object.is_frame && (object.raw_bytes > kMaxFrameBytes ||
                          object.content_bytes != object.raw_bytes || object.codec != Codec::zstd))
    return malformed("it is not a frame that refers to another object");
  return object;
}

// --- out

void ObjectEncoder::encode_whole(std::span<const std::byte> raw, unsigned width, Bytes& out) {
  if (raw.size() % width != 0) width = 1;
  const Filter filter = format::choose_filter(raw, width);
  const std::size_t size = format::filtered_size(filter, raw.size(), width);
  std::span<const std::byte> filtered = raw;
  std::size_t plane_bytes = 0;
  if (filter != Filter::none) {
    format::apply_filter(filter, raw, width, filtered_.reset(size));
    filtered = filtered_.bytes();
    if (filter == Filter::shuffle || filter == Filter::delta_shuffle) plane_bytes = size / width;
  }
  compressed_.clear();
  const bool compresses = filtered.size() >= kMinCompressedBytes &&
                          compressor_.compress(filtered, plane_bytes, compressed_);
  out.resize(kWholeHeadBytes);
  store_head(out.data(), Form::whole, filter, compresses ? Codec::zstd : Codec::none, width, raw);
  append(out, compresses ? compressed_.bytes() : filtered);
}

// Runs of values that differ, and those values XORed with the base's.
template <class T>
void ObjectEncoder::find_runs(std::span<const std::byte> raw, std::span<const std::byte> base) {
  runs_.clear();
  values_.clear();
  run_count_ = 0;
  const std::size_t count = std::min(raw.size(), base.size()) / sizeof(T);
  const std::byte* const a = raw.data();
  const std::byte* const b = base.data();
  const auto difference = [&](std::size_t i) {
    return static_cast<T>(load_le<T>(a + i * sizeof(T)) ^ load_le<T>(b + i * sizeof(T)));
  };
  constexpr std::size_t kStride = 64;
  std::size_t end_of_last = 0;
  for (std::size_t i = 0; i < count;) {
    // Long equal parts at the speed of memory.
    while (i + kStride <= count &&
           std::memcmp(a + i * sizeof(T), b + i * sizeof(T), kStride * sizeof(T)) == 0)
      i += kStride;
    while (i < count && difference(i) == 0) ++i;
    if (i == count) break;
    const std::size_t begin = i;
    for (T value = 0; i < count && (value = difference(i)) != 0; ++i) {
      std::byte bytes[sizeof(T)];
      store_le(bytes, value);
      append(values_, bytes);
    }
    append_varint(runs_, begin - end_of_last);
    append_varint(runs_, i - begin);
    end_of_last = i;
    ++run_count_;
  }
}

void ObjectEncoder::gather_runs(std::span<const std::byte> raw, unsigned width,
                                std::span<const std::byte> base) {
  switch (width) {
    case 2: find_runs<std::uint16_t>(raw, base); break;
    case 4: find_runs<std::uint32_t>(raw, base); break;
    case 8: find_runs<std::uint64_t>(raw, base); break;
    default: find_runs<std::uint8_t>(raw, base); break;
  }
  const std::size_t common = std::min(raw.size(), base.size()) / width * width;
  content_.clear();
  append_varint(content_, run_count_);
  append(content_, runs_);
  const std::size_t values_at = content_.size();
  content_.resize(values_at + values_.size());
  const std::size_t changed = values_.size() / width;
  format::shuffle(values_.data(), changed, width, content_.data() + values_at, changed);
  append(content_, raw.subspan(common));
}

void ObjectEncoder::encode_difference(std::span<const std::byte> raw, unsigned width,
                                      std::span<const std::byte> base, const ObjectId& base_id,
                                      unsigned step, Bytes& out) {
  gather_runs(raw, width, base);
  compressed_.clear();
  bool compresses =
      content_.size() >= kMinCompressedBytes && compressor_.compress(content_, 0, compressed_);
  Form form = Form::runs;
  const std::span<const std::byte> runs = compresses ? compressed_.bytes() : content_;
  payload_.assign(runs.begin(), runs.end());
  auto content_bytes = static_cast<std::uint32_t>(content_.size());
  if (payload_.size() >= kSmallPayload && values_.size() >= raw.size() / moved_part(width) &&
      raw.size() <= kMaxFrameBytes && base.size() <= kMaxFrameBytes) {
    compressed_.clear();
    if (compressor_.compress_after(base, raw, compressed_) &&
        compressed_.size() < payload_.size()) {
      form = Form::frame;
      compresses = true;
      payload_.assign(compressed_.bytes().begin(), compressed_.bytes().end());
      content_bytes = static_cast<std::uint32_t>(raw.size());
    }
  }
  const std::size_t size = kDifferenceHeadBytes + payload_.size();
  if (size >= raw.size() / kClearlySmaller) {
    encode_whole(raw, width, out);
    if (out.size() <= size) return;
  }
  out.resize(kDifferenceHeadBytes);
  append(out, payload_);
  store_head(out.data(), form, Filter::none, compresses ? Codec::zstd : Codec::none, width, raw);
  std::byte* const at = out.data() + kWholeHeadBytes;
  store_le(at, static_cast<std::uint16_t>(step));
  store_le(at + 2, content_bytes);
  std::memcpy(at + 6, base_id.data(), base_id.size());
}

// --- in

namespace {

Status check_hash(const StoredObject& object, std::span<const std::byte> raw) {
  if (hash64(raw) == object.raw_hash) return {};
  return fail(ErrorCode::bad_archive, "the hash of an object does not match");
}

}  // namespace

Status ObjectDecoder::decode_whole(const StoredObject& object, std::span<std::byte> out) {
  const std::size_t size = format::filtered_size(object.filter, out.size(), object.width);
  if (object.codec == Codec::none) {
    if (object.payload.size() != size) return malformed("its size differs from that of its bytes");
    format::undo_filter(object.filter, object.payload, object.width, out);
  } else {
    const bool in_place = object.filter == Filter::none;
    const std::span<std::byte> to = in_place ? out : std::span(content_.reset(size), size);
    if (const char* const fault = decompressor_.decompress(object.payload, to))
      return malformed(fault);
    if (!in_place) format::undo_filter(object.filter, to, object.width, out);
  }
  return check_hash(object, out);
}

Status ObjectDecoder::apply_difference(const StoredObject& object, Bytes& bytes) {
  std::span<const std::byte> content = object.payload;
  if (object.is_frame) {
    if (bytes.size() > kMaxFrameBytes) return malformed("a frame refers to an object too large");
    const std::span<std::byte> to(content_.reset(object.raw_bytes), object.raw_bytes);
    if (const char* const fault = decompressor_.decompress(content, to, bytes))
      return malformed(fault);
    bytes.assign(to.begin(), to.end());
    return check_hash(object, bytes);
  }
  if (object.codec != Codec::none) {
    const std::span<std::byte> to(content_.reset(object.content_bytes), object.content_bytes);
    if (const char* const fault = decompressor_.decompress(object.payload, to))
      return malformed(fault);
    content = to;
  }
  if (content.size() != object.content_bytes) return malformed("a difference has another size");
  const unsigned width = object.width;
  const std::size_t count = std::min<std::size_t>(bytes.size(), object.raw_bytes) / width;
  const std::byte* at = content.data();
  const std::byte* const end = at + content.size();
  // Twice over the runs: their values lie in planes, whose length is the number of all of them.
  std::uint64_t runs = 0;
  at = load_varint(at, end, runs);
  const std::byte* const first_run = at;
  std::uint64_t changed = 0;
  std::uint64_t position = 0;
  for (std::uint64_t i = 0; at != nullptr && i < runs; ++i) {
    std::uint64_t skip = 0;
    std::uint64_t length = 0;
    at = load_varint(at, end, skip);
    if (at != nullptr) at = load_varint(at, end, length);
    if (at == nullptr || skip > count - position || length == 0 ||
        length > count - position - skip) {
      return malformed("a run of a difference is not possible");
    }
    position += skip + length;
    changed += length;
  }
  if (at == nullptr) return malformed("the runs of a difference are cut off");
  const std::size_t tail = object.raw_bytes - count * width;
  const auto left = static_cast<std::size_t>(end - at);
  if (changed * width > left || left - changed * width != tail)
    return malformed("the values of a difference do not fit its runs");
  std::byte* const values = values_.reset(static_cast<std::size_t>(changed) * width);
  format::unshuffle(at, static_cast<std::size_t>(changed), static_cast<std::size_t>(changed), width,
                    values);
  bytes.resize(object.raw_bytes);
  const std::byte* from = values;
  std::byte* to = bytes.data();
  const std::byte* run = first_run;
  for (std::uint64_t i = 0; i < runs; ++i) {
    std::uint64_t skip = 0;
    std::uint64_t length = 0;
    run = load_varint(run, end, skip);
    run = load_varint(run, end, length);
    to += skip * width;
    for (std::size_t k = 0; k < length * width; ++k) to[k] ^= from[k];
    to += length * width;
    from += length * width;
  }
  if (tail != 0) std::memcpy(bytes.data() + count * width, end - tail, tail);
  return check_hash(object, bytes);
}

}  // namespace hdb::archive
