// write_image: checks what can be checked beforehand, then streams the file.
#include "hdb/inspect/image.hpp"

#include <algorithm>
#include <optional>

#include "base/ordered_work.hpp"
#include "format/frame/catalog.hpp"
#include "format/write/cache_store.hpp"
#include "format/write/file_writer.hpp"
#include "format/write/group_encoder.hpp"
#include "format/write/random_id.hpp"
#include "hdb/byte_io.hpp"

namespace hdb {
namespace format {
namespace {

Status check_options(const WriteOptions& options) {
  const bool sound = options.threads >= 1 && options.threads <= 1024 && options.level >= 1 &&
                     options.level <= 19 && options.codec <= Codec::zstd;
  if (sound) return {};
  return fail(ErrorCode::bad_options,
              "the options must have 1 to 1024 threads, level 1 to 19, and codec none or zstd",
              "writing");
}

// `option`: the ReadLimits member that `limit` is; null: there is none.
Status check_size(std::uint64_t size, std::uint64_t limit, std::uint64_t maximum, const char* what,
                  const char* option = nullptr) {
  const std::uint64_t most = std::min(limit, maximum);
  if (size <= most) return {};
  std::string text = std::string(what) + " has " + std::to_string(size) + " bytes; at most " +
                     std::to_string(most) + " are allowed";
  if (limit < maximum) text += " (ReadLimits::" + std::string(option) + ")";
  return fail(ErrorCode::limit_exceeded, std::move(text), "writing");
}

// F17: everything that a reader with these limits would refuse later is refused here.
Status check_image(const ImageSource& image, std::span<const std::byte> metadata,
                   std::span<const std::byte> catalog, const ReadLimits& limits) {
  for (const Field& schema : image.schemas()) {
    if (Status status = check_schema(schema); !status) return status;
  }
  Status status = check_catalog(image.schemas(), image.tables(), image.database(), limits);
  if (status) {
    status = check_size(metadata.size(), limits.max_metadata_bytes, kMaxMetadataBytes,
                        "the metadata", "max_metadata_bytes");
  }
  if (status) {
    status = check_size(image.thumbnail().size(), limits.max_thumbnail_bytes, kMaxThumbnailBytes,
                        "the thumbnail", "max_thumbnail_bytes");
  }
  if (status)
    status = check_size(catalog.size(), kMaxCatalogBytes, kMaxCatalogBytes, "the catalog");
  if (!status) return status;
  // Reading back is the whole check of texts and descriptors.
  if (auto back = decode_metadata(metadata, 0); !back) return fail(std::move(back.error()));
  if (auto back = decode_catalog(catalog, 0, limits); !back) return fail(std::move(back.error()));
  return {};
}

// What the columns of fixed width and the slots can take at most.
std::uint64_t size_hint(const ImageSource& image) {
  std::uint64_t total = kHeaderBytes + kFooterBytes + image.thumbnail().size();
  for (const TableDescriptor& table : image.tables()) {
    const std::uint64_t row = 4 + fixed_bytes(image.schemas()[table.schema]);
    const std::uint64_t most = std::uint64_t{1} << 40;
    if (table.live_count > most / row) return most;
    total += table.slot_count * 5 + table.live_count * row + table.listed_count() * 4;
  }
  return total;
}

// The streaming part of one write.
class ImageWriter {
 public:
  ImageWriter(const ImageSource& image, const WriteOptions& options, FrameSink& file,
              EncodeJob& job)
      : image_(image), options_(options), file_(file), job_(job), hashes_(image.tables().size()) {
    first_item_.push_back(0);
    job_.components = std::make_unique<ComponentChecker>(image.tables());
    for (const TableDescriptor& table : image.tables()) {
      progress_.groups_total += table.group_count();
      first_item_.push_back(first_item_.back() + items_of(table));
      job_.checkers.push_back(is_checked_by_sums(table) ? nullptr
                                                        : std::make_unique<SlotChecker>(table));
      free_lists_.emplace_back(table);
    }
    sums_.resize(image.tables().size());
  }

