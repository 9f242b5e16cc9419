// Lines through an atomic file.
#include "repair/lost_file.hpp"

#include <span>
#include <utility>

#include "hdb/inspect/text.hpp"
#include "input.hpp"
#include "rewrite.hpp"

namespace hdb::inspect {

Result<LostFile> LostFile::create(const std::string& path, std::uint64_t max_bytes) {
  auto file = create_output(path);
  if (!file) return fail(std::move(file.error()));
  return LostFile(*std::move(file), path, max_bytes);
}

void LostFile::add(const LostSlot& lost) {
  if (bytes_left_ == 0) {
    ++unlisted_.records;
    return;
  }
  JsonObject object("lost_record");
  object.text("table", lost.table_name).number("slot", lost.slot);
  if (lost.generation) object.number("generation", *lost.generation);
  object.boolean("certain", lost.is_certain).text("cause", cause_name(lost.cause));
  if (lost.offset != kNoOffset) object.number("offset", lost.offset);
  if (!list(object.str())) ++unlisted_.records;
}

void LostFile::add(const LostReference& lost) {
  if (bytes_left_ == 0) {
    ++unlisted_.references;
    return;
  }
  JsonObject object("lost_reference");
  object.text("table", lost.table_name).number("slot", lost.slot);
  object.number("generation", lost.generation).text("path", lost.path).text("names", lost.name);
  object.boolean("strong", lost.is_strong).boolean("nulled", lost.is_nulled);
  if (!list(object.str())) ++unlisted_.references;
}

void LostFile::add(const LostValue& lost) {
  if (bytes_left_ == 0) {
    ++unlisted_.values;
    return;
  }
  JsonObject object("lost_value");
  object.text("table", lost.table_name).number("slot", lost.slot);
  object.number("generation", lost.generation).text("path", lost.path).raw("value", lost.json);
  if (!lost.source.empty()) object.text("source", json_name(std::string(lost.source)));
  if (!list(object.str())) ++unlisted_.values;
}

bool LostFile::list(const std::string& line) {
  const std::uint64_t bytes = line.size() + 1;  // with its line break
  if (bytes > bytes_left_) {
    bytes_left_ = 0;
    return false;
  }
  bytes_left_ -= bytes;
  write(line);
  return true;
}

void LostFile::write(std::string line) {
  if (!status_) return;
  line += '\n';
  status_ = file_->write(std::as_bytes(std::span(line)));
}

Status LostFile::commit() {
  if (unlisted_.is_any()) {
    JsonObject object("lost_rest");
    object.number("records", unlisted_.records).number("references", unlisted_.references);
    object.number("values", unlisted_.values);
    write(object.str());
  }
  if (!status_) return fail(with_file(Error(status_.error()), path_));
  return commit_durably(*file_, path_);
}

}  // namespace hdb::inspect
