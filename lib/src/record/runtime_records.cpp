// Builds, checks and encodes records of a type that exists only at run time.
#include "record/runtime_records.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <utility>

#include "hdb/detail/record/sinks.hpp"
#include "hdb/hash.hpp"
#include "hdb/inspect/table_schema.hpp"
#include "record/row_walk.hpp"

namespace hdb::detail::record {
namespace {

constexpr std::size_t kMaxAlignment = 64;

/// One for all keys of this library; a module of its own has other keys.
constexpr char kRuntimeAnchor = 0;

/// Checks what an archive would check while it loads.
struct CheckSink : RowSink {
  static constexpr bool kWantsKeys = true;

  const char* values(const PlanNode& node, std::span<const std::byte> bytes) {
    if (node.leaf != FieldKind::boolean) return nullptr;
    const bool is_bool = std::all_of(bytes.begin(), bytes.end(),
                                     [](std::byte byte) { return byte <= std::byte{1}; });
    return is_bool ? nullptr : "a boolean is neither 0 nor 1";
  }
  const char* text(const PlanNode& node, std::span<const std::byte> bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return node.utf8_checked && !is_utf8(text) ? "a text is not UTF-8" : nullptr;
  }
  const char* keys(const PlanNode&, std::vector<std::string_view>& keys) {
    std::sort(keys.begin(), keys.end());
    const bool is_unique = std::adjacent_find(keys.begin(), keys.end()) == keys.end();
    return is_unique ? nullptr : "a map has the same key twice";
  }
};

/// Appends the parts of rows to their columns.
class ColumnsSink : public RowSink {
 public:
  ColumnsSink(const Plan& plan, std::vector<Bytes>& columns, const std::vector<bool>* wanted)
      : sinks_(plan.columns.size()), staging_(unset_bytes(kStagingBytes * sinks_.size())) {
    for (std::size_t i = 0; i < sinks_.size(); ++i) {
      const bool is_filled = wanted == nullptr || (*wanted)[i];
      sinks_[i].attach(staging_.get() + i * kStagingBytes, kStagingBytes,
                       is_filled ? &columns[i] : nullptr);
    }
  }
  const char* values(const PlanNode& node, std::span<const std::byte> bytes) {
    sinks_[node.column].append(bytes.data(), bytes.size());
    return nullptr;
  }
  const char* text(const PlanNode& node, std::span<const std::byte> bytes) {
    sinks_[node.column].put_varint(bytes.size());
    sinks_[node.column + 1].append(bytes.data(), bytes.size());
    return nullptr;
  }
  void size(const PlanNode& node, std::uint64_t count) { sinks_[node.column].put_varint(count); }
  void present(const PlanNode& node, bool is) { sinks_[node.column].put_bit(is); }
  void tag(const PlanNode& node, std::uint8_t tag) { sinks_[node.column].put(tag); }
  void finish() {
    for (ColumnSink& sink : sinks_) sink.finish();
  }

 private:
  static constexpr std::size_t kStagingBytes = 256;

