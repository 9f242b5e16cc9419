// Lines through an atomic file.
#include "repair/lost_file.hpp"

#include <span>
#include <utility>

#include "hdb/inspect/text.hpp"
#include "input.hpp"
#include "rewrite.hpp"

namespace hdb::inspect {

Result<LostFile> LostFile::create(const std::string& path) {
  auto file = create_output(path);
  if (!file) return fail(std::move(file.error()));
  return LostFile(*std::move(file), path);
}

void LostFile::add(const LostSlot& lost) {
  JsonObject object("lost_record");
  object.text("table", lost.table_name).number("slot", lost.slot);
  if (lost.generation) object.number("generation", *lost.generation);
  object.boolean("certain", lost.is_certain).text("cause", cause_name(lost.cause));
  if (lost.offset != kNoOffset) object.number("offset", lost.offset);
  write(object.str());
}

void LostFile::add(const LostReference& lost) {
  JsonObject object("lost_reference");
  object.text("table", lost.table_name).number("slot", lost.slot);
  object.number("generation", lost.generation).text("path", lost.path).text("names", lost.name);
  write(object.boolean("strong", lost.is_strong).boolean("nulled", lost.is_nulled).str());
}

void LostFile::write(std::string line) {
  if (!status_) return;
  line += '\n';
  status_ = file_->write(std::as_bytes(std::span(line)));
}

Status LostFile::commit() {
  if (!status_) return fail(with_file(Error(status_.error()), path_));
  return commit_durably(*file_, path_);
}

}  // namespace hdb::inspect
