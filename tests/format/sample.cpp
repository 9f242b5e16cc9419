// std::mt19937 records: every value goes to its column and, independently, into the canonical bytes
// of its row.
#include "format/sample.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "hdb/inspect/checks.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"
#include "support/row_hash.hpp"

namespace hdb::test {
namespace {

class RowMaker {
 public:
  RowMaker(const Field& schema, unsigned max_elements, std::mt19937& random)
      : schema_(schema),
        columns_(columns_of(schema)),
        bytes_(columns_.size()),
        bits_(columns_.size(), 0),
        max_elements_(max_elements),
        random_(random) {}

  Bytes make_row() {
    row_.clear();
    std::size_t column = 0;
    make(schema_, column);
    return row_;
  }
  std::vector<Bytes> take() { return std::move(bytes_); }

 private:
  unsigned pick(unsigned below) {
    return std::uniform_int_distribution<unsigned>(0, below - 1)(random_);
  }

  void put(std::size_t column, std::span<const std::byte> value) {
    bytes_[column].insert(bytes_[column].end(), value.begin(), value.end());
    row_.insert(row_.end(), value.begin(), value.end());
  }
  void put_length(std::size_t column, std::uint64_t length) {
    std::byte buffer[kMaxVarintBytes];
    put(column, std::span(buffer, store_varint(buffer, length)));
  }
  void skip(const Field& field, std::size_t& column) {
    column += columns_of(wrapped(field)).size();
  }
  static Field wrapped(const Field& field) {
    Field copy = field;
    copy.name = "x";
    return record({copy});
  }
  void make_elements(const Field& field, std::uint64_t count, std::size_t& column) {
    const std::size_t first = column;
    for (std::uint64_t i = 0; i < count; ++i) {
      column = first;
      for (const Field& child : field.children) make(child, column);
    }
    if (count != 0) return;
    for (const Field& child : field.children) skip(child, column);
  }

  void make(const Field& field, std::size_t& column) {
    switch (field.kind) {
      case FieldKind::structure:
        for (const Field& child : field.children) make(child, column);
        return;
      case FieldKind::array: return make_elements(field, field.count, column);
      case FieldKind::list:
      case FieldKind::map: {
        const unsigned count = pick(max_elements_ + 1);
        put_length(column++, count);
        return make_elements(field, count, column);
      }
      case FieldKind::string:
      case FieldKind::opaque: {
        std::string text;
        while (text.size() < max_elements_ && pick(4) != 0)
          text += field.utf8_checked ? "é" : "\xff";
        if (pick(50) == 0) text.assign(200, 'a');
        put_length(column++, text.size());
        put(column++, bytes_of(text));
        return;
      }
      case FieldKind::optional: {
        const bool present = pick(2) == 0;
        const std::uint64_t bit = bits_[column]++;
        if (bit % 8 == 0) bytes_[column].push_back(std::byte{0});
        if (present) bytes_[column].back() |= static_cast<std::byte>(1U << (bit % 8));
        row_.push_back(static_cast<std::byte>(present));
        ++column;
        return make_elements(field, present ? 1 : 0, column);
      }
      case FieldKind::variant: {
        const unsigned tag = pick(static_cast<unsigned>(field.children.size()));
        const std::byte byte{static_cast<unsigned char>(tag)};
        put(column++, {&byte, 1});
        for (unsigned i = 0; i < field.children.size(); ++i) {
          i == tag ? make(field.children[i], column) : skip(field.children[i], column);
        }
        return;
      }
      default: {
        std::byte value[8];
        for (std::byte& byte : value) byte = static_cast<std::byte>(pick(256));
        if (field.kind == FieldKind::boolean) value[0] &= std::byte{1};
        put(column++, std::span(value, fixed_width(field)));
        return;
      }
    }
  }