  Status write_tables() {
    const auto items = first_item_.back();
    const auto workers = static_cast<unsigned>(
        std::clamp<std::uint64_t>(options_.threads, 1, std::max<std::uint64_t>(items, 1)));
    encoders_.resize(workers);
    const std::size_t slots = workers == 1 ? 1 : std::size_t{2} * workers;
    std::vector<EncodedBlocks> encoded(slots);
    OrderedWork work;
    work.total = items;
    work.workers = workers;
    work.slots = slots;
    work.executor = options_.executor;
    work.cancel = options_.cancel;
    work.produce = [&](unsigned worker, std::uint64_t item, std::size_t slot) {
      return encode(worker, item, encoded[slot]);
    };
    work.consume = [&](std::uint64_t item, std::size_t slot) { return take(item, encoded[slot]); };
    if (Status status = work.run(); !status) return status;
    if (Status status = check_components(); !status) return status;
    return write_pack();
  }

  Hash128 state_hash() {
    if (const auto known = image_.known_state_hash()) return *known;
    return combine_state_hash(image_.schemas(), image_.tables(), hashes_, image_.database());
  }

  void fill(WriteReport& report) const noexcept {
    report.raw_bytes = raw_bytes_;
    report.reused_bytes = reused_bytes_;
    report.reused_groups = reused_groups_;
  }

 private:
  // Only the last write spares reading slots. Names are compared one by one, and groups of blob
  // tables are never unchanged.
  [[nodiscard]] bool is_checked_by_sums(const TableDescriptor& table) const noexcept {
    return job_.store != nullptr && table.policy.names == RecordNames::none && !table.blobs;
  }

  // C1 to C5 of a table of which everything was added.
  Status check_table(std::size_t table) {
    const std::unique_ptr<SlotChecker> checker = std::move(job_.checkers[table]);
    if (checker) return checker->finish();
    const TableDescriptor& descriptor = image_.tables()[table];
    if (sums_[table].is_sound(descriptor, job_.store->position_sums())) return {};
    // Says what is wrong, and where.
    SlotChecker exact(descriptor);
    RowGroup slots;
    Status status;
    for (std::uint64_t i = 0; status && i < descriptor.group_count(); ++i) {
      status = image_.read_slots(table, i, slots);
      if (status) status = check_group_slots(descriptor, i, slots);
      if (status) status = exact.add_group(i, slots);
    }
    std::vector<std::uint32_t> list(static_cast<std::size_t>(descriptor.listed_count()));
    if (status) status = image_.read_free_list(table, 0, list);
    if (status) status = exact.add_free(list);
    if (status) status = exact.finish();
    if (!status) return status;
    return fail(ErrorCode::bad_slots, "the slots changed while they were written");
  }

  // A component or owner that changed is compared with groups that did not, too.
  Status check_components() {
    RowGroup slots;
    for (const auto& [table, group] : job_.components->missing()) {
      Status status = image_.read_slots(table, group, slots);
      if (status) status = check_group_slots(image_.tables()[table], group, slots);
      if (!status) return status;
      job_.components->add_group(table, group, slots);
    }
    return job_.components->finish();
  }

  // Items of a table: its groups, then its free-list blocks. A table with one group is one item,
  // for it may be packed.
  [[nodiscard]] static std::uint64_t items_of(const TableDescriptor& table) noexcept {
    const std::uint64_t groups = table.group_count();
    return groups <= 1 ? groups : groups + free_list_blocks(table);
  }
  [[nodiscard]] std::size_t table_of(std::uint64_t item) const {
    const auto next = std::upper_bound(first_item_.begin(), first_item_.end(), item);
    return static_cast<std::size_t>(next - first_item_.begin()) - 1;
  }

  Status encode(unsigned worker, std::uint64_t item, EncodedBlocks& out) {
    std::optional<GroupEncoder>& encoder = encoders_[worker].encoder;
    if (!encoder) encoder.emplace(job_);
    const std::size_t table = table_of(item);
    const std::uint64_t index = item - first_item_[table];
    const std::uint64_t groups = image_.tables()[table].group_count();
    if (index < groups) return encoder->encode_group(table, index, out);
    return encoder->encode_free_list(table, index - groups, out);
  }

