// How a game goes back in time by hand: the old record is noted at the first write of a frame; or
// all records are copied in every frame.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hdb::reference {

/// Where a record is: its table, and its index there.
struct Place {
  std::uint32_t table;
  std::uint32_t index;
};

/// Vectors of records, and the last frames of old records.
template <class Record>
class UndoTables {
 public:
  using Key = Place;
  UndoTables(std::vector<std::vector<Record>> tables, std::size_t frames)
      : tables_(std::move(tables)), logs_(frames) {
    for (const auto& table : tables_) stamps_.emplace_back(table.size());
  }
  /// Begins the frame with this number, below that of the constructor. What its log holds of an
  /// older frame ends.
  void begin(std::size_t frame) noexcept {
    log_ = &logs_[frame];
    log_->clear();
    ++stamp_;
  }
  [[nodiscard]] static Key key_of(Place place) noexcept { return place; }
  [[nodiscard]] Record& edit(Place place) {
    Record& record = tables_[place.table][place.index];
    std::uint32_t& stamp = stamps_[place.table][place.index];
    if (stamp != stamp_) {
      stamp = stamp_;
      log_->push_back({place, record});
    }
    return record;
  }
  template <class Change>
  void edit_all(const Change& change) {
    for (std::uint32_t table = 0; table < tables_.size(); ++table) {
      for (std::uint32_t i = 0; i < tables_[table].size(); ++i) change(edit({table, i}));
    }
  }
  /// To the begin of frame 0.
  void go_back() {
    for (auto log = logs_.rbegin(); log != logs_.rend(); ++log) {
      for (auto old = log->rbegin(); old != log->rend(); ++old)
        tables_[old->place.table][old->place.index] = std::move(old->record);
      log->clear();
    }
  }

 private:
  struct Old {
    Place place;
    Record record;
  };
  std::vector<std::vector<Record>> tables_;
  std::vector<std::vector<std::uint32_t>> stamps_;
  std::vector<std::vector<Old>> logs_;
  std::vector<Old>* log_ = nullptr;
  std::uint32_t stamp_ = 0;
};

/// Vectors of records, and copies of them all.
template <class Record>
class CopiedTables {
 public:
  using Key = Place;
  using Tables = std::vector<std::vector<Record>>;
  CopiedTables(Tables tables, std::size_t frames) : tables_(tables), copies_(frames, tables) {}
  void begin(std::size_t frame) { copy(tables_, copies_[frame]); }
  [[nodiscard]] static Key key_of(Place place) noexcept { return place; }
  [[nodiscard]] Record& edit(Place place) noexcept { return tables_[place.table][place.index]; }
  template <class Change>
  void edit_all(const Change& change) {
    for (auto& table : tables_) {
      for (Record& record : table) change(record);
    }
  }
  void go_back() { copy(copies_[0], tables_); }

 private:
  static void copy(const Tables& from, Tables& to) {
    for (std::size_t i = 0; i < from.size(); ++i)
      std::copy(from[i].begin(), from[i].end(), to[i].begin());
  }
  Tables tables_;
  std::vector<Tables> copies_;
};

}  // namespace hdb::reference
