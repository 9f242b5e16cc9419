// Archive::put, and the target of autosavers.
#include <chrono>
#include <utility>

#include "archive/save_tree.hpp"
#include "database/save/capture_order.hpp"
#include "database/save/save_checks.hpp"
#include "format/write/frame_sink.hpp"
#include "format/write/random_id.hpp"
#include "hdb/inspect/image.hpp"

namespace hdb {
namespace {

using archive::Manifest;
using archive::PreviousSave;

// What is known of a stored save, for the first put of its world. Nothing if it cannot be read:
// then everything is new, and shared by the ids alone.
PreviousSave read_last_save(Archive::Parts& parts, const ArchiveVersion& version,
                            const ReadLimits& limits) {
  const ObjectKey key = archive::save_key(version.world, version.sequence);
  auto found = parts.backend->get({&key, 1});
  if (!found || found->empty() || !found->front()) return {};
  auto manifest = parts.check_manifest(version, *found->front());
  if (!manifest) return {};
  auto source = archive::VersionSource::open(parts.objects, *manifest, limits);
  if (!source) return {};
  const std::vector<archive::RootEntry> entries = (*source)->entries();
  auto reader = Reader::open(std::move(*source), {.limits = limits});
  if (!reader) return {};
  const format::Catalog catalog{(*reader)->schemas(), (*reader)->tables(), (*reader)->database()};
  PreviousSave known = archive::known_from(catalog, entries);
  known.manifest = *std::move(found->front());
  known.sequence = version.sequence;
  known.root = manifest->root;
  known.root_bytes = manifest->root_bytes;
  return known;
}

// Whether the save that is known is still there: then, under a hold, so is all that it leads to.
Result<bool> is_there(Archive::Parts& parts, const std::string& world, const PreviousSave& known) {
  if (known.manifest.empty()) return false;
  const ObjectKey key = archive::save_key(world, known.sequence);
  const auto found = parts.backend->get({&key, 1});
  if (!found) return fail(found.error());
  return found->front() && *found->front() == known.manifest;
}

// AR2: who has the place already.
Result<ArchivePut> lost(Archive::Parts& parts, const Manifest& own, ArchivePut put) {
  const auto winner = parts.manifest(put.version);
  if (!winner) return fail(winner.error());
  auto conflict = archive::conflict_of(parts, own, parts, *winner);
  if (!conflict) return fail(std::move(conflict.error()));
  if (*conflict) return fail(**std::move(conflict));
  put.already_stored = true;
  return put;
}

}  // namespace

Result<ArchivePut> Archive::Parts::put(const ImageSource& image, const Snapshot& capture,
                                       const ArchivePutOptions& how) {
  auto put = put_once(image, capture, how);
  // The store found damage, and may put the save elsewhere.
  if (!put && put.error().code == ErrorCode::bad_archive) return put_once(image, capture, how);
  return put;
}

Result<ArchivePut> Archive::Parts::put_once(const ImageSource& image, const Snapshot& capture,
                                            const ArchivePutOptions& how) {
  if (Status status = archive::check_world(how.world); !status)
    return fail(std::move(status.error()));
  World* world = nullptr;
  {
    const std::lock_guard lock(mutex);
    world = &worlds[how.world];
  }
  const std::lock_guard lock(world->mutex);
  const auto hold = backend->hold(HoldKind::write, options.lock_timeout);
  if (!hold) return fail(hold.error());

  ArchivePut put;
  put.version.world = how.world;
  put.version.sequence = how.sequence != 0 ? how.sequence : image.metadata().sequence;
  const auto known = is_there(*this, how.world, world->last);
  if (!known) return fail(known.error());
  // Without a number the next one: after the last own save, or, if that is taken, after all.
  const bool is_next = put.version.sequence == 0;
  // The next number would make the older capture the last save of the world.
  if (is_next && *known && world->database == database_of(capture) &&
      world->moment > moment_of(capture))
    return superseded("a newer capture was put into this world", backend->place());
  if (is_next && *known) put.version.sequence = world->last.sequence + 1;
  if (const ObjectKey key = archive::save_key(how.world, put.version.sequence); is_next && *known) {
    const auto taken = backend->exists_many({&key, 1});
    if (!taken) return fail(taken.error());
    if (taken->front()) put.version.sequence = 0;
  }
  if (!*known || put.version.sequence == 0) {
    const auto names = versions(how.world);
    if (!names) return fail(names.error());
    const std::uint64_t last = names->empty() ? 0 : names->back().sequence;
    if (put.version.sequence == 0) put.version.sequence = last + 1;
    if (!*known)
      world->last =
          names->empty() ? PreviousSave{} : read_last_save(*this, names->back(), how.write.limits);
  }

  WriteOptions write = how.write;
  write.codec = Codec::none;
  write.filters = false;
  write.cache = nullptr;
  const Hash128 file_id = random_id();
  archive::VersionWriter writer(*objects, image, world->last, write);
  auto written = format::write_frame(image, writer, file_id, write, &writer);
  // The store names itself in its errors. Those of the image are not of the archive: whoever gave
  // the image knows where it is from.
  if (!written) return fail(std::move(written.error()).in("save " + put.version.text()));
  if (how.approve) {
    if (Status approved = how.approve(written->state_hash); !approved)
      return fail(std::move(approved.error()).in("save " + put.version.text()));
  }
  if (write.cancel != nullptr && *write.cancel)
    return fail(about({ErrorCode::cancelled, "cancelled before the commit"}, put.version));
  Manifest manifest;
  manifest.archive_id = backend->archive_id();
  manifest.file_id = file_id;
  manifest.world = how.world;
  manifest.sequence = put.version.sequence;
  const auto stored = writer.commit(manifest);
  if (!stored) return fail(about(stored.error(), put.version));
  put.state_hash = manifest.state_hash;
  put.raw_bytes = written->raw_bytes;
  put.new_objects = manifest.new_objects;
  put.new_bytes = manifest.new_bytes;
  put.reused_groups = written->reused_groups;
  if (!*stored) return lost(*this, manifest, std::move(put));
  world->last = writer.take_known();
  if (is_next) {
    world->database = database_of(capture);
    world->moment = moment_of(capture);
  }
  return put;
}

Result<ArchivePut> Archive::put(const ImageSource& image, const ArchivePutOptions& options) {
  return parts_->put(image, Snapshot(), options);
}

Result<ArchivePut> Archive::put(const Snapshot& snapshot, const ArchivePutOptions& options,
                                const Metadata& metadata, const Bytes& thumbnail) {
  if (!snapshot) return fail(ErrorCode::bad_options, "the snapshot is empty", "put");
  const auto image = snapshot.image(metadata, thumbnail);
  if (Status status = check_singletons(*image); !status) return fail(std::move(status.error()));
  auto done = parts_->put(*image, snapshot, options);
  if (done) done->metadata_problem = replaced_texts(metadata, image->metadata());
  return done;
}

SaveTarget archive_target(Archive& archive, const std::string& world) {
  return SaveTarget("archive " + archive.backend().place() + " world " + world,
                    [&archive, world](const Snapshot& snapshot,
                                      const SaveOptions& options) -> Result<SaveReport> {
                      if (options.expected) {
                        return fail(ErrorCode::bad_options,
                                    "an archive replaces no save, so SaveOptions::expected "
                                    "cannot be checked; leave it out",
                                    "world " + world);
                      }
                      const auto start = std::chrono::steady_clock::now();
                      auto put = archive.put(snapshot, {.world = world, .write = options.write},
                                             options.metadata, options.thumbnail);
                      if (!put) return fail(std::move(put.error()));
                      SaveReport report;
                      report.outcome = SaveOutcome::durable;
                      report.path = put->version.text();
                      report.bytes = put->new_bytes;
                      report.raw_bytes = put->raw_bytes;
                      report.state_hash = put->state_hash;
                      report.metadata_problem = std::move(put->metadata_problem);
                      report.encode_ms = std::chrono::duration<double, std::milli>(
                                             std::chrono::steady_clock::now() - start)
                                             .count();
                      return report;
                    });
}

}  // namespace hdb
