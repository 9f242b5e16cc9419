// SaveSeries: the saves of one world in the order in which they were made, whatever holds them: a
// folder, a list of files, an archive. For tools that look at a state over time.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "hdb/error.hpp"
#include "hdb/file_info.hpp"
#include "hdb/inspect/reader.hpp"

namespace hdb {

/// One save of a series.
struct SeriesSave {
  std::string name;  ///< How messages name the save: "saves/auto-3.hdb". Not escaped.
  FileInfo info;     ///< Its header, metadata and footer.
};

/// The saves of one world, oldest first. Opens one save after another, so that a series of any
/// length needs the memory and the descriptors of a few.
///
/// Threads: several threads may call const members at once.
///
/// Example:
/// @code
/// struct Slots final : hdb::SaveSeries {
///   std::vector<hdb::SeriesSave> list{{"slot1.hdb", {}}, {"slot2.hdb", {}}};
///   const std::vector<hdb::SeriesSave>& saves() const override { return list; }
///   hdb::Result<std::shared_ptr<const hdb::Reader>> open(std::size_t save) const override {
///     return hdb::Reader::open(hdb::FileSource::open(list[save].name).value());
///   }
/// };
/// const Slots slots;
/// const auto newest = slots.open(slots.saves().size() - 1);
/// assert(newest && (*newest)->info().metadata.sequence == 2);
/// @endcode
class SaveSeries {
 public:
  SaveSeries() = default;
  virtual ~SaveSeries() = default;
  SaveSeries(const SaveSeries&) = delete;
  SaveSeries& operator=(const SaveSeries&) = delete;

  /// The saves, oldest first. Does not change while the series exists.
  [[nodiscard]] virtual const std::vector<SeriesSave>& saves() const = 0;
  /// Opens the save with this index into saves().
  /// Requires: save < saves().size().
  /// Errors: as Reader::open; file_changed if the file was replaced since saves() listed it.
  [[nodiscard]] virtual Result<std::shared_ptr<const Reader>> open(std::size_t save) const = 0;
};

}  // namespace hdb
