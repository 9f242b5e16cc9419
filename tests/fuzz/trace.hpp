// A trace of operations on a database, its twin with other pages, and a plain model.
#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "hdb/hdb.hpp"
#include "require.hpp"
#include "support/records.hpp"
#include "support/slot_model.hpp"
#include "support/using_detail.hpp"

namespace hdb::fuzz {

/// Draws operations from the input until it is used up; aborts where database, twin and model
/// differ.
///
/// `make(n)` is record number n.
template <class Record, class L, class Make>
class Trace {
 public:
  using TableType = Table<Record, L>;
  using HandleType = typename TableType::HandleType;

  Trace(const TableOptions& options, FuzzedDataProvider& in, Make make)
      : options_(options), in_(in), make_(make) {
    model_.policy = {L::value, options.storage, options.free_list, options.generations,
                     options.overflow};
    main_ = Side(options_);
    twin_ = Side(options_);
  }

  /// Generations near their last one, for layouts with few of them.
  void warm_up() { churn(model_.last_generation() - 3); }

  void run() {
    for (int i = 0; i < kMostSteps && in_.remaining_bytes() != 0 && !is_over_; ++i) step();
    if (!is_over_) compare();
  }

 private:
  static constexpr int kMostSteps = 400;
  static constexpr std::size_t kMostRecords = 2000;

  struct Side {
    Side() = default;
    explicit Side(const TableOptions& options)
        : db(std::make_unique<Database>()),
          table(&db->create_table<Record, L>("records", options)),
          clock(&db->singleton<test::Clock>("clock")) {}
    std::unique_ptr<Database> db;
    TableType* table = nullptr;
    Singleton<test::Clock>* clock = nullptr;
  };
  struct Saved {
    Snapshot main;
    Snapshot twin;
    test::SlotModel<Record> model;
    std::vector<HandleType> issued;
  };

  void step() {
    const int kind = in_.ConsumeIntegralInRange(0, 19);
    if (kind < 4) return static_cast<void>(insert(make_(in_.ConsumeIntegral<std::uint8_t>())));
    if (kind < 7) return erase(some_handle());
    if (kind < 9) return edit(some_handle());
    switch (kind) {
      case 9: return clear();
      case 10: return capture();
      case 11: return restore();
      case 12: return save_and_load(in_.ConsumeBool());
      case 13: return churn(in_.ConsumeIntegral<std::uint8_t>());
      case 14: return insert_many(in_.ConsumeIntegral<std::uint8_t>());
      case 15: return edit_all();
      case 16: main_.table->reserve(in_.ConsumeIntegral<std::uint8_t>()); return compare();
      case 17:
      case 18: return revive(some_handle());
      default: return in_.ConsumeIntegralInRange(0, 3) == 0 ? fork() : reset();
    }
  }

  HandleType insert(const Record& record) {
    const auto expected = model_.insert(record);
    const HandleType next = main_.table->next_handle();
    const HandleType handle = main_.table->insert(record);
    require(handle == next, "next_handle tells the handle that insert issues");
    require(handle == twin_.table->insert(record), "handles do not depend on pages");
    require(handle.is_null() == !expected, "insert issues a handle exactly when the model does");
    if (!expected) return handle;
    require(handle.index() == expected->slot && handle.generation() == expected->generation,
            "slots and generations are the model's");
    issued_.push_back(handle);
    return handle;
  }

  // One that was issued, or any bits.
  HandleType some_handle() {
    if (issued_.empty() || in_.ConsumeIntegralInRange(0, 15) == 0) {
      return HandleType::from_bits(in_.ConsumeIntegral<typename HandleType::Bits>());
    }
    return issued_[in_.ConsumeIntegralInRange<std::size_t>(0, issued_.size() - 1)];
  }

  bool is_well_formed(HandleType handle) const {
    const std::uint32_t type_id = L::type_bits != 0 ? main_.table->options().type_id : 0;
    return handle.bits() == pack_handle(L::value, handle.index(), handle.generation(), type_id);
  }
  bool model_has(HandleType handle) const {
    return is_well_formed(handle) && model_.is_live(handle.index(), handle.generation());
  }

  void erase(HandleType handle) {
    const bool expected = model_has(handle);
    if (expected) model_.erase(handle.index(), handle.generation());
    require(main_.table->erase(handle) == expected, "erase finds what the model has");
    require(twin_.table->erase(handle) == expected, "erase does not depend on pages");
    require(!main_.table->contains(handle), "an erased handle is stale");
  }

  void revive(HandleType handle) {
    const Record record = make_(in_.ConsumeIntegral<std::uint8_t>());
    const bool expected =
        is_well_formed(handle) && model_.revive(handle.index(), handle.generation(), record);
    require(main_.table->revive(handle, record) == expected, "what comes back is the model's");
    require(twin_.table->revive(handle, record) == expected, "revive does not depend on pages");
  }

  void edit(HandleType handle) {
    Record* const record = main_.table->edit(handle);
    require((record != nullptr) == model_has(handle), "edit finds what the model has");
    if (record == nullptr) return;
    *record = make_(in_.ConsumeIntegral<std::uint8_t>());
    *twin_.table->edit(handle) = *record;
    model_.slots[handle.index()].value = *record;
    main_.clock->edit().tick += 1;
    twin_.clock->edit().tick += 1;
  }

  void edit_all() {
    const Record record = make_(in_.ConsumeIntegral<std::uint8_t>());
    for (Side* const side : {&main_, &twin_}) {
      side->table->edit_each([&](HandleType, Record& each) { each = record; });
    }
    for (auto& slot : model_.slots) {
      if (slot.live) slot.value = record;
    }
  }

  void clear() {
    model_.clear();
    main_.table->clear();
    twin_.table->clear();
  }

  void reset() {
    model_.reset();
    main_.table->reset();
    twin_.table->reset();
    issued_.clear();
  }

  void churn(std::uint32_t rounds) {
    for (std::uint32_t i = 0; i < rounds; ++i) {
      const HandleType handle = insert(Record{});
      if (!handle) return;
      erase(handle);
      if (i + 1 < rounds) issued_.pop_back();
    }
  }

  void insert_many(unsigned count) {
    if (model_.dense.size() + count > kMostRecords) return;
    for (unsigned i = 0; i < count; ++i) insert(make_(static_cast<std::uint8_t>(i)));
  }

  void capture() {
    saved_.push_back({main_.db->capture(), twin_.db->capture(), model_, issued_});
    if (saved_.size() > 4) saved_.erase(saved_.begin() + in_.ConsumeIntegralInRange(0, 3));
  }

  const Saved* any_saved() {
    if (saved_.empty()) return nullptr;
    return &saved_[in_.ConsumeIntegralInRange<std::size_t>(0, saved_.size() - 1)];
  }

  void restore();
  void save_and_load(bool into_new_one);
  void fork();
  void compare();
  void check_handles() const;

  TableOptions options_;
  FuzzedDataProvider& in_;
  Make make_;
  Side main_;
  Side twin_;
  test::SlotModel<Record> model_;
  std::vector<HandleType> issued_;  // of this timeline; stale ones too
  std::vector<Saved> saved_;
  bool is_over_ = false;
};

}  // namespace hdb::fuzz

#include "trace_states.hpp"