  Status take(std::uint64_t item, EncodedBlocks& encoded) {
    const std::size_t table = table_of(item);
    const std::uint64_t index = item - first_item_[table];
    const std::uint64_t groups = image_.tables()[table].group_count();
    if (Status status = encoded.is_packed ? add_to_pack(table, encoded) : add_blocks(encoded);
        !status) {
      return status;
    }
    if (raw_bytes_ > options_.limits.max_memory_bytes) {
      return fail(ErrorCode::memory_budget,
                  "the columns have more than " + std::to_string(raw_bytes_) + " bytes", "writing");
    }
    if (encoded.is_reused) ++reused_groups_;
    if (index < groups) {
      hashes_[table].records += encoded.records;
      sums_[table].add_group(encoded.slots);
      ++progress_.groups_done;
    }
    add_free_slots(table, encoded);
    if (groups == 1 && !encoded.is_packed && image_.tables()[table].listed_count() != 0) {
      if (!own_encoder_) own_encoder_.emplace(job_);
      Status status = own_encoder_->encode_free_list(table, 0, encoded);
      if (status) status = add_blocks(encoded);
      if (!status) return status;
      add_free_slots(table, encoded);
    }
    if (item + 1 == first_item_[table + 1]) {
      if (Status status = check_table(table); !status)
        return fail(std::move(status.error()).in("table '" + image_.tables()[table].name + "'"));
    }
    progress_.bytes_written = file_.size();
    if (options_.on_progress) options_.on_progress(progress_);
    return {};
  }

  Status add_blocks(const EncodedBlocks& encoded) {
    if (Status status = file_.add_encoded(encoded); !status) return status;
    raw_bytes_ += encoded.raw_bytes;
    reused_bytes_ += encoded.reused_bytes;
    return {};
  }

  Status add_to_pack(std::size_t table, const EncodedBlocks& encoded) {
    if (packed_tables_ != 0 &&
        pack_.size() + kMaxVarintBytes + encoded.raw_bytes > file_.pack_bytes()) {
      if (Status status = write_pack(); !status) return status;
    }
    if (packed_tables_++ == 0) first_packed_ = table;
    append_packed(static_cast<std::uint32_t>(table), encoded.pieces.front(), encoded.free_slots,
                  pack_);
    raw_bytes_ += encoded.raw_bytes;
    return {};
  }

  Status write_pack() {
    if (packed_tables_ == 0) return {};
    BlockInfo info = block_of(block_key(BlockType::pack, first_packed_, packed_tables_));
    info.flags = flags_of(info.type);
    Status status = file_.add_compressed(info, pack_.bytes());
    pack_.clear();
    packed_tables_ = 0;
    return status;
  }

  void add_free_slots(std::size_t table, const EncodedBlocks& encoded) {
    if (encoded.free_slots.empty()) return;
    sums_[table].add_free(encoded.free_slots);
    free_lists_[table].add(encoded.free_slots);
    hashes_[table].free_list = free_lists_[table].sum();
  }

  struct Worker {
    std::optional<GroupEncoder> encoder;
  };

