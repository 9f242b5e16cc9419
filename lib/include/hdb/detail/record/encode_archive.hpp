// The saving archive: one visit of a record appends to its columns and, when hashing, to its
// canonical row bytes.
#pragma once

#include <algorithm>
#include <optional>

#include "hdb/detail/base/api.hpp"
#include "hdb/detail/evolve/plan.hpp"
#include "hdb/detail/record/sinks.hpp"
#include "hdb/detail/record/visit.hpp"
#include "hdb/hash.hpp"

namespace hdb::detail::record {

struct PlacedField;

//   EA1 Between two visits `cursor_` is the node of the field that must come next; at `limit_` the
//       structure is over.
//   EA2 Every visit either moves the cursor past its node, or records an error and unwinds.
//   EA3 In raw mode (inside opaque values, and to find the order of unordered containers) there is
//       no schema: values go to `raw_` alone, and neither cursor nor columns move.
class HDB_API EncodeArchive
    : public cereal::OutputArchive<EncodeArchive, cereal::AllowEmptyClassElision>,
      public ItemCalls<EncodeArchive, false> {
  using Calls = ItemCalls<EncodeArchive, false>;

 public:
  /// Encodes by `plan`. `columns` may be null: nothing but row bytes is made. With `wanted`, only
  /// the columns that it marks are filled.
  EncodeArchive(const Plan& plan, std::vector<Bytes>* columns, bool wants_rows,
                const std::vector<bool>* wanted = nullptr);

  using Calls::operator();
  using Calls::operator&;
  using Calls::operator<<;

  /// Encodes a whole record.
  template <class T>
  void record(const T& value);
  /// The same, of an aggregate: all records are of the type of this table.
  void aggregate_record(const MemberTable& table, const void* at);
  /// Begins the next record; errors name its slot and generation.
  void begin_row(std::uint32_t slot, std::uint32_t generation) noexcept {
    slot_ = slot;
    generation_ = generation;
    row_.clear();
  }
  /// Placed fields are not visited: their row bytes are copied, and their columns are filled
  /// elsewhere.
  void skip_placed(std::span<const PlacedField> fields) noexcept;
  /// The canonical bytes of the row that was encoded last.
  [[nodiscard]] std::span<const std::byte> row_bytes() const noexcept;
  /// Moves all that is staged to the columns.
  void finish();
  /// The first error; the archive is then not to be used any more.
  [[nodiscard]] const std::optional<Error>& error() const noexcept { return error_; }

  // What visit() asks of every archive.
  void name_next(const char* name) noexcept { name_ = name; }
  [[nodiscard]] VirtualBases& bases() noexcept { return bases_; }

  template <class T>
  void leaf(const T& value) {
    put_leaf(leaf_kind<T>(), stored_bits(value));
  }
  template <class T>
  void enumeration(const T& value) {
    put_leaf(FieldKind::enumeration,
             stored_bits(static_cast<EnumInteger<std::underlying_type_t<T>>>(value)));
  }
  template <class H>
  void handle(const H& value) {
    put_leaf(FieldKind::handle, value.bits());
  }
  template <class T>
  void as_handle(const T& value) {
    handle(AsHandle<T>::to(value));
  }
  template <class S>
  void string(const S& value) {
    put_text(value.data(), value.size());
  }
  template <class C>
  void list(const C& container);
  template <class C>
  void map(const C& container);
  template <class C>
  void loop_list(const C& container) {
    loop(FieldKind::list, container);
  }
  template <class C>
  void loop_map(const C& container) {
    loop(FieldKind::map, container);
  }
  template <class E>
  void array(const E* data, std::size_t count);
  template <class E>
  void binary(const E* data, std::size_t count) {
    array(data, count);
  }
  template <class B>
  void bits(const B& value);
  template <class O>
  void optional(const O& value);
  template <class V>
  void variant(const V& value);
  template <class T>
  void opaque(const T& value);
  template <class T>
  void structure(const T& value);
  template <class T>
  void minimal(const T& value, std::uint32_t /*version*/ = 0) {
    const auto stored = call_save_minimal<T>(*this, value);
    visit_value(*this, stored);
  }
  template <class T>
  void size_tag(const T& size) {
    put_loop_size(static_cast<std::uint64_t>(size));
  }
  template <class K, class V>
  void map_item(const K& key, const V& value);

 private:
  /// A user container that is being looped over.
  struct Loop {
    const PlanNode* node = nullptr;
    std::uint64_t size = 0;
    std::uint64_t started = 0;
    bool has_size = false;
  };
  /// Begins a loop and ends it, also where the user's code throws.
  class Looping {
   public:
    Looping(EncodeArchive& archive, const PlanNode& node) noexcept
        : archive_(archive), own_{&node}, outer_(std::exchange(archive.loop_, &own_)) {}
    ~Looping() { archive_.loop_ = outer_; }
    Looping(const Looping&) = delete;
    Looping& operator=(const Looping&) = delete;

   private:
    EncodeArchive& archive_;
    Loop own_;
    Loop* outer_;
  };

  /// What a structure lies in. Members that lie side by side in the archive do not here: a compiler
  /// would read both at once, and wait until both have left the processor's store buffer.
  struct Outer {
    const PlanNode* structure = nullptr;
    Loop* loop = nullptr;
    const PlanNode* limit = nullptr;
  };
  void begin_record() noexcept;
  void begin_structure(Outer& outer);
  /// A value inside the record.
  void aggregate(const MemberTable& table, const void* at);
  void visit_member(const Member& member, const void* at) {
    name_ = member.name;
    is_member_ = true;
    member.functions->save(*this, at);
  }
  void end_structure(const Outer& outer);
  const PlanNode& enter(FieldKind kind) {
    const PlanNode* node = cursor_;
    const char* const name = std::exchange(name_, nullptr);
    const bool is_member = std::exchange(is_member_, false);
    if (node == limit_ || node->kind != kind ||
        !(is_member || (name == nullptr ? node->takes_unnamed : node->is_called(name))))
        [[unlikely]]
      node = enter_slowly(kind, name);
    cursor_ = node + 1;
    return *node;
  }
  template <class Bits>
  void put_leaf(FieldKind kind, Bits bits) {
    if (raw_ != nullptr) [[unlikely]] {
      raw_->put(bits);
      return;
    }
    const PlanNode& node = enter(kind);
    if (node.width != sizeof bits) [[unlikely]]
      drift(node, "does not have the type that the schema states");
    sinks_[node.column].put(bits);
    if (wants_rows_) row_.put(bits);
  }
  /// Visits one element of the node before `first`; its nodes are [first, end).
  template <class E>
  void element(const PlanNode* first, const PlanNode* end, const E& value) {
    cursor_ = first;
    limit_ = end;
    visit_value(*this, value);
    if (cursor_ != end) [[unlikely]]
      drift_end(end);
  }
  template <class E>
  void bulk(const PlanNode& element, const E* data, std::size_t count) {
    sinks_[element.column].append(data, count * sizeof(E));
    if (wants_rows_) row_.append(data, count * sizeof(E));
  }
  void put_size(const PlanNode& node, std::uint64_t size) {
    sinks_[node.column].put_varint(size);
    if (wants_rows_) row_.put_varint(size);
  }
  /// The canonical bytes of a value, without schema.
  template <class T>
  void put_raw(RowBuffer& to, const T& value, bool with_versions);
  template <class C, class F>
  void for_each_in_order(const C& container, const F& visit_one);
  template <class C>
  void loop(FieldKind kind, const C& container);

  [[nodiscard]] std::string type_of(const PlanNode& node) const {
    return type_text(field_of(plan_, static_cast<std::uint32_t>(&node - nodes_)));
  }
  const PlanNode* enter_slowly(FieldKind kind, const char* name);
  /// Moves past a placed field of the record at `record`.
  void skip_placed(const PlacedField& field, const std::byte* record);
  const PlanNode* end_of(const PlanNode& node) const noexcept { return nodes_ + node.end; }
  void put_text(const void* data, std::size_t size);
  void put_loop_size(std::uint64_t size);
  void finish_loop();
  /// The map whose loop saves a pair now.
  const PlanNode& begin_pair();
  [[noreturn]] void drift(const PlanNode& node, const std::string& what);
  /// A field of this kind and name (null: none) was saved where the schema has `expected`.
  [[noreturn]] void drift_field(const PlanNode& expected, FieldKind kind, const char* name);
  /// The same where the structure has no more fields.
  [[noreturn]] void drift_extra(FieldKind kind, const char* name);
  [[noreturn]] void drift_end(const PlanNode* end);
  [[noreturn]] void drift_here(const char* what);
  [[noreturn]] void stop(ErrorCode code, std::string what, const std::string& path);

  const PlanNode* nodes_;
  const PlanNode* cursor_ = nullptr;
  const PlanNode* limit_ = nullptr;
  const PlanNode* structure_ = nullptr;  // the one whose fields are visited
  const char* name_ = nullptr;
  RowBuffer* raw_ = nullptr;
  bool wants_rows_;
  bool raw_versions_ = false;
  bool is_member_ = false;  // the next field is that of an aggregate: its name is the schema's
  std::vector<ColumnSink> sinks_;
  RowBuffer row_;
  Loop* loop_ = nullptr;                 // the innermost; null inside its elements
  std::vector<std::uint32_t> offsets_;   // of the fields of an aggregate_record
  const PlacedField* placed_ = nullptr;  // of the fields of the record; null: all are visited
  VirtualBases bases_;
  const Plan& plan_;
  Owned<std::byte[]> staging_;
  std::uint32_t slot_ = 0;
  std::uint32_t generation_ = 0;
  std::optional<Error> error_;
};

}  // namespace hdb::detail::record

#include "hdb/detail/record/encode_archive_impl.hpp"
#include "hdb/detail/record/using_evolve.hpp"
