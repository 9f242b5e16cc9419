// The promises of import_records.
#include "import_check.hpp"

#include <memory>

#include "require.hpp"
#include "sound_files.hpp"

namespace hdb::fuzz {

using test::Hero;
using test::Unit;
using UnitTable = Table<Unit, Layout<20, 12>>;

ImportCheck::ImportCheck() {
  declare(db_);
  auto& units = *db_.find_table<Unit, Layout<20, 12>>("units");
  const auto erased = units.insert({.hp = 1});
  for (std::int32_t i = 2; i < 6; ++i) units_.emplace_back(units.insert({.hp = i}), i);
  units.erase(erased);
  db_.find_table<Hero>("heroes")->insert({.name = "untouched"});
  db_.find_table<Named>("named")->insert_named("name 1", {7});
  before_ = db_.capture();
  hash_before_ = before_.state_hash();
  for (std::size_t i = 0; i < 2; ++i) {
    const Status status =
        run(sound_files()[i], {.tables = {"age", "heroes", "rider", "things", "units", "wide"}});
    require(status.has_value(),
            "a sound file is imported:", status ? "" : status.error().message().c_str());
  }
}

Status ImportCheck::run(std::span<const std::byte> bytes, const ImportOptions& options) {
  const auto imported =
      db_.import_records(std::make_unique<MemorySource>(MemorySource::borrowing(bytes)), options);
  const char* const broken = db_.check_invariants();
  require(broken == nullptr, "F15: invariants", broken == nullptr ? "" : broken);
  if (!imported) {
    require(!imported.error().message().empty(), "F14: a refusal says why");
    require(db_.state_hash() == hash_before_, "F14: a refused import changes nothing");
    return fail(imported.error());
  }
  require(!imported->summary().empty(), "F15: an import has a summary");
  const UnitTable& units = *db_.find_table<Unit, Layout<20, 12>>("units");
  for (const auto& [handle, hp] : units_) {
    const Unit* const unit = units.find(handle);
    require(unit != nullptr && unit->hp == hp, "F15: the records before are as they were");
  }
  const auto created = imported->created<UnitHandle>();
  for (const UnitHandle handle : created)
    require(units.contains(handle), "F15: the report names what was inserted");
  require(units.size() == units_.size() + created.size(),
          "F15: the report names all that was inserted");
  MemorySink sink;
  const auto saved = save(db_.capture(), sink);
  require(saved.has_value(),
          "F15: what was imported can be saved:", saved ? "" : saved.error().message().c_str());
  const Status restored = db_.restore(before_);
  require(restored.has_value() && db_.state_hash() == hash_before_,
          "F15: the state before can be restored");
  return {};
}

}  // namespace hdb::fuzz