  const ImageSource& image_;
  const WriteOptions& options_;
  FrameSink& file_;
  EncodeJob& job_;
  std::vector<std::uint64_t> first_item_;
  std::vector<Worker> encoders_;
  std::vector<TableHashes> hashes_;
  std::vector<FreeListHash> free_lists_;
  std::vector<SlotSumCheck> sums_;           // used of tables without a checker
  std::optional<GroupEncoder> own_encoder_;  // of the consumer
  Buffer pack_;
  std::size_t first_packed_ = 0;
  std::uint64_t packed_tables_ = 0;
  Progress progress_;
  std::uint64_t raw_bytes_ = 0;
  std::uint64_t reused_bytes_ = 0;
  std::uint64_t reused_groups_ = 0;
};

BlockInfo unchunked_block(BlockType type, std::uint32_t part = 0) {
  BlockInfo info = block_of(block_key(type, 0, 0, part));
  info.flags = flags_of(info.type);
  return info;
}

// A block that this version does not know is copied when its type allows, unless it would pass for
// a known one.
Status add_ancillary(const std::vector<AncillaryBlock>& blocks, FrameSink& file) {
  for (const AncillaryBlock& block : blocks) {
    if (is_known(block.type) || block.type == 0 ||
        (block.flags & ~kBlockIndexed) != kBlockSafeToCopy) {
      return fail(
          ErrorCode::unexpected_block,
          "a block of type " + std::to_string(block.type) + " must not be copied into another file",
          "writing");
    }
    BlockInfo info = block_of({block.type, 0, block.group, block.part});
    info.flags = block.flags;
    Bytes payload;
    if (!block.extensions.empty()) {
      ByteWriter out(payload);
      write_extensions(block.extensions, out);
      out.pad_to(kAlignment);
    }
    info.extension_bytes = static_cast<std::uint32_t>(payload.size());
    payload.insert(payload.end(), block.payload.begin(), block.payload.end());
    if (Status status = file.add_unchunked(info, payload, block.raw_bytes); !status) return status;
  }
  return {};
}

}  // namespace

Result<WriteReport> write_frame(const ImageSource& image, FrameSink& file, const Hash128& file_id,
                                const WriteOptions& options, GroupStore* store) {
  Status status = check_options(options);
  if (!status) return fail(std::move(status.error()));
  const Bytes metadata = encode_metadata(image.metadata());
  const Bytes catalog = encode_catalog(image.schemas(), image.tables(), image.database());
  status = check_image(image, metadata, catalog, options.limits);
  if (!status) return fail(std::move(status.error()));
  const auto ancillary = image.ancillary_blocks();
  if (!ancillary) return fail(ancillary.error());

  EncodeJob job;
  job.image = &image;
  job.options = options;
  job.file_id = file_id;
  job.with_hash = !image.known_state_hash().has_value();
  job.store = store;
  for (const Field& schema : image.schemas()) job.grammars.emplace_back(schema);
  std::unique_ptr<CacheSession> cache;
  if (store == nullptr) {
    cache =
        CacheSession::begin(options.cache, image,
                            {options.codec, options.level, options.filters, options.packs,
                             options.limits.max_content_ratio, has_many_groups(image.tables())});
    job.store = cache.get();
  }
  CompressedBlocks* const packs = cache ? &cache->compressed() : nullptr;
  // The two copies of the catalog are compressed once.
  std::atomic<std::uint64_t> catalog_bytes{0};
  CompressedBlocks own(catalog_bytes, kMaxCatalogBytes);
  CompressedBlocks* const catalogs = cache ? packs : &own;

  ImageWriter writer(image, options, file, job);
  WriteReport report;
  report.file_id = job.file_id;
  status = file.begin(size_hint(image));
  if (status)
    status = file.add_unchunked(unchunked_block(BlockType::metadata), metadata, metadata.size());
  if (status && !image.thumbnail().empty()) {
    status = file.add_unchunked(unchunked_block(BlockType::thumbnail), image.thumbnail(),
                                image.thumbnail().size());
  }
  file.use_compressed(catalogs);
  if (status) status = file.add_compressed(unchunked_block(BlockType::catalog), catalog);
  file.use_compressed(packs);
  if (status) status = writer.write_tables();
  if (status) status = add_ancillary(*ancillary, file);
  file.use_compressed(catalogs);
  if (status) status = file.add_compressed(unchunked_block(BlockType::catalog, 1), catalog);
  file.use_compressed(nullptr);
  if (!status) return fail(std::move(status.error()));
  report.state_hash = writer.state_hash();
  status = file.finish(report.state_hash);
  if (!status) return fail(std::move(status.error()));
  report.bytes = file.size();
  writer.fill(report);
  if (cache) {
    report.reused_bytes += cache->compressed().reused_bytes();
    cache->finish();
  }
  return report;
}

}  // namespace format

Result<WriteReport> write_image(const ImageSource& image, ByteSink& sink,
                                const WriteOptions& options) {
  if (Status status = format::check_options(options); !status)
    return fail(std::move(status.error()));
  const Hash128 file_id = options.file_id ? *options.file_id : random_id();
  format::FileWriter file(sink, file_id, options);
  return format::write_frame(image, file, file_id, options);
}

}  // namespace hdb
