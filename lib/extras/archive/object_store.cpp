// Chains are read level by level, so that a distant store is asked once for each level.
#include "archive/object_store.hpp"

#include <algorithm>
#include <utility>

#include "base/using_detail.hpp"

namespace hdb::archive {
namespace {

// Larger objects are not remembered.
constexpr std::size_t kMostCachedBytes = std::size_t{1} << 20;

ObjectDecoder& decoder() {
  thread_local ObjectDecoder instance;
  return instance;
}

}  // namespace

Error ObjectStore::about(Error error) const {
  if (error.file.empty()) error.file = backend_->place();
  return error;
}

Error ObjectStore::about(Error error, const ObjectId& id) const {
  if (error.where.empty()) error.where = key_of(id);
  return about(std::move(error));
}

Result<std::vector<ObjectCache::Value>> ObjectStore::fetch(std::span<const ObjectId> ids) {
  std::vector<ObjectCache::Value> out(ids.size());
  std::vector<ObjectKey> keys;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    out[i] = stored_.find(ids[i]);
    if (out[i] != nullptr) continue;
    keys.push_back(key_of(ids[i]));
    places.push_back(i);
  }
  if (keys.empty()) return out;
  auto found = backend_->get(keys);
  if (!found) return fail(about(std::move(found.error())));
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const ObjectId& id = ids[places[k]];
    if (k >= found->size() || !(*found)[k])
      return fail(about({ErrorCode::missing_object, "an object is missing"}, id));
    out[places[k]] = std::make_shared<const Bytes>(*std::move((*found)[k]));
    // Differences are small, and the same ones lead to many objects.
    if (!out[places[k]]->empty() && out[places[k]]->front() == std::byte{1})
      stored_.remember(id, out[places[k]]);
  }
  return out;
}

Result<ObjectCache::Value> ObjectStore::stored(const ObjectId& id) {
  auto found = fetch({&id, 1});
  if (!found) return fail(std::move(found.error()));
  return std::move(found->front());
}

void ObjectStore::remember(const ObjectId& id, std::span<const std::byte> raw) {
  decoded_.remember(id, std::make_shared<const Bytes>(raw.begin(), raw.end()));
}

void ObjectStore::remember_stored(const ObjectId& id, Bytes stored) {
  stored_.remember(id, std::make_shared<const Bytes>(std::move(stored)));
}

Status ObjectStore::read_all(std::span<const ObjectRequest> requests, bool verify_ids) {
  // One chain for each request: the stored objects from the wanted one to a whole one.
  struct Chain {
    std::vector<ObjectCache::Value> links;
    std::vector<StoredObject> parsed;
    ObjectId next;
    bool is_open = true;
    ObjectCache::Value base;  // of the last link, if it was in the cache
  };
  std::vector<Chain> chains(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) chains[i].next = requests[i].id;
  std::vector<ObjectId> wanted;
  std::vector<std::size_t> owners;
  for (;;) {
    wanted.clear();
    owners.clear();
    for (std::size_t i = 0; i < chains.size(); ++i) {
      if (!chains[i].is_open) continue;
      wanted.push_back(chains[i].next);
      owners.push_back(i);
    }
    if (wanted.empty()) break;
    auto found = fetch(wanted);
    if (!found) return fail(std::move(found.error()));
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      Chain& chain = chains[owners[k]];
      chain.links.push_back(std::move((*found)[k]));
      const auto object = parse_object(*chain.links.back());
      if (!object) return fail(about(object.error(), wanted[k]));
      const std::size_t expected = requests[owners[k]].out.size();
      if (chain.links.size() == 1 ? object->raw_bytes != expected
                                  : object->raw_bytes > kMaxDifferenceBytes) {
        return fail(
            about({ErrorCode::bad_archive, "an object has " + std::to_string(object->raw_bytes) +
                                               " bytes, which is not its size"},
                  wanted[k]));
      }
      if (object->is_difference && chain.links.size() > kMaxSteps) {
        return fail(about({ErrorCode::bad_archive, "a chain of differences has no end"},
                          requests[owners[k]].id));
      }
      chain.is_open = object->is_difference;
      chain.next = object->base;
      if (object->is_difference && (chain.base = decoded_.find(object->base)) != nullptr)
        chain.is_open = false;
      chain.parsed.push_back(*object);
    }
  }
  thread_local Bytes bytes;
  for (std::size_t i = 0; i < chains.size(); ++i) {
    Chain& chain = chains[i];
    const std::span<std::byte> out = requests[i].out;
    if (chain.parsed.size() == 1 && !chain.parsed.front().is_difference) {
      if (Status status = decoder().decode_whole(chain.parsed.front(), out); !status)
        return fail(about(std::move(status.error()), requests[i].id));
    } else {
      std::size_t left = chain.parsed.size();
      if (chain.base != nullptr) {
        bytes = *chain.base;
      } else {
        const StoredObject& whole = chain.parsed[--left];
        bytes.resize(whole.raw_bytes);
        if (Status status = decoder().decode_whole(whole, bytes); !status)
          return fail(about(std::move(status.error()), chain.parsed[left - 1].base));
      }
      while (left-- != 0) {
        if (Status status = decoder().apply_difference(chain.parsed[left], bytes); !status) {
          return fail(about(std::move(status.error()),
                            left == 0 ? requests[i].id : chain.parsed[left - 1].base));
        }
      }
      std::copy(bytes.begin(), bytes.end(), out.begin());
    }
    if (verify_ids && blake2b_256(out) != requests[i].id) {
      return fail(about({ErrorCode::bad_archive, "the bytes of an object do not match its id"},
                        requests[i].id));
    }
  }
  return {};
}