  const Field& schema_;
  std::vector<Column> columns_;
  std::vector<Bytes> bytes_;
  std::vector<std::uint64_t> bits_;
  unsigned max_elements_;
  std::mt19937& random_;
  Bytes row_;
};

bool retires(const TablePolicy& policy) {
  return policy.generations == Generations::per_slot && policy.overflow == Overflow::retire;
}

void fill_group(const Field& schema, const SampleOptions& options,
                const std::vector<std::uint32_t>& positions, std::mt19937& random,
                const TableDescriptor& table, const std::vector<std::uint8_t>& states,
                RowGroup& group) {
  RowMaker maker(schema, options.max_elements, random);
  Hash128 sum;
  for (std::uint64_t slot = group.first_slot; slot < group.first_slot + states.size(); ++slot) {
    const std::uint8_t state = states[static_cast<std::size_t>(slot - group.first_slot)];
    const auto number = static_cast<std::uint32_t>(slot);
    std::uint32_t generation = table.policy.layout.max_generation();
    if (state == 0) {
      const std::uint32_t most = retires(table.policy)
                                     ? std::min(table.highest_generation, generation - 1)
                                     : table.highest_generation;
      generation = 1 + static_cast<std::uint32_t>(random() % most);
    }
    if (state == 1)
      generation = 1 + static_cast<std::uint32_t>(random() % table.highest_generation);
    if (state == 3) generation = 0;
    group.states.push_back(state);
    group.generations.push_back(generation);
    if (state == 1) {
      const bool dense = table.policy.storage == Storage::dense;
      if (dense) group.positions.push_back(positions[number]);
      sum += row_hash(number, generation, maker.make_row(), dense ? positions[number] : 0);
    } else {
      sum += vacant_slot_hash(number, static_cast<SlotState>(state), generation);
    }
  }
  group.columns = maker.take();
  group.record_hash = sum;
}

}  // namespace

void MemoryImage::add(SampleTable table) { data.push_back(std::move(table)); }

const std::vector<TableDescriptor>& MemoryImage::tables() const {
  if (descriptors_.size() != data.size()) {
    descriptors_.clear();
    for (const SampleTable& table : data) descriptors_.push_back(table.descriptor);
  }
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (!(descriptors_[i] == data[i].descriptor)) descriptors_[i] = data[i].descriptor;
  }
  return descriptors_;
}

Status MemoryImage::read_group(std::size_t table, std::uint64_t group, bool with_hash,
                               RowGroup& out) const {
  out = data[table].groups[static_cast<std::size_t>(group)];
  if (!with_hash || !gives_hashes) out.record_hash.reset();
  return {};
}

Status MemoryImage::read_free_list(std::size_t table, std::uint64_t first,
                                   std::span<std::uint32_t> out) const {
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = data[table].free_list.at(static_cast<std::size_t>(first) + i);
  return {};
}

Field leaf(FieldKind kind, std::string name) {
  Field field;
  field.kind = kind;
  field.name = std::move(name);
  return field;
}

Field node(FieldKind kind, std::string name, std::vector<Field> children) {
  Field field = leaf(kind, std::move(name));
  field.children = std::move(children);
  return field;
}

Field record(std::vector<Field> fields) {
  return node(FieldKind::structure, {}, std::move(fields));
}

Field plain_schema() {
  return record({leaf(FieldKind::f32, "x"), leaf(FieldKind::f32, "y"), leaf(FieldKind::f32, "z"),
                 leaf(FieldKind::i32, "hp"), leaf(FieldKind::u8, "flags"),
                 leaf(FieldKind::u64, "id")});
}

