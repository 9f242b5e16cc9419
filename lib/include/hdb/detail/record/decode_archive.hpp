// The loading archive: finds each visited field by name in the stored schema and takes its next
// value from its column.
#pragma once

#include <optional>
#include <span>

#include "hdb/detail/base/api.hpp"
#include "hdb/detail/base/owned.hpp"
#include "hdb/detail/evolve/plan.hpp"
#include "hdb/detail/record/decode_rules.hpp"
#include "hdb/detail/record/encode_archive.hpp"
#include "hdb/detail/record/visit.hpp"

namespace hdb::detail::record {

struct SerializeFunctions;
/// The functions of T (record_ops.hpp), which may also be an element of a container.
template <class T>
[[nodiscard]] const SerializeFunctions& serialize_functions();

/// What the comparison of save and load remembers: the element types that it has seen.
struct LoadCheck {
  std::vector<const SerializeFunctions*> seen;
};

//   D1  Every byte is checked before it is read, every count is charged before anything grows.
//   D2  Each column has a cursor of its own, so fields may be visited in any order; what a
//       structure did not visit is skipped when it ends, so after a value every cursor of its
//       subtree stands behind it.
//   D3  A field that the file lacks is not touched.
//   D4  A strict structure's load reads every field that its save writes, and asks for no other
//       name: a field is lost only where the schemas or the class versions differ. With a `check`
//       the types must be the same as well.
//   D5  A value changes its type only if the stored value is kept: a number that does not fit
//       exactly stops the load. An enumerator keeps its name if both sides name the values.
//       Elements that an array has no place for are counted. Of equal elements of a set or keys of
//       a map, all but one are lost only where handles in them became null, and are counted.
class HDB_API DecodeArchive
    : public cereal::InputArchive<DecodeArchive, cereal::AllowEmptyClassElision>,
      public ItemCalls<DecodeArchive, true> {
  using Calls = ItemCalls<DecodeArchive, true>;

 public:
  /// With `check`, the columns hold a default object and the archive compares what load reads with
  /// what save wrote.
  DecodeArchive(const Plan& stored, std::span<const Bytes> columns, MemoryBudget& budget,
                LoadCheck* check = nullptr);
  ~DecodeArchive();

  using Calls::operator();
  using Calls::operator&;
  using Calls::operator>>;

  /// Fills a whole record.
  template <class T>
  void record(T& value);
  /// The same, of an aggregate.
  void aggregate_record(const MemberTable& table, void* at);
  void begin_row(std::size_t row) noexcept { row_ = row; }
  /// Names rows in errors; null: they are numbers. It must outlive the archive.
  void name_rows(const RowNamer* namer) noexcept { row_namer_ = namer; }
  void set_equal_keys(EqualKeys equal_keys) noexcept { equal_keys_ = equal_keys; }
  void set_unknown_value(UnknownValue unknown_value) noexcept { unknown_value_ = unknown_value; }
  /// Skips some fields of all rows without a visit, and checks that their columns end there.
  void skip_fields(std::span<const SkippedField> fields, std::size_t rows);
  /// The stored schema is the type's: members of aggregates are not looked for. Placed fields of
  /// the record are in their places already.
  void set_exact(std::span<const PlacedField> fields);
  /// The rows to drop, in their order.
  [[nodiscard]] const std::vector<std::size_t>& dropped_rows() const noexcept;
  /// For each node of the stored plan. Nothing more can be loaded then.
  [[nodiscard]] std::vector<Tally> take_tallies() noexcept;
  /// Checks that all columns were read to their ends.
  void finish();
  [[nodiscard]] const std::optional<Error>& error() const noexcept { return error_; }

  // What visit() asks of every archive.
  void name_next(const char* name) noexcept { name_ = name; }
  [[nodiscard]] VirtualBases& bases() noexcept { return bases_; }

  template <class T>
  void leaf(T& value);
  template <class T>
  void enumeration(T& value);
  template <class H>
  void handle(H& value);
  template <class T>
  void as_handle(T& value) {
    auto stored = AsHandle<T>::to(value);
    handle(stored);
    value = AsHandle<T>::from(stored);
  }
  template <class S>
  void string(S& value);
  template <class C>
  void list(C& container);
  template <class C>
  void map(C& container);
  template <class C>
  void loop_list(C& container) {
    loop<typename SizeAndLoop<C>::Element>(FieldKind::list, container);
  }
  template <class C>
  void loop_map(C& container) {
    using Loop = SizeAndLoop<C>;
    loop<std::pair<typename Loop::Key, typename Loop::Value>>(FieldKind::map, container);
  }
  template <class E>
  void array(E* data, std::size_t count);
  template <class E>
  void binary(E* data, std::size_t count) {
    array(data, count);
  }
  template <class B>
  void bits(B& value);
  template <class O>
  void optional(O& value);
  template <class V>
  void variant(V& value);
  template <class T>
  void opaque(T& value);
  template <class T>
  void structure(T& value);
  template <class T>
  void minimal(T& value, std::uint32_t version = 0);
  template <class T>
  void size_tag(T& size);
  template <class K, class V>
  void map_item(K& key, V& value);

 private:
  friend class RuntimeDecoder;

  struct ColumnCursor {
    const std::byte* at = nullptr;
    const std::byte* end = nullptr;
    std::uint64_t bit = 0;  ///< Presence: bits read.
  };
  struct RawCursor {
    const std::byte* at = nullptr;
    const std::byte* end = nullptr;
  };
  /// The structure or user container that is being visited.
  struct Frame {
    const PlanNode* node = nullptr;
    std::uint64_t id = 0;    ///< Tells its visits from those of other structures.
    std::uint32_t next = 0;  ///< Child that is expected next.
    std::uint32_t visited = 0;
    std::int32_t unnamed = 0;           ///< Fields without a name so far.
    const PlanNode* loop = nullptr;     ///< What a user container loops over.
    const PlanNode* element = nullptr;  ///< Each element of `loop`; null if it has pairs.
    std::uint64_t left = 0;             ///< Elements still to come.
    std::uint64_t count = 0;            ///< Elements in all.
    std::size_t cost = 0;               ///< What one of them is charged.
  };

  /// The node of the next visit, null when it is not to be touched. `own` is what the program
  /// reads, for errors.
  [[nodiscard]] const PlanNode* locate_any(FieldKind own);
  /// The same, for a value of this kind: a node of the kind, or another one that becomes it.
  [[nodiscard]] const PlanNode* locate(FieldKind kind);
  [[nodiscard]] const PlanNode* adapted(const PlanNode& node, FieldKind own);
  [[nodiscard]] const PlanNode* locate_slowly(const char* name, FieldKind own);
  [[noreturn]] void stop_unknown(const char* name, std::int32_t unnamed, FieldKind own);
  const PlanNode* child(const PlanNode& node, std::size_t index) const {
    return &nodes_[node.children[index]];
  }
  std::uint32_t index_of(const PlanNode& node) const {
    return static_cast<std::uint32_t>(&node - nodes_);
  }
  template <class E>
  void element(const PlanNode* node, E& value) {
    pending_ = node;
    visit_value(*this, value);
  }

  /// Begins the visit of a structure. False if it is not to be touched. (An optional version
  /// would be written in two parts and read at once, which waits for both.)
  [[nodiscard]] bool begin_structure(bool takes_version, Frame& outer, std::uint32_t& version);
  void end_structure(const Frame& outer);
  void aggregate(const MemberTable& table, void* at);
  /// The bits of the next value, a leaf of this kind, and its node (null inside an opaque value).
  /// False if it is not to be touched.
  [[nodiscard]] bool take_leaf(FieldKind own, std::uint8_t& bits, const PlanNode*& node);
  [[nodiscard]] bool take_leaf(FieldKind own, std::uint16_t& bits, const PlanNode*& node);
  [[nodiscard]] bool take_leaf(FieldKind own, std::uint32_t& bits, const PlanNode*& node);
  [[nodiscard]] bool take_leaf(FieldKind own, std::uint64_t& bits, const PlanNode*& node);
  template <class Bits>
  bool take_leaf_of(FieldKind own, Bits& bits, const PlanNode*& node);
  /// The same, of a handle.
  [[nodiscard]] bool take_handle(const HandleLayout& own, std::uint16_t& bits);
  [[nodiscard]] bool take_handle(const HandleLayout& own, std::uint32_t& bits);
  [[nodiscard]] bool take_handle(const HandleLayout& own, std::uint64_t& bits);
  template <class Bits>
  bool take_handle_of(const HandleLayout& own, Bits& bits);
  template <class Bits>
  Bits take(const PlanNode& node) {
    ColumnCursor& cursor = cursors_[node.column];
    if (static_cast<std::size_t>(cursor.end - cursor.at) < sizeof(Bits)) [[unlikely]]
      stop_short(node);
    const Bits bits = load_le<Bits>(cursor.at);
    cursor.at += sizeof(Bits);
    return bits;
  }
  template <class Bits>
  Bits take_raw() {
    if (static_cast<std::size_t>(raw_->end - raw_->at) < sizeof(Bits)) stop_raw();
    const Bits bits = load_le<Bits>(raw_->at);
    raw_->at += sizeof(Bits);
    return bits;
  }
  template <class T>
  T read_number(const PlanNode& node);
  template <class T>
  T read_raw_number();
  template <class T>
  T checked(StoredBits<T> bits, const PlanNode* node);
  template <class C, class F>
  void fill(C& container, std::size_t count, const PlanNode* node, const F& load_one);
  template <class E, class C>
  void loop(FieldKind kind, C& container);
  /// Compares the elements of type E with the nodes at `node`, and their save with their load.
  template <class E>
  void check_element(const PlanNode& node);
  void check_element(const PlanNode& node, const SerializeFunctions& element);

  /// The next number of an enumeration with an `enum_map`, as the program's bits; false if the
  /// program does not have it.
  [[nodiscard]] bool take_renumbered(const PlanNode& node, std::uint64_t& own);
  /// The next alternative of a variant, as a number of the file.
  std::size_t take_tag(const PlanNode& node);
  /// That alternative as the program's; false, and its value is skipped, if the program does not
  /// have it.
  [[nodiscard]] bool own_alternative(const PlanNode& node, std::size_t tag, std::size_t& own);
  /// The program does not have a value. Stops the load if it refuses such values.
  void note_unknown(const PlanNode& node, Error error, bool is_kept);
  /// Visits a key or an element of a set. False if there is a value in it that the program does not
  /// have: it cannot be distinguished from others.
  template <class Visit>
  bool visit_key(const Visit& visit) {
    const std::uint64_t before = unknown_count_;
    visit();
    return unknown_count_ == before;
  }
  /// The next number, as stored bits of another kind.
  std::uint64_t take_converted(const PlanNode& node, FieldKind own);
  std::uint64_t take_varint(const PlanNode& node);
  bool take_bit(const PlanNode& node);
  std::span<const std::byte> take_bytes(std::size_t column, std::uint64_t size,
                                        const PlanNode& node);
  std::size_t take_count(const PlanNode& node, std::size_t cost);
  /// The number of elements that a list of the program takes from `node`.
  std::size_t take_list_count(const PlanNode& node, std::size_t cost);
  [[nodiscard]] const PlanNode* list_element(const PlanNode& node) const {
    return node.kind == FieldKind::list || node.kind == FieldKind::optional ? child(node, 0)
                                                                            : &node;
  }
  void end_array(const PlanNode& node, std::uint64_t stored, std::uint64_t own);
  std::uint64_t take_raw_varint();
  std::size_t take_raw_count(std::size_t cost);
  std::span<const std::byte> take_raw_bytes(std::size_t size);
  void charge(std::uint64_t count, std::size_t cost, const PlanNode* node);
  void skip(const PlanNode& node);
  void skip_rest();
  void check_end(std::size_t column);
  [[nodiscard]] std::size_t end_column(const PlanNode& node) const;
  Tally& tally(const PlanNode& node) noexcept { return tallies_[index_of(node)]; }

  /// The program's set or map took an element for equal to `same`, which it already has.
  void drop_equal(const PlanNode* node, std::size_t index, const std::string& same);
  /// Stops if the text must be UTF-8 and is not.
  void check_text(const PlanNode& node, std::span<const std::byte> text);
  [[noreturn]] void stop(ErrorCode code, std::string what, const PlanNode* node);
  [[noreturn]] void stop_boolean(std::uint64_t bits, const PlanNode* node);
  [[noreturn]] void stop_range(const PlanNode* node);
  [[noreturn]] void stop_short(const PlanNode& node);
  [[noreturn]] void stop_raw();
  [[noreturn]] void stop_kind(const PlanNode& node, FieldKind own);
  const PlanNode* nodes_;
  const PlanNode* pending_ =
      nullptr;  // the node of the next visit, when it is not to be found by name
  const char* name_ = nullptr;
  bool is_exact_ = false;
  const PlacedField* placed_ = nullptr;  // of the fields of the record; null: all are visited
  RawCursor* raw_ = nullptr;             // inside an opaque value
  Frame frame_;
  struct Buffers;  // decode_buffers.hpp
  Owned<Buffers> buffers_;
  ColumnCursor* cursors_;  // in buffers_, as the next two
  std::uint64_t* visits_;  // for each node: the last frame that visited it
  Tally* tallies_;         // for each node
  std::uint64_t next_frame_id_ = 1;
  std::uint64_t charged_ahead_ = 0;
  VirtualBases bases_;
  const Plan& stored_;
  MemoryBudget& budget_;
  LoadCheck* const check_;
  const RowNamer* row_namer_ = nullptr;
  EqualKeys equal_keys_ = EqualKeys::refuse;
  UnknownValue unknown_value_ = UnknownValue::refuse;
  std::uint64_t unknown_count_ = 0;
  std::size_t row_ = 0;
  std::optional<Error> error_;
};

}  // namespace hdb::detail::record

CEREAL_SETUP_ARCHIVE_TRAITS(hdb::detail::record::DecodeArchive, hdb::detail::record::EncodeArchive)
namespace cereal::traits::detail {
template <>
struct get_input_from_output<hdb::detail::record::DescribeArchive> {
  using type = hdb::detail::record::DecodeArchive;
};
}  // namespace cereal::traits::detail

#include "hdb/detail/record/decode_archive_impl.hpp"
#include "hdb/detail/record/using_evolve.hpp"