  std::vector<ColumnSink> sinks_;
  std::unique_ptr<std::byte[]> staging_;
};

Described described_of(const Field& field) {
  Described described;
  described.field = field;
  described.field.children.clear();
  if (field.kind == FieldKind::list) described.key_rule = KeyRule::repeat;
  if (field.kind == FieldKind::map) described.key_rule = KeyRule::distinct;
  if (field.kind == FieldKind::handle)  // without a table: of any table of this layout
    described.handle_key = runtime_handle_key(field.table, field.layout);
  for (const Field& child : field.children) described.children.push_back(described_of(child));
  return described;
}

/// Adds what a program declares. `plan`: of the declared schema.
void declare(Described& described, const Plan& plan, std::uint32_t index = 0) {
  const PlanNode& node = plan.nodes[index];
  described.key_rule = node.key_rule;
  described.renames = node.renames;
  described.old_alternatives = node.old_alternatives;
  for (std::size_t i = 0; i < node.children.size(); ++i)
    declare(described.children[i], plan, node.children[i]);
}

/// The first field that has no fixed width; null if all have one.
const PlanNode* find_variable(const Plan& plan) {
  const auto is_variable = [](const PlanNode& node) {
    return node.width == 0 && node.kind != FieldKind::structure && node.kind != FieldKind::array;
  };
  const auto found = std::find_if(plan.nodes.begin(), plan.nodes.end(), is_variable);
  return found == plan.nodes.end() ? nullptr : &*found;
}

}  // namespace

HandleKey runtime_handle_key(std::string_view table, const HandleLayout& layout) {
  const std::byte widths[] = {std::byte{layout.index_bits}, std::byte{layout.generation_bits},
                              std::byte{layout.type_bits}};
  Bytes name(std::begin(widths), std::end(widths));
  const auto* const text = reinterpret_cast<const std::byte*>(table.data());
  name.insert(name.end(), text, text + table.size());
  return {hash128(name).low | 1, &kRuntimeAnchor, nullptr};
}

std::size_t zero_bytes(const Plan& plan, const PlanNode& node) noexcept {
  std::size_t bytes = node.width;
  if (node.kind == FieldKind::structure || node.kind == FieldKind::array) {
    for (const std::uint32_t child : node.children) bytes += zero_bytes(plan, plan.nodes[child]);
    if (node.kind == FieldKind::array) bytes *= static_cast<std::size_t>(node.count);
  }
  if (node.kind == FieldKind::variant) bytes = 1 + zero_bytes(plan, plan.nodes[node.children[0]]);
  return std::max<std::size_t>(bytes, 1);
}

void put_zero(const Plan& plan, const PlanNode& node, Bytes& row) {
  switch (node.kind) {
    case FieldKind::structure:
    case FieldKind::array: {
      const std::uint64_t times = node.kind == FieldKind::array ? node.count : 1;
      for (std::uint64_t i = 0; i < times; ++i) {
        for (const std::uint32_t child : node.children) put_zero(plan, plan.nodes[child], row);
      }
      break;
    }
    case FieldKind::variant:
      row.push_back(std::byte{0});
      put_zero(plan, plan.nodes[node.children[0]], row);
      break;
    default: row.insert(row.end(), std::max<std::size_t>(node.width, 1), std::byte{0}); break;
  }
}

Result<std::shared_ptr<const Discovery>> RuntimeRecords::discover(RuntimeType type) {
  if (Status checked = check_schema(type.root); !checked)
    return fail(ErrorCode::refused_type, checked.error().what, checked.error().where);
  auto found = std::make_shared<Discovery>();
  found->described = described_of(type.root);
  if (type.declared != nullptr) declare(found->described, plan_of(*type.declared));
  found->plan = plan_of(type.root);
  add_program_side(found->plan, found->described);
  std::shared_ptr<RuntimeRecords> own(new RuntimeRecords);
  own->plan_ = found->plan;
  own->root_ = std::move(type.root);
  own->declared_ = std::move(type.declared);
  own->is_struct_ = type.is_struct;
  own->initial_ = std::move(type.initial);
  if (type.is_struct) {
    if (std::endian::native != std::endian::little)
      return fail(ErrorCode::refused_type, "structs need a little-endian machine");
    if (const PlanNode* const node = find_variable(own->plan_)) {
      return fail(ErrorCode::refused_type,
                  std::string(kind_name(node->kind)) + " has no fixed place in a struct",
                  "field '" + node->path + "'");
    }
    if (!std::has_single_bit(type.alignment) || type.alignment > kMaxAlignment || type.size == 0 ||
        type.size % type.alignment != 0) {
      return fail(ErrorCode::refused_type,
                  "the alignment of a struct is a power of two up to 64, and its size a multiple "
                  "of the alignment and not 0");
    }
    for (const LeafPlace& place : type.places) {
      if (place.offset > type.size || place.width > type.size - place.offset)
        return fail(ErrorCode::refused_type, "a field ends after the struct");
      if (place.kind == FieldKind::boolean) own->booleans_.push_back(place);
    }
    own->size_ = type.size;
    own->alignment_ = type.alignment;
    if (!own->layout_.build(own->plan_, type.places, type.size))
      return fail(ErrorCode::refused_type, "two fields of the struct overlap");
    found->layout = own->layout_;
    found->is_plain = true;
  }
  if (Status made = own->set_default(); !made) return fail(std::move(made.error()));
  found->runtime = std::move(own);
  return std::shared_ptr<const Discovery>(std::move(found));
}

Status RuntimeRecords::set_default() {
  if (!is_struct_) {
    default_row_ = std::exchange(initial_, {});
    if (!default_row_.empty()) return check(default_row_);
    put_zero(plan_, plan_.nodes.front(), default_row_);
    return {};
  }
  initial_.resize(initial_.empty() ? size_ : initial_.size(), std::byte{0});
  if (Status checked = check(initial_); !checked) return checked;
  for (const PlainRun& run : layout_.row) {
    const std::byte* const from = initial_.data() + run.offset;
    default_row_.insert(default_row_.end(), from, from + run.size);
  }
  return {};
}

RecordOps RuntimeRecords::ops() const noexcept {
  if (!is_struct_) return record_ops<PackedRecord>();
  RecordOps ops;
  ops.size_bytes = size_;
  ops.alignment = alignment_;
  ops.destroy = [](void*) noexcept {};
  ops.initial = initial_.data();
  return ops;
}

Status RuntimeRecords::check(std::span<const std::byte> record) const {
  if (!is_struct_) {
    CheckSink sink;
    RowWalk walk(plan_, sink, record);
    return walk.record() ? Status() : Status(fail(walk.error()));
  }
  if (record.size() != size_) {
    return fail(ErrorCode::invalid_value, "the record has " + std::to_string(record.size()) +
                                              " bytes, but the struct of the table has " +
                                              std::to_string(size_));
  }
  for (const LeafPlace& place : booleans_) {
    if (record[place.offset] > std::byte{1}) {
      return fail(ErrorCode::invalid_value, "a boolean is neither 0 nor 1",
                  "byte " + std::to_string(place.offset) + " of the record");
    }
  }
  return {};
}

void RuntimeRecords::encode(const RecordBatch& batch, std::vector<Bytes>* columns,
                            Hash128* hash_sum, const std::vector<bool>* wanted) const {
  std::optional<ColumnsSink> sink;
  if (columns != nullptr) sink.emplace(plan_, *columns, wanted);
  Hash128 sum;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const std::span<const std::byte> row = row_of(batch.record(i));
    if (hash_sum != nullptr) sum += hash128(row, batch.seed(i));
    if (!sink) continue;
    RowWalk walk(plan_, *sink, row);
    HDB_REQUIRE(walk.record(), "RR1: the row of a record does not fit its schema");
  }
  if (sink) sink->finish();
  if (hash_sum != nullptr) *hash_sum += sum;
}

void RuntimeRecords::put_row(std::span<const std::byte> row, void* record) const {
  if (!is_struct_) {
    static_cast<PackedRecord*>(record)->row.assign(row.begin(), row.end());
    return;
  }
  const std::byte* from = row.data();
  for (const PlainRun& run : layout_.row) {
    std::memcpy(static_cast<std::byte*>(record) + run.offset, from, run.size);
    from += run.size;
  }
}

}  // namespace hdb::detail::record