Field every_kind() {
  std::vector<Field> fields;
  for (int kind = 1; kind <= static_cast<int>(FieldKind::char32); ++kind) {
    fields.push_back(leaf(static_cast<FieldKind>(kind), "f" + std::to_string(kind)));
  }
  fields.push_back(node(FieldKind::enumeration, "mood", {leaf(FieldKind::i16)}));
  Field handle = leaf(FieldKind::handle, "target");
  handle.table = "things";
  fields.push_back(handle);
  handle.name = "owned";
  handle.layout = {16, 16, 0};
  handle.strong = true;
  fields.push_back(handle);
  Field text = leaf(FieldKind::string, "name");
  text.utf8_checked = true;
  fields.push_back(text);
  text.name.clear();
  fields.push_back(leaf(FieldKind::string, "raw"));
  fields.push_back(leaf(FieldKind::opaque, "blob"));
  Field version = node(FieldKind::structure, "inner",
                       {leaf(FieldKind::u16, "a"), leaf(FieldKind::boolean, "b")});
  version.versioned = true;
  version.class_version = 7;
  fields.push_back(version);
  version.name.clear();
  Field array = node(FieldKind::array, "grid", {version});
  array.count = 3;
  fields.push_back(array);
  fields.push_back(
      node(FieldKind::list, "items", {node(FieldKind::list, {}, {leaf(FieldKind::i32)})}));
  fields.push_back(node(FieldKind::map, "by_name", {text, version}));
  fields.push_back(node(FieldKind::optional, "maybe", {text}));
  Field texts = node(FieldKind::array, {}, {node(FieldKind::optional, {}, {text})});
  texts.count = 2;
  fields.push_back(node(FieldKind::variant, "choice", {record({}), text, texts}));
  return record(std::move(fields));
}

SampleTable random_table(const Field& schema, const SampleOptions& options) {
  std::mt19937 random(options.seed);
  SampleTable out;
  TableDescriptor& table = out.descriptor;
  table.name = options.name;
  table.schema = options.schema;
  table.policy = options.policy;
  table.group_shift = group_shift_for(schema);
  table.slot_count = options.slots;
  table.highest_generation =
      options.slots == 0 ? 0 : std::min(1000U, options.policy.layout.max_generation());
  table.counter =
      options.policy.generations == Generations::table_counter ? table.highest_generation : 0;
  // With one generation in all, a slot that lost its record is retired, never free.
  const std::uint8_t vacant =
      retires(options.policy) && options.policy.layout.max_generation() == 1 ? 2 : 0;
  const bool lowest = options.policy.free_list == FreeList::lowest;
  std::vector<std::uint8_t> states(static_cast<std::size_t>(options.slots));
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto dice = random() % 100;
    states[i] = vacant;
    if (dice < options.live_percent) {
      states[i] = 1;
    } else if (dice < options.live_percent + options.retired_percent) {
      states[i] = 2;
    } else if (lowest && dice % 2 != 0) {
      states[i] = 3;
    }
    if (states[i] == 1) ++table.live_count;
    if (states[i] == 2) ++table.retired_count;
    if (states[i] == 0) ++table.free_count;
    if (states[i] == 0 && !lowest) out.free_list.push_back(static_cast<std::uint32_t>(i));
  }
  std::shuffle(out.free_list.begin(), out.free_list.end(), random);
  std::vector<std::uint32_t> order(static_cast<std::size_t>(table.live_count));
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin(), order.end(), random);
  std::vector<std::uint32_t> positions(states.size());
  for (std::size_t i = 0, rank = 0; i < states.size(); ++i) {
    if (states[i] == 1) positions[i] = order[rank++];
  }
  for (std::uint64_t i = 0; i < table.group_count(); ++i) {
    RowGroup& group = out.groups.emplace_back();
    group.first_slot = table.group_begin(i);
    const auto first = states.begin() + static_cast<std::ptrdiff_t>(table.group_begin(i));
    const auto last = states.begin() + static_cast<std::ptrdiff_t>(table.group_end(i));
    fill_group(schema, options, positions, random, table, {first, last}, group);
  }
  return out;
}

