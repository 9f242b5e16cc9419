// A small machine: which line may come next, and what it adds.
#include "exact/importer.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/schema.hpp"
#include "hdb/inspect/text.hpp"

namespace hdb::inspect {
namespace {

tl::unexpected<Error> bad_line(std::string what) {
  return fail(ErrorCode::bad_exact_dump, std::move(what));
}

// The library calls it damage; here it is a mistake in a line, which the user can fix.
Error as_bad_line(Error error) {
  if (category_of(error.code) == ErrorCategory::corrupt) error.code = ErrorCode::bad_exact_dump;
  return error;
}

}  // namespace

Status ExactImporter::add_line(char* line, std::size_t size) {
  ++number_;
  in_slot_ = false;
  while (size != 0 && (line[size - 1] == '\r' || line[size - 1] == ' ')) line[--size] = '\0';
  if (size == 0) return {};
  // Said before JSON is blamed for it.
  if (next_ == Next::header && std::string_view(line, size).starts_with("\x89HDB"))
    return bad_line("the input is a save file, not the output of dump --exact");
  Status status = line_.parse(line, size, "line", ErrorCode::bad_exact_dump);
  if (!status) return fail(placed(std::move(status.error())));
  Members members(line_, line_.root());
  const std::string_view type = members.text("type");
  const std::uint64_t version = members.number("v", ~std::uint64_t{0});
  if (type.empty()) members.fault("the type of the line is empty");
  if (version == 0) members.fault("version 0 of a line does not exist");
  if (type.empty() || version == 0) {
    status = members.finish();  // the first fault
  } else if (version > 1) {
    status =
        fail(ErrorCode::newer_version,
             fmt::format("the dump has lines of version {}; this hdbinspect reads only version 1",
                         version));
  } else {
    status = take(type, members);
  }
  if (!status) return fail(placed(std::move(status.error())));
  return {};
}

Error ExactImporter::placed(Error error) const {
  if (category_of(error.code) == ErrorCategory::io)
    return error;  // the temporary file: no line's fault
  error = as_bad_line(std::move(error));
  if (in_slot_) error = std::move(error).in(fmt::format("slot {}", slot_));
  const bool in_table = next_ == Next::slot || next_ == Next::free_list;
  if (in_table && image_ != nullptr && table_ < image_->tables().size())
    error = std::move(error).in(fmt::format("table '{}'", escape_text(table().name)));
  return std::move(error).in(fmt::format("line {}", number_));
}

Status ExactImporter::take(std::string_view type, Members& members) {
  static constexpr std::array<std::string_view, 9> kTypes{
      line_type::kHeader,   line_type::kThumbnail, line_type::kSchema,
      line_type::kTable,    line_type::kBlock,     line_type::kSlot,
      line_type::kFreeList, line_type::kEnd,       ""};
  const std::string_view expected = kTypes[static_cast<std::size_t>(next_)];
  if (next_ == Next::nothing)
    return bad_line("there are more lines after the last line of the dump");
  if (type != expected) {
    if (next_ == Next::header)
      return bad_line("the first line must have type exact, as dump --exact writes it");
    return bad_line(
        fmt::format("a line of type {} is expected here, not {}", expected, quote_text(type)));
  }
  Status status;
  switch (next_) {
    case Next::header: status = take_header(members); break;
    case Next::thumbnail: status = take_thumbnail(members); break;
    case Next::schema: status = take_schema(members); break;
    case Next::table: status = take_table(members); break;
    case Next::block: {
      auto block = read_block_line(line_, members);
      if (!block) return fail(std::move(block.error()));
      image_->blocks.push_back(std::move(*block));
      break;
    }
    case Next::slot: status = take_slot(members); break;
    case Next::free_list: status = take_free_list(members); break;
    default: return take_end(members);
  }
  return status ? go_on() : status;
}

// Finds out which line comes next, and finishes what is complete.
Status ExactImporter::go_on() {
  const auto is_before = [&](Next step) { return next_ <= step; };
  if (is_before(Next::thumbnail) && image_->thumb.size() < header_.thumbnail_bytes) {
    next_ = Next::thumbnail;
  } else if (is_before(Next::schema) && image_->schema_list.size() < header_.schemas) {
    next_ = Next::schema;
  } else if (is_before(Next::table) && image_->tables().size() < header_.tables) {
    next_ = Next::table;
  } else if (is_before(Next::block) && image_->blocks.size() < header_.blocks) {
    next_ = Next::block;
  } else {
    if (next_ < Next::slot) {
      next_ = Next::slot;
      table_ = 0;
      if (table_ < image_->tables().size()) {
        if (Status status = begin_table(); !status) return status;
      }
    }
    // Tables without slots have no lines of their own.
    while (table_ < image_->tables().size()) {
      next_ = slot_ < table().slot_count ? Next::slot : Next::free_list;
      if (next_ == Next::slot || image_->free_list(table_).size() < table().listed_count())
        return {};
      in_slot_ = false;
      if (Status status = end_table(); !status) return status;
      if (++table_ == image_->tables().size()) break;
      if (Status status = begin_table(); !status) return status;
    }
    next_ = Next::end;
  }
  return {};
}

Status ExactImporter::take_header(Members& members) {
  auto header = read_header(line_, members);
  if (!header) return fail(std::move(header.error()));
  header_ = std::move(*header);
  if (header_.thumbnail_bytes > limits_.max_thumbnail_bytes)
    return fail(ErrorCode::limit_exceeded,
                fmt::format("the thumbnail has {} bytes; at most {} are allowed",
                            header_.thumbnail_bytes, limits_.max_thumbnail_bytes));
  auto image = SpooledImage::create();
  if (!image) return fail(std::move(image.error()));
  image_ = std::move(*image);
  image_->meta = header_.metadata;
  image_->of_database = header_.database;
  return {};
}

Status ExactImporter::take_thumbnail(Members& members) {
  const std::uint64_t first = members.number("first", format::kMaxThumbnailBytes);
  std::string piece;
  if (!decode_hex(members.text("hex"), piece))
    members.fault("hex", "hexadecimal digits are needed, two per byte");
  if (Status status = members.finish(); !status) return status;
  Bytes& thumbnail = image_->thumb;
  if (first != thumbnail.size())
    return bad_line(fmt::format("'first': byte {} of the thumbnail is expected here, not {}",
                                thumbnail.size(), first));
  if (piece.empty() || piece.size() > header_.thumbnail_bytes - thumbnail.size())
    return bad_line(fmt::format("'hex': the line has {} bytes, but {} of the thumbnail are left",
                                piece.size(), header_.thumbnail_bytes - thumbnail.size()));
  const auto bytes = bytes_of(piece);
  thumbnail.insert(thumbnail.end(), bytes.begin(), bytes.end());
  return {};
}

Status ExactImporter::take_schema(Members& members) {
  auto root = read_schema_line(line_, members, image_->schema_list.size());
  if (!root) return fail(std::move(root.error()));
  image_->schema_list.push_back(std::move(*root));
  return {};
}

Status ExactImporter::take_table(Members& members) {
  auto table = read_table_line(line_, members, image_->schema_list);
  if (!table) return fail(std::move(table.error()));
  const auto& tables = image_->tables();
  if (!tables.empty() && tables.back().name >= table->name) {
    return bad_line(fmt::format("'table': tables must be sorted by name, but '{}' comes after '{}'",
                                escape_text(table->name), escape_text(tables.back().name)));
  }
  if (table->slot_count > limits_.max_slots_per_table)
    return fail(ErrorCode::limit_exceeded,
                fmt::format("'slots': {}; at most {} are allowed", table->slot_count,
                            limits_.max_slots_per_table));
  if (table->type_id > header_.database.highest_type_id)
    return bad_line(fmt::format("'type_id': {} is above the highest type id in the first line, {}",
                                table->type_id, header_.database.highest_type_id));
  image_->add_table(std::move(*table));
  return {};
}

// --- slots

Status ExactImporter::other_table(std::string_view name) const {
  return bad_line(fmt::format("'table': '{}' is expected here, not '{}'", escape_text(table().name),
                              escape_text(name)));
}

Status ExactImporter::begin_table() {
  slot_ = 0;
  const Field& root = image_->schema_list[table().schema];
  values_.emplace(image_->tables(), JsonValueReader::Form::exact);
  encoder_.emplace(root);
  checker_.emplace(table());
  group_ = {};
  encoder_->begin(group_.columns);
  return {};
}

Status ExactImporter::take_slot(Members& members) {
  in_slot_ = true;
  const std::string_view name = members.text("table");
  const std::uint64_t slot = members.number("slot", 0xffffffff);
  const std::string_view word = members.text("state");
  const auto generation = static_cast<std::uint32_t>(members.number("generation", 0xffffffff));
  const JsonNode* const position = members.find("position");
  const JsonNode* const fields = members.find("fields");
  if (Status status = members.finish(); !status) return status;
  if (name != table().name) return other_table(name);
  if (slot != slot_)
    return bad_line(fmt::format("'slot': {} is expected here, not {}", slot_, slot));
  constexpr std::array kStates{SlotState::free, SlotState::live, SlotState::retired,
                               SlotState::unissued};
  const auto* const state = std::find_if(kStates.begin(), kStates.end(),
                                         [&](SlotState each) { return state_name(each) == word; });
  if (state == kStates.end())
    return bad_line(fmt::format("'state': '{}' is not one of free, live, retired, unissued",
                                escape_text(word)));
  if (Status status = check_slot(table(), slot, *state, generation); !status)
    return bad_line("'generation': " + status.error().what);
  group_.states.push_back(static_cast<std::uint8_t>(*state));
  group_.generations.push_back(generation);
  if (*state == SlotState::live) {
    if (Status status = take_record(fields, position, members); !status) return status;
  } else if (fields != nullptr || position != nullptr) {
    return bad_line(
        fmt::format("a {} slot cannot have '{}'", word, fields != nullptr ? "fields" : "position"));
  }
  ++seen_.slots;
  ++slot_;
  if (slot_ == table().slot_count || slot_ % (std::uint64_t{1} << table().group_shift) == 0)
    return end_group();
  return {};
}

Status ExactImporter::take_record(const JsonNode* fields, const JsonNode* position,
                                  Members& members) {
  const bool is_dense = table().policy.storage == Storage::dense;
  if (fields == nullptr)
    members.fault("the member 'fields' is missing: a live slot needs a record");
  if (is_dense && position == nullptr)
    members.fault("the member 'position' is missing: the table is dense");
  if (!is_dense && position != nullptr)
    members.fault("a slot of a stable table cannot have 'position'");
  std::uint64_t number = 0;
  if (position != nullptr &&
      (!read_number(*position, number) || number >= table().position_count())) {
    members.fault("position", fmt::format("a whole number below {}, the number of the table's "
                                          "positions, is needed",
                                          table().position_count()));
  }
  if (Status status = members.finish(); !status) return status;
  if (is_dense) group_.positions.push_back(static_cast<std::uint32_t>(number));
  const Field& root = image_->schema_list[table().schema];
  if (Status status = values_->read(line_, *fields, root, record_); !status) return status;
  if (Status status = encoder_->append(record_); !status) return status;
  ++seen_.records;
  return {};
}

Status ExactImporter::end_group() {
  in_slot_ = false;
  const std::uint64_t number = (slot_ - 1) >> table().group_shift;
  group_.first_slot = table().group_begin(number);
  Status status = check_group_slots(table(), number, group_);
  if (status) status = checker_->add_group(number, group_);
  if (status) status = image_->add_group(table_, group_);
  if (!status) return status;
  group_.states.clear();
  group_.generations.clear();
  group_.positions.clear();
  encoder_->begin(group_.columns);
  return {};
}

Status ExactImporter::take_free_list(Members& members) {
  const std::string_view name = members.text("table");
  const std::uint64_t first = members.number("first", 0xffffffff);
  std::vector<std::uint32_t> slots;
  for (const JsonNode* const node : members.elements("slots")) {
    std::uint64_t slot = 0;
    if (!read_number(*node, slot) || slot > 0xffffffff)
      members.fault("slots", fmt::format("slot numbers from 0 to {} are needed", 0xffffffff));
    slots.push_back(static_cast<std::uint32_t>(slot));
  }
  if (Status status = members.finish(); !status) return status;
  if (name != table().name) return other_table(name);
  const std::uint64_t listed = image_->free_list(table_).size();
  if (first != listed)
    return bad_line(
        fmt::format("'first': entry {} of the free list is expected here, not {}", listed, first));
  if (slots.empty() || slots.size() > table().listed_count() - listed)
    return bad_line(
        fmt::format("'slots': the line has {} entries, but {} of the free list are left",
                    slots.size(), table().listed_count() - listed));
  if (Status status = checker_->add_free(slots); !status) return status;
  image_->add_free(table_, slots);
  return {};
}

Status ExactImporter::end_table() {
  Status status = checker_->finish();
  checker_.reset();
  return status;
}

Status ExactImporter::take_end(Members& members) {
  auto end = read_end(members);
  if (!end) return fail(std::move(end.error()));
  end_ = std::move(*end);
  if (end_.slots != seen_.slots || end_.records != seen_.records) {
    return bad_line(
        fmt::format("the last line states {} slots and {} records, but the dump has {} and {}",
                    end_.slots, end_.records, seen_.slots, seen_.records));
  }
  next_ = Next::nothing;
  return {};
}

Result<std::unique_ptr<SpooledImage>> ExactImporter::finish() {
  if (next_ == Next::nothing) return std::move(image_);
  if (next_ == Next::header) return bad_line("the input is empty");
  in_slot_ = false;
  return fail(placed(bad_line("the dump is cut off: its last line, of type exact_end, is missing")
                         .value()
                         .in("the end")));
}

}  // namespace hdb::inspect
