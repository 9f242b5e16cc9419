// The parts of encoding that do not know the record type: names, texts, loops of user containers,
// errors.
#include "hdb/detail/record/encode_archive.hpp"

#include <string_view>

#include "hdb/bytes.hpp"
#include "record/placed_field.hpp"

namespace hdb::detail::record {
namespace {

constexpr std::size_t kStagingBytes = std::size_t{256} << 10;

std::size_t staging_bytes_per_column(std::size_t columns) {
  return std::clamp<std::size_t>(kStagingBytes / std::max<std::size_t>(columns, 1), 256, 8192);
}

std::vector<std::uint32_t> offsets_of(const MemberTable& table, const void* object) {
  const void* members[kMostMembers];
  table.find(object, members);
  std::vector<std::uint32_t> offsets;
  for (std::size_t i = 0; i < table.count; ++i) {
    offsets.push_back(static_cast<std::uint32_t>(static_cast<const std::byte*>(members[i]) -
                                                 static_cast<const std::byte*>(object)));
  }
  return offsets;
}

}  // namespace

EncodeArchive::EncodeArchive(const Plan& plan, std::vector<Bytes>* columns, bool wants_rows,
                             const std::vector<bool>* wanted)
    : cereal::OutputArchive<EncodeArchive, cereal::AllowEmptyClassElision>(this),
      nodes_(plan.nodes.data()),
      wants_rows_(wants_rows),
      sinks_(plan.columns.size()),
      plan_(plan) {
  const std::size_t each = staging_bytes_per_column(sinks_.size());
  staging_ = unset_bytes(each * sinks_.size());
  for (std::size_t i = 0; i < sinks_.size(); ++i) {
    const bool is_filled = columns != nullptr && (wanted == nullptr || (*wanted)[i]);
    sinks_[i].attach(staging_.get() + i * each, each, is_filled ? &(*columns)[i] : nullptr);
  }
}

void EncodeArchive::skip_placed(std::span<const PlacedField> fields) noexcept {
  placed_ = fields.empty() ? nullptr : fields.data();
}

std::span<const std::byte> EncodeArchive::row_bytes() const noexcept { return row_.bytes(); }

void EncodeArchive::finish() {
  for (ColumnSink& sink : sinks_) sink.finish();
}

void EncodeArchive::begin_record() noexcept {
  structure_ = nodes_;
  cursor_ = nodes_ + 1;
  limit_ = nodes_ + plan_.nodes.size();
  loop_ = nullptr;
}

void EncodeArchive::begin_structure(Outer& outer) {
  outer.structure = structure_;
  outer.loop = loop_;
  outer.limit = limit_;
  structure_ = &enter(FieldKind::structure);
  limit_ = end_of(*structure_);
  loop_ = nullptr;
}

void EncodeArchive::end_structure(const Outer& outer) {
  if (cursor_ != limit_) [[unlikely]]
    drift_end(limit_);
  structure_ = outer.structure;
  limit_ = outer.limit;
  loop_ = outer.loop;
}

void EncodeArchive::aggregate(const MemberTable& table, const void* at) {
  const bool is_base = bases_.take_is_base();
  const std::size_t bases = bases_.size();
  Outer outer;
  if (raw_ == nullptr) begin_structure(outer);
  const void* members[kMostMembers];
  table.find(at, members);
  for (std::size_t i = 0; i < table.count; ++i) visit_member(table.members[i], members[i]);
  if (raw_ == nullptr) end_structure(outer);
  if (!is_base) bases_.shrink(bases);
}

void EncodeArchive::aggregate_record(const MemberTable& table, const void* at) {
  const auto* const record = static_cast<const std::byte*>(at);
  if (offsets_.size() != table.count) offsets_ = offsets_of(table, at);
  begin_record();
  for (std::size_t i = 0; i < table.count; ++i) {
    if (placed_ != nullptr && placed_[i].is_placed) {
      skip_placed(placed_[i], record);
    } else {
      visit_member(table.members[i], record + offsets_[i]);
    }
  }
  if (cursor_ != limit_) drift_end(limit_);
}

void EncodeArchive::skip_placed(const PlacedField& field, const std::byte* record) {
  cursor_ = end_of(*cursor_);
  for (std::size_t i = 0; wants_rows_ && i < field.row.size(); ++i)
    row_.append(record + field.row[i].offset, field.row[i].size);
}

const PlanNode* EncodeArchive::enter_slowly(FieldKind kind, const char* name) {
  const PlanNode* node = cursor_;
  if (node == limit_) {
    if (loop_ == nullptr || loop_->node->kind != FieldKind::list || !loop_->has_size) {
      drift_extra(kind, name);
    }
    ++loop_->started;
    node = loop_->node + 1;
    name = nullptr;  // elements have no names, whatever the user's loop calls them
  }
  const bool is_element = node->name.empty();
  if (!is_element && !(name == nullptr ? node->takes_unnamed : node->is_called(name))) {
    drift_field(*node, kind, name);
  }
  if (node->kind != kind) {
    drift(*node,
          "is saved as " + std::string(kind_name(kind)) + ", but the schema has " + type_of(*node));
  }
  return node;
}

void EncodeArchive::put_text(const void* data, std::size_t size) {
  if (raw_ != nullptr) [[unlikely]] {
    raw_->put_varint(size);
    raw_->append(data, size);
    return;
  }
  const PlanNode& node = enter(FieldKind::string);
  if (node.utf8_checked && !is_utf8({static_cast<const char*>(data), size})) {
    drift(node, "is not UTF-8, but its trait says that it is");
  }
  ColumnSink* const sink = &sinks_[node.column];
  sink[0].put_varint(size);
  sink[1].append(data, size);
  if (wants_rows_) {
    row_.put_varint(size);
    row_.append(data, size);
  }
}

void EncodeArchive::put_loop_size(std::uint64_t size) {
  if (raw_ != nullptr) {
    raw_->put_varint(size);
    return;
  }
  if (loop_ == nullptr || loop_->has_size)
    drift_here("serialize() saved a size tag outside a container");
  name_ = nullptr;
  loop_->size = size;
  loop_->has_size = true;
  put_size(*loop_->node, size);
}

void EncodeArchive::finish_loop() {
  if (!loop_->has_size || loop_->started != loop_->size || cursor_ != limit_) {
    drift(*loop_->node, "saved another number of elements than its size tag states");
  }
}

const PlanNode& EncodeArchive::begin_pair() {
  if (loop_ == nullptr || loop_->node->kind != FieldKind::map || !loop_->has_size)
    drift_here("serialize() saved a pair outside a map");
  ++loop_->started;
  return *loop_->node;
}

void EncodeArchive::drift(const PlanNode& node, const std::string& what) {
  stop(ErrorCode::schema_drift, "the field " + what, node.path);
}

void EncodeArchive::drift_field(const PlanNode& expected, FieldKind kind, const char* name) {
  const std::string saved =
      name == nullptr ? "a field without a name" : "'" + std::string(name) + "'";
  bool is_known = name == nullptr;
  for (const std::uint32_t index : structure_->children) {
    is_known = is_known || nodes_[index].is_called(name);
  }
  if (!is_known) drift_extra(kind, name);
  drift(expected, "is not saved: serialize() visits " + saved + " (" +
                      std::string(kind_name(kind)) + ") where the schema has '" + expected.name +
                      "' (" + type_of(expected) + ")");
}

void EncodeArchive::drift_extra(FieldKind kind, const char* name) {
  const std::string saved = name == nullptr ? "a field without a name" : name;
  stop(ErrorCode::schema_drift,
       "the field is saved as " + std::string(kind_name(kind)) +
           ", but the schema has no such field at this place: " + type_of(*structure_),
       structure_->path.empty() ? saved : structure_->path + "." + saved);
}

void EncodeArchive::drift_end(const PlanNode* end) {
  if (cursor_ < end) drift(*cursor_, "is not saved: serialize() does not visit it");
  drift_here("serialize() saved more fields than the schema has");
}

void EncodeArchive::drift_here(const char* what) {
  const PlanNode* const before = cursor_ == nodes_ ? nodes_ : cursor_ - 1;
  stop(ErrorCode::schema_drift, what, before->path);
}

void EncodeArchive::stop(ErrorCode code, std::string what, const std::string& path) {
  if (!error_) {
    std::string where = path.empty() ? "the record" : "field '" + path + "'";
    where += " of slot " + std::to_string(slot_) + ", generation " + std::to_string(generation_);
    error_ = Error{code, std::move(what), kNoOffset, std::move(where), {}};
  }
  throw Unwind{};
}

}  // namespace hdb::detail::record