MemoryImage sample_image() {
  MemoryImage image;
  image.meta = {"A title", 123456, -5, 7, {{"map", "E1M1"}, {"skill", "4"}}};
  for (int i = 0; i < 100; ++i) image.thumb.push_back(static_cast<std::byte>(i));
  image.schema_list = {every_kind(), plain_schema(), record({})};
  SampleOptions options;
  options.name = "dense";
  image.add(random_table(image.schema_list[0], options));
  options = {.name = "empty", .schema = 1, .policy = {}, .slots = 0};
  image.add(random_table(image.schema_list[1], options));
  options = {.name = "nothing", .schema = 2, .policy = {}, .slots = 70};
  options.policy.layout = {20, 12, 0};
  options.policy.free_list = FreeList::fifo;
  options.policy.generations = Generations::table_counter;
  image.add(random_table(image.schema_list[2], options));
  options = {.name = "stable", .schema = 1, .policy = {}, .slots = 70000};
  options.policy.storage = Storage::stable;
  options.policy.overflow = Overflow::wrap;
  image.add(random_table(image.schema_list[1], options));
  return image;
}

Bytes written(const ImageSource& image, const WriteOptions& options) {
  MemorySink sink;
  WriteOptions with_id = options;
  if (!with_id.file_id) with_id.file_id = Hash128{1, 2};  // so that equal images make equal files
  const auto report = write_image(image, sink, with_id);
  EXPECT_TRUE(report.has_value()) << (report ? "" : report.error().message());
  if (report) {
    EXPECT_EQ(report->bytes, sink.bytes().size());
  }
  return sink.take();
}

Result<std::unique_ptr<Reader>> open_bytes(const Bytes& bytes, const ReadOptions& options) {
  return Reader::open(std::make_unique<MemorySource>(bytes), options);
}

Status read_everything(const Bytes& bytes, const ReadOptions& options) {
  auto opened = open_bytes(bytes, options);
  if (!opened) return fail(std::move(opened.error()));
  const Reader& reader = **opened;
  RowGroup group;
  for (std::size_t i = 0; i < reader.tables().size(); ++i) {
    const TableDescriptor& table = reader.tables()[i];
    SlotChecker checker(table);
    for (std::uint64_t k = 0; k < table.group_count(); ++k) {
      if (Status status = reader.read_group(i, k, group); !status) return status;
      if (Status status = checker.add_group(k, group); !status) return status;
    }
    auto list = reader.read_free_list(i);
    if (!list) return fail(std::move(list.error()));
    if (Status status = checker.add_free(*list); !status) return status;
    if (Status status = checker.finish(); !status) return status;
  }
  return check_other_blocks(reader);
}

void expect_equal(const ImageSource& a, const ImageSource& b) {
  EXPECT_EQ(a.metadata(), b.metadata());
  EXPECT_EQ(a.thumbnail(), b.thumbnail());
  EXPECT_EQ(a.schemas(), b.schemas());
  ASSERT_EQ(a.tables(), b.tables());
  RowGroup group_a;
  RowGroup group_b;
  for (std::size_t i = 0; i < a.tables().size(); ++i) {
    const TableDescriptor& table = a.tables()[i];
    for (std::uint64_t k = 0; k < table.group_count(); ++k) {
      ASSERT_TRUE(a.read_group(i, k, false, group_a));
      const Status status = b.read_group(i, k, false, group_b);
      ASSERT_TRUE(status) << status.error().message();
      EXPECT_EQ(group_a.first_slot, group_b.first_slot);
      EXPECT_EQ(group_a.states, group_b.states);
      EXPECT_EQ(group_a.generations, group_b.generations);
      EXPECT_EQ(group_a.positions, group_b.positions);
      EXPECT_EQ(group_a.columns, group_b.columns) << "table " << i << " group " << k;
    }
    std::vector<std::uint32_t> list_a(static_cast<std::size_t>(table.listed_count()));
    std::vector<std::uint32_t> list_b(list_a.size());
    ASSERT_TRUE(a.read_free_list(i, 0, list_a));
    ASSERT_TRUE(b.read_free_list(i, 0, list_b));
    EXPECT_EQ(list_a, list_b);
  }
}

}  // namespace hdb::test
