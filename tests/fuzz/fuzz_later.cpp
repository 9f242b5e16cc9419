// Edited and sealed files as a later version of the game loads them, with migrations, and as a
// running game imports them: they bring over what they can, or change nothing.
#include <cstddef>
#include <cstdint>
#include <utility>

#include "import_check.hpp"
#include "later_game.hpp"
#include "sealed_file.hpp"
#include "subject.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hdb;
  static fuzz::LaterGame later;
  static fuzz::ImportCheck running;
  FuzzedDataProvider in(data, size);
  fuzz::SealedFile file = fuzz::any_sound_file(in);
  LoadOptions load;
  load.mode = in.ConsumeBool() ? TimelineMode::exact : TimelineMode::fork;
  load.keep_unknown = in.ConsumeBool();
  ImportOptions import;
  import.tables = {"heroes", "named", "things", "typed", "units", "wide"};
  if (in.ConsumeBool()) import.tables.insert(import.tables.end(), {"age", "rider"});
  import.name_clash =
      in.PickValueInArray({NameClash::refuse, NameClash::use_existing, NameClash::drop_name});
  import.unresolved_handles =
      in.ConsumeBool() ? UnresolvedHandles::make_null : UnresolvedHandles::keep;
  const Bytes bytes = fuzz::edited_and_sealed(std::move(file), in);
  load.limits = import.limits = fuzz::limits_for(bytes);
  static_cast<void>(later.load(bytes, load));
  static_cast<void>(running.run(bytes, import));
  return 0;
}
