// Blob tables of the C interface.
#include "c/given.hpp"
#include "c/objects.hpp"

namespace hdb::c {
namespace {

/// Errors: BadArgument; not_found for a dropped table; bad_options for one without blobs.
detail::BlobCore& blobs_of(hdb_table* table) {
  static_cast<void>(core_of(table));
  detail::BlobCore* const blobs = find_blobs(*table);
  if (blobs == nullptr)
    refuse(ErrorCode::bad_options, "this is not a blob table", place_of(*table));
  return *blobs;
}

}  // namespace
}  // namespace hdb::c

using namespace hdb::c;

extern "C" {

hdb_status hdb_blob_insert(hdb_table* table, const char* name, size_t name_size, const void* meta,
                           size_t meta_size, const void* bytes, uint64_t size, hdb_handle* handle,
                           hdb_error** error) {
  return guarded(error, [&] {
    if (handle != nullptr) *handle = 0;
    require_bytes(name, name_size, "name");
    hdb::detail::BlobCore& blobs = blobs_of(table);
    const std::string_view its_name =
        name_size == 0 ? std::string_view() : std::string_view(name, name_size);
    check_name(*table, its_name);
    Given given(*table, meta, meta_size);
    std::span<const std::byte> content;
    if (bytes != nullptr && size <= blobs.options().capacity_bytes)  // else it is refused below
      content = {static_cast<const std::byte*>(bytes), static_cast<size_t>(size)};
    void* const memory = value_of(blobs.prepare_insert(size, content, its_name));
    given.construct(memory, 0);
    const auto next = blobs.commit_insert();
    if (handle != nullptr) *handle = hdb::bits_of(blobs.core(), next.slot, next.generation);
  });
}

const void* hdb_blob_find(const hdb_table* table, hdb_handle handle, uint64_t* size) {
  if (size != nullptr) *size = 0;
  if (find_core(table) == nullptr) return nullptr;
  const hdb::detail::BlobCore* const blobs = find_blobs(*table);
  if (blobs == nullptr) return nullptr;
  const auto slot = hdb::find_slot(blobs->table(), handle);
  if (!slot) return nullptr;
  const auto bytes = blobs->bytes(*slot);
  if (size != nullptr) *size = bytes.size();
  return bytes.data();
}

hdb_status hdb_blob_edit(hdb_table* table, hdb_handle handle, void** bytes, uint64_t* size,
                         hdb_error** error) {
  return guarded(error, [&] {
    if (size != nullptr) *size = 0;
    require(bytes, "bytes");
    *bytes = nullptr;
    hdb::detail::BlobCore& blobs = blobs_of(table);
    const auto found = blobs.edit_bytes(known_slot(*table, handle));
    *bytes = found.data();
    if (size != nullptr) *size = found.size();
  });
}

hdb_status hdb_blob_resize(hdb_table* table, hdb_handle handle, uint64_t size, hdb_error** error) {
  return guarded(error, [&] {
    hdb::detail::BlobCore& blobs = blobs_of(table);
    check(blobs.resize(known_slot(*table, handle), size));
  });
}

hdb_status hdb_blob_compact(hdb_table* table, hdb_error** error) {
  return guarded(error, [&] { blobs_of(table).compact(); });
}

uint64_t hdb_blob_allocated(const hdb_table* table) {
  const hdb::detail::BlobCore* const blobs =
      find_core(table) == nullptr ? nullptr : find_blobs(*table);
  return blobs == nullptr ? 0 : blobs->allocated_bytes();
}

}  // extern "C"