// No memory is taken before the stored object has the size that is expected.
Result<ObjectCache::Value> ObjectStore::read_past_cache(const ObjectId& id, std::uint64_t raw_bytes,
                                                        bool verify_id) {
  const auto bytes = stored(id);
  if (!bytes) return fail(bytes.error());
  const auto object = parse_object(**bytes);
  if (!object) return fail(about(object.error(), id));
  if (object->raw_bytes != raw_bytes)
    return fail(about({ErrorCode::bad_archive, "an object has another size than expected"}, id));
  auto out = std::make_shared<Bytes>(static_cast<std::size_t>(raw_bytes));
  const ObjectRequest request{id, *out};
  if (Status status = read_all({&request, 1}, verify_id); !status)
    return fail(std::move(status.error()));
  return ObjectCache::Value(std::move(out));
}

Result<ObjectCache::Value> ObjectStore::read(const ObjectId& id, std::uint64_t raw_bytes,
                                             bool verify_id) {
  if (auto known = decoded_.find(id)) {
    if (known->size() == raw_bytes) return known;
    return fail(about({ErrorCode::bad_archive, "an object has another size than expected"}, id));
  }
  auto bytes = read_past_cache(id, raw_bytes, verify_id);
  if (bytes) decoded_.remember(id, *bytes);
  return bytes;
}

Result<ObjectCache::Value> ObjectStore::read_base(const ObjectId& id) {
  if (auto known = decoded_.find(id)) return known;
  const auto bytes = stored(id);
  if (!bytes) return fail(bytes.error());
  const auto object = parse_object(**bytes);
  if (!object) return fail(about(object.error(), id));
  if (object->raw_bytes > kMaxDifferenceBytes) return ObjectCache::Value();
  return read_past_cache(id, object->raw_bytes, false);
}

Result<ObjectStore::Base> ObjectStore::next_base(const ObjectId& last) {
  Base base;
  base.id = last;
  for (;;) {
    const auto bytes = stored(base.id);
    if (!bytes) return fail(bytes.error());
    const auto object = parse_object(**bytes);
    if (!object) return fail(about(object.error(), base.id));
    if (base.is_whole) {  // the last object itself
      base.step = object->step + 1;
      if (base.step == kChainLength) return Base{};
      base.is_whole = false;
    }
    const unsigned wanted = base.step - stride_of(base.step);
    if (object->step <= wanted) return object->step == wanted ? base : Base{};
    base.id = object->base;
  }
}

// --- cache

ObjectCache::Value ObjectCache::find(const ObjectId& id) {
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(id);
  if (found == places_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->second;
}

void ObjectCache::remember(const ObjectId& id, Value bytes) {
  if (bytes->size() > kMostCachedBytes) return;
  const std::lock_guard lock(mutex_);
  if (places_.contains(id)) return;
  bytes_ += bytes->size();
  entries_.emplace_front(id, std::move(bytes));
  places_.emplace(id, entries_.begin());
  while (bytes_ > max_bytes_ && !entries_.empty()) {
    bytes_ -= entries_.back().second->size();
    places_.erase(entries_.back().first);
    entries_.pop_back();
  }
}

}  // namespace hdb::archive
