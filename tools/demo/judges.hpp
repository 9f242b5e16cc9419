// The judges of the demonstration, which look at records without hdb: an archive that visits their
// fields, a hash of them, and the list of all handles held at one moment.
#pragma once

#include <cereal/cereal.hpp>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "game.hpp"

namespace demo {

/// A handle of any kind, also one of any table or a strong one.
template <class T>
concept HandleLike = requires(const T& value) {
  { value.is_null() } -> std::same_as<bool>;
  value.bits();
};

/// An archive in cereal's sense that calls `visit(name, value)` with each number, string and
/// handle, and with the length of each list before its elements.
template <class Visit>
class FieldVisitor {
 public:
  explicit FieldVisitor(Visit visit) : visit_(std::move(visit)) {}
  template <class... Pairs>
  void operator()(Pairs&&... pairs) {
    (add(pairs.name, pairs.value), ...);
  }

 private:
  template <class T>
  void add(std::string_view name, T& value) {
    if constexpr (HandleLike<T> || std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
      visit_(name, value);
    } else if constexpr (std::is_enum_v<T>) {
      visit_(name, static_cast<std::underlying_type_t<T>>(value));
    } else {
      value.serialize(*this);
    }
  }
  template <class T>
  void add(std::string_view name, std::vector<T>& list) {
    visit_(name, list.size());
    for (T& element : list) add(name, element);
  }

  Visit visit_;
};
template <class Record, class Visit>
void visit_fields(const Record& record, Visit visit) {
  Record copy = record;  // cereal's serialize may write
  FieldVisitor<Visit> visitor(std::move(visit));
  copy.serialize(visitor);
}

/// FNV-1a with 64 bits.
class PlainHash {
 public:
  void add(std::uint64_t number) {
    for (int i = 0; i < 8; ++i) add_byte(static_cast<unsigned char>(number >> (8 * i)));
  }
  void add(std::string_view text) {
    add(text.size());
    for (const char c : text) add_byte(static_cast<unsigned char>(c));
  }
  /// All fields of a record; handles by their raw bits.
  template <class Record>
  void add_record(const Record& record) {
    visit_fields(record, [this](std::string_view, const auto& value) {
      using Value = std::remove_cvref_t<decltype(value)>;
      if constexpr (HandleLike<Value>) {
        add(std::uint64_t{value.bits()});
      } else if constexpr (std::is_same_v<Value, std::string>) {
        add(std::string_view(value));
      } else {
        add(static_cast<std::uint64_t>(value));
      }
    });
  }
  template <class Handle, class Record>
  void add(Handle handle, const Record& record) {
    add(std::uint64_t{handle.bits()});
    add_record(record);
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  void add_byte(unsigned char byte) {
    value_ ^= byte;
    value_ *= 0x100000001b3u;
  }
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

/// Every record in the order in which the game sees it, each with the raw bits of its handle, and
/// the sources of the sound system.
[[nodiscard]] std::uint64_t plain_hash(const Game& game);

/// One tick of a game, in short.
struct TickHashes {
  std::uint64_t moving = 0;  ///< As plain_hash, of what changes in every tick.
  std::uint64_t fates = 0;   ///< Names, places and health of all things: no handle, no order.

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(moving), CEREAL_NVP(fates));
  }
  friend bool operator==(const TickHashes&, const TickHashes&) = default;
};
[[nodiscard]] TickHashes tick_hashes(const Game& game);

/// One handle that somebody holds.
struct HeldHandle {
  std::string holder;  ///< "things 41.target", "sound 17", "table things".
  std::string table;
  std::uint64_t bits = 0;
  bool is_live = false;
  std::uint32_t number = 0;  ///< Number of its record; 0 if it is stale.
  std::uint64_t fields = 0;  ///< PlainHash of all fields of its record; 0 if it is stale.

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(holder), CEREAL_NVP(table), CEREAL_NVP(bits), CEREAL_NVP(is_live),
            CEREAL_NVP(number), CEREAL_NVP(fields));
  }
};
struct HandleList {
  std::vector<HeldHandle> handles;
  /// Handles that two records have, or on which a walk over the tables and a look-up disagree.
  std::size_t disputed = 0;

  [[nodiscard]] std::size_t stale_count() const;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(handles), CEREAL_NVP(disputed));
  }
};

/// All handles of records, in records, in the sound system and in the status bar. A handle is live
/// if a walk over its table meets it.
[[nodiscard]] HandleList list_handles(const Game& game);

struct ListCheck {
  std::size_t live_right = 0;
  std::size_t stale_right = 0;
  std::size_t wrong = 0;
  std::string first_wrong;  ///< Holder, handle and what was found.
};
/// Looks up every handle of the list in `world`.
[[nodiscard]] ListCheck check_handle_list(const World& world, const HandleList& list);

}  // namespace demo
