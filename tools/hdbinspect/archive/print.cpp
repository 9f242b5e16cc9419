// Tables for people, objects a line for programs.
#include "archive/print.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "input.hpp"
#include "text.hpp"

namespace hdb::inspect {

void print_put(Context& context, const std::string& file, const std::string& place,
               const ArchivePut& put) {
  if (context.globals.json) {
    context.out.line(JsonObject("archive_put")
                         .text("file", json_name(file))
                         .text("world", put.version.world)
                         .number("number", put.version.sequence)
                         .boolean("already_stored", put.already_stored)
                         .number("raw_bytes", put.raw_bytes)
                         .number("new_objects", put.new_objects)
                         .number("new_bytes", put.new_bytes)
                         .hash("state_hash", put.state_hash)
                         .str());
  } else if (!context.globals.quiet) {
    context.out.print("{}: {}@{}: {}", printable_text(shown_name(file)), printable_text(place),
                      put.version.text(),
                      put.already_stored
                          ? "was there"
                          : fmt::format("{}, {}", count_text(put.new_objects, "new object"),
                                        size_text(put.new_bytes)));
  }
}

void print_saves(Context& context, const std::vector<ArchivedSave>& saves) {
  if (context.globals.json) {
    for (const ArchivedSave& save : saves) {
      context.out.line(JsonObject("archive_save")
                           .text("world", save.version.world)
                           .number("number", save.version.sequence)
                           .text("title", save.metadata.title)
                           .signed_number("date_unix_ms", save.metadata.date_unix_ms)
                           .number("play_time_ms", save.metadata.play_time_ms)
                           .number("file_bytes", save.file_bytes)
                           .number("new_objects", save.new_objects)
                           .number("new_bytes", save.new_bytes)
                           .hash("state_hash", save.state_hash)
                           .str());
    }
    return;
  }
  TextTable table({false, false, true, true, false, false});
  table.add({"SAVE", "DATE", "PLAY TIME", "NEW", "STATE HASH", "TITLE"});
  for (const ArchivedSave& save : saves) {
    const Metadata& metadata = save.metadata;
    table.add({save.version.text(),
               metadata.date_unix_ms == 0 ? "-" : date_text(metadata.date_unix_ms),
               duration_text(metadata.play_time_ms), size_text(save.new_bytes),
               save.state_hash.hex().substr(0, 8),
               metadata.title.empty() ? "(none)" : quote_text(metadata.title)});
  }
  if (!saves.empty()) context.out.write(table.fitted(context.out.columns()));
}

void print_sharing(Context& context, const ArchiveSharing& sharing) {
  if (context.globals.json) {
    for (const ArchiveShare& share : sharing.shares) {
      context.out.line(JsonObject("archive_share")
                           .text("table", share.table)
                           .text("field", share.field)
                           .number("references", share.references)
                           .number("raw_bytes", share.raw_bytes)
                           .number("objects", share.objects)
                           .number("stored_bytes", share.stored_bytes)
                           .str());
    }
    context.out.line(JsonObject("archive_sharing")
                         .number("saves", sharing.saves)
                         .number("raw_bytes", sharing.raw_bytes)
                         .number("stored_bytes", sharing.stored_bytes)
                         .str());
    return;
  }
  context.out.print("{}: {} uncompressed, stored in {}", count_text(sharing.saves, "save"),
                    size_text(sharing.raw_bytes), size_text(sharing.stored_bytes));
  TextTable table({false, true, true, true, true});
  table.add({"FIELD", "STORED", "SHARE", "OBJECTS", "REFERENCES"});
  for (const ArchiveShare& share : sharing.shares) {
    const double part = 100.0 * static_cast<double>(share.stored_bytes) /
                        static_cast<double>(std::max<std::uint64_t>(1, sharing.stored_bytes));
    const std::string name = share.table.empty() ? share.field : share.table + "." + share.field;
    table.add({escape_text(name), size_text(share.stored_bytes), fmt::format("{:.1f} %", part),
               fmt::format("{}", share.objects), fmt::format("{}", share.references)});
  }
  context.out.write(table.fitted(context.out.columns()));
}

namespace {

void print_one(Context& context, const ArchiveFault& fault, bool is_of_list) {
  if (context.globals.json) {
    JsonObject object("archive_fault");
    add_error(fault.error, object);
    JsonArray saves;
    for (const ArchiveVersion& save : fault.saves) saves.raw(json_text(save.text()));
    context.out.line(
        object.text("file", json_name(fault.error.file)).raw("saves", saves.str()).str());
    return;
  }
  if (context.globals.quiet) return;
  context.out.print("{} {}", context.out.paint(Style::bad, code_id(fault.error.code)),
                    fault.error.message());
  if (is_of_list) return;
  std::string saves;
  for (const ArchiveVersion& save : fault.saves) saves += (saves.empty() ? "" : ", ") + save.text();
  context.out.print("  needed by {}", saves.empty() ? "no save" : saves);
}

}  // namespace

void print_fault(Context& context, const ArchiveFault& fault) { print_one(context, fault, false); }

void print_list_faults(Context& context, const std::vector<ArchiveFault>& faults) {
  for (const ArchiveFault& fault : faults) print_one(context, fault, fault.saves.empty());
}

}  // namespace hdb::inspect
