// Trace: capture, restore, save, load, and the comparison with the model.
#pragma once

#include "trace.hpp"

namespace hdb::fuzz {

template <class Record, class L, class Make>
void Trace<Record, L, Make>::restore() {
  const Saved* const saved = any_saved();
  if (saved == nullptr) return;
  require(main_.db->restore(saved->main).has_value(), "a captured state can be restored");
  require(twin_.db->restore(saved->twin).has_value(), "a captured state can be restored");
  model_ = saved->model;
  issued_ = saved->issued;  // handles of the abandoned timeline may be issued again
  require(main_.db->state_hash() == saved->main.state_hash(), "S1: restore(capture(t)) == t");
}

// Loads the saved state into this database after some more play, or into a new one that goes on in
// its place.
template <class Record, class L, class Make>
void Trace<Record, L, Make>::save_and_load(bool into_new_one) {
  MemorySink sink;
  SaveOptions options;
  options.write.codec = in_.ConsumeBool() ? Codec::none : Codec::zstd;
  const auto report = save(main_.db->capture(), sink, options);
  require(report.has_value(), "a state can be saved");
  require(report->state_hash == twin_.db->state_hash(), "the state hash does not depend on pages");
  if (into_new_one) {
    saved_.clear();
    main_ = Side(options_);
  } else {
    for (int i = 0; i < 3; ++i) static_cast<void>(main_.table->emplace());
  }
  LoadOptions load;
  load.verify_state_hash = true;
  const auto loaded = main_.db->load(std::make_unique<MemorySource>(sink.bytes()), load);
  require(loaded.has_value(), "a saved state loads");
  require(main_.db->state_hash() == report->state_hash, "G19: load(save(x)) == x");
}

// Ends the trace: the model knows exact restores only.
template <class Record, class L, class Make>
void Trace<Record, L, Make>::fork() {
  const Saved* const saved = any_saved();
  if (saved == nullptr) return;
  is_over_ = true;
  const Hash128 before = main_.db->state_hash();
  const Status status = main_.db->restore(saved->main, {.mode = TimelineMode::fork});
  if (!status) {
    require(main_.db->state_hash() == before, "a refused fork changes nothing");
    require(
        status.error().code == (options_.overflow == Overflow::wrap ? ErrorCode::fork_under_wrap
                                                                    : ErrorCode::fork_exhausted),
        "a fork is refused where generations wrap or end");
    return;
  }
  std::vector<HandleType> ever = std::move(issued_);
  ever.insert(ever.end(), saved->issued.begin(), saved->issued.end());
  std::sort(ever.begin(), ever.end());
  model_ = saved->model;
  issued_ = saved->issued;
  check_handles();
  for (int i = 0; i < 40; ++i) {
    const HandleType handle = main_.table->emplace();
    require(!std::binary_search(ever.begin(), ever.end(), handle) || handle.is_null(),
            "a fork issues no handle of the abandoned timeline");
  }
  const char* const broken = main_.db->check_invariants();
  require(broken == nullptr, "invariants after a fork", broken == nullptr ? "" : broken);
}

template <class Record, class L, class Make>
void Trace<Record, L, Make>::check_handles() const {
  for (const HandleType handle : issued_) {
    const Record* const record = main_.table->find(handle);
    require((record != nullptr) == model_has(handle), "handles resolve as the model says");
    require(record == nullptr || *record == model_.slots[handle.index()].value,
            "records are the model's");
  }
}

template <class Record, class L, class Make>
void Trace<Record, L, Make>::compare() {
  const char* const broken = main_.db->check_invariants();
  require(broken == nullptr, "invariants", broken == nullptr ? "" : broken);
  const SlotCounters& counters = main_.table->counters();
  require(counters == SlotCounters{model_.slots.size(), model_.dense.size(), model_.retired_count(),
                                   model_.free.size(), model_.counter, model_.highest},
          "counters are the model's");
  check_handles();
  std::vector<std::uint32_t> order;
  for (const auto [handle, record] : main_.table->entries()) order.push_back(handle.index());
  require(order == model_.iteration_order(), "the order of iteration is the model's");
  std::vector<std::uint32_t> free(model_.free.size());
  detail::core_of(*main_.table).slots().read_free_list(0, free);
  require(std::equal(free.begin(), free.end(), model_.free.begin()),
          "the free list is the model's");
  require(main_.db->state_hash() == twin_.db->state_hash(),
          "the state hash does not depend on pages");
}

}  // namespace hdb::fuzz
