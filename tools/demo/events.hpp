// Events: what is to happen in a later tick, and to whom.
#pragma once

#include <cereal/types/vector.hpp>
#include <cstdint>
#include <hdb/any_handle.hpp>
#include <vector>

namespace demo {

enum class EventKind : std::uint8_t {
  wake,         ///< A thing that was stunned acts again.
  sound_ends,   ///< A thing or a missile falls silent.
  door_closes,  ///< A sector.
};

/// The subject is of any table; it may be dead by then, its slot even have another tenant.
struct Event {
  std::uint32_t tick = 0;  ///< When.
  EventKind kind = EventKind::wake;
  hdb::AnyHandle subject;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(tick), CEREAL_NVP(kind), CEREAL_NVP(subject));
  }
};

/// All that is to happen, in the order in which it was planned.
struct Agenda {
  std::vector<Event> events;
  std::uint32_t handled = 0;
  std::uint32_t stale = 0;  ///< Skipped: the subject was gone.

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(events), CEREAL_NVP(handled), CEREAL_NVP(stale));
  }
};

}  // namespace demo
