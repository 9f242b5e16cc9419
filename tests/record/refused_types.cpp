// Compiled by tests with one REFUSED_... macro each: what it selects must not compile, and the
// compiler's first lines must say why.
#include "hdb/cereal_boxes.hpp"
#include "refused_headers.hpp"
#if defined(REFUSED_explicit_member_in_binary)
#include <cereal/archives/binary.hpp>
#include "hdb/cereal_structs.hpp"
#endif

namespace {

template <class T>
struct Holder {
  T value{};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(value));
  }
};

struct Padded {
  char a;
  int b;
};
class Undescribed {
 public:
  Undescribed() : a_(0) {}

 private:
  int a_;
};
struct PrivateSerialize {
  int a = 0;

 private:
  template <class A>
  void serialize(A& archive) {
    archive(CEREAL_NVP(a));
  }
};
class PrivateMembers {
  int a_ = 0;
  template <class A>
  void serialize(A& archive) {
    archive(cereal::make_nvp("a", a_));
  }
};
struct ConstSerialize {
  int a = 0;
  template <class A>
  void serialize(A& archive) const {
    archive(CEREAL_NVP(a));
  }
};
struct SaveAlone {
  int a = 0;
  template <class A>
  void save(A& archive) const {
    archive(CEREAL_NVP(a));
  }
};
struct LoadAlone {
  int a = 0;
};
template <class A>
void load(A& archive, LoadAlone& value) {
  archive(cereal::make_nvp("a", value.a));
}
struct WithSerialize {
  int a = 0;
  template <class A>
  void serialize(A& archive) {
    archive(CEREAL_NVP(a));
  }
};
struct SaveAndSerialize : WithSerialize {
  template <class A>
  void save(A& archive) const {
    archive(CEREAL_NVP(a));
  }
  template <class A>
  void load(A& archive) {
    archive(CEREAL_NVP(a));
  }
};
struct TextCalls {
  int a = 0;
  template <class A>
  void serialize(A& archive) {
    archive.setNextName("a");
    archive(a);
  }
};
struct Deferred {
  int a = 0;
  template <class A>
  void serialize(A& archive) {
    archive(cereal::defer(a));
  }
};
struct ConstMember {
  const int a = 0;
};
#if defined(REFUSED_visited_bits)
struct VisitsBits {
  unsigned flags : 3;
  template <class A>
  void serialize(A& archive) {
    archive(CEREAL_NVP(flags));
  }
};
#endif
union Union {
  int a;
  float b;
};
enum class Mood : std::uint8_t { calm };
template <class A>
std::string save_minimal(const A&, const Mood&) {
  return "calm";
}
template <class A>
void load_minimal(const A&, Mood&, const std::string&) {}
struct Shape {
  virtual ~Shape() = default;
  int a = 0;
  template <class A>
  void serialize(A& archive) {
    archive(CEREAL_NVP(a));
  }
};
struct Circle : Shape {};
struct SerializeOfNothing {
  int a = 0;
  void serialize() {}
};
struct Base {
  int a = 0;
};
struct WithBase : Base {
  int b = 0;
};
struct WithVirtualBase : virtual Base {
  template <class A>
  void serialize(A& archive) {
    archive(cereal::virtual_base_class<Base>(this));
  }
};
struct Abstract {
  int a = 0;
  virtual ~Abstract() = default;
  virtual void act() = 0;
  template <class A>
  void serialize(A& archive) {
    archive(CEREAL_NVP(a));
  }
};
struct Derived : WithSerialize {
  int b = 0;
};
struct SixtyFive {
  int a[1], a1, a2, a3, a4, a5, a6, a7, b0, b1, b2, b3, b4, b5, b6, b7, c0, c1, c2, c3, c4, c5, c6,
      c7, d0, d1, d2, d3, d4, d5, d6, d7, e0, e1, e2, e3, e4, e5, e6, e7, f0, f1, f2, f3, f4, f5,
      f6, f7, g0, g1, g2, g3, g4, g5, g6, g7, h0, h1, h2, h3, h4, h5, h6, h7, i0;
};
/// Empty braces do not initialise it.
struct Timer {
  explicit Timer(int first = 0) : ticks(first) {}
  int ticks;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(ticks));
  }
};
struct Timed {
  Timer timer;
  int hp = 1;
};
struct TimedTwice {
  int hp = 1;
  Timer timer;
  Timer other;
};
struct TimedWithValue {
  int hp = 1;
  Timer timer = Timer(5);
};
struct TimedWithBase : Padded {
  Timer timer;
};
int g_referred = 0;
struct Refers {
  std::reference_wrapper<int> on = g_referred;
  int hp = 1;
};
struct BitField {
  int a = 0;
  unsigned flags : 3;
};
struct AnonymousUnion {
  int a = 0;
  union {
    int b;
    float c;
  };
};
struct LeavesAnyOut {
  int a = 0;
};
struct PointsAway {
  int a = 0;
  int* elsewhere = nullptr;
};
struct PointsDeeper {
  std::vector<PointsAway> ways;
};
struct Counted {
  using OutsideRecords = void;
};
struct Binary {
  Padded value[2] = {};
  template <class A>
  void serialize(A& a) {
    a(cereal::binary_data(value, sizeof value));
  }
};
struct Number {
  explicit Number(int v) : value(v) {}
  int value;
};
struct Numbered {
  Number number = Number(3);
  int hp = 1;
};
struct NoDefault {
  explicit NoDefault(int v) : value(v) {}
  int value;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(value));
  }
};
struct MoveOnly {
  MoveOnly() = default;
  MoveOnly(MoveOnly&&) = default;
  int value = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(value));
  }
};

template <std::size_t... I>
std::variant<std::integral_constant<int, I>...> many(std::index_sequence<I...>);

/// Copies of it begin anew: a record may be copied, but still not described.
template <class T>
struct Copied {
  T value{};
  Copied() = default;
  Copied(const Copied&) {}
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(value));
  }
};

#if defined(REFUSED_raw_pointer)
using Record = Holder<int*>;
#elif defined(REFUSED_unique_pointer)
using Record = Holder<std::unique_ptr<int>>;
#elif defined(REFUSED_shared_pointer)
using Record = Holder<std::shared_ptr<int>>;
#elif defined(REFUSED_abstract_in_a_box)
using Record = Holder<hdb::Box<Abstract>>;
#elif defined(REFUSED_move_only_in_a_box)
using Record = Holder<hdb::Box<MoveOnly>>;
#elif defined(REFUSED_long_double_duration)
using Record = Holder<std::chrono::duration<long double>>;
#elif defined(REFUSED_long_double_time)
using Record = Holder<std::vector<
    std::chrono::time_point<std::chrono::system_clock, std::chrono::duration<long double>>>>;
#elif defined(REFUSED_long_double_complex)
using Record = Holder<std::complex<long double>>;
#elif defined(REFUSED_many_alternatives)
using Record = Holder<decltype(many(std::make_index_sequence<256>()))>;
#elif defined(REFUSED_pointer_in_a_box)
using Record = Holder<hdb::Box<int*>>;
#elif defined(REFUSED_stranger_in_one_of)
using Record = Holder<hdb::OneOf<WithSerialize, WithSerialize, Padded>>;
#elif defined(REFUSED_virtual_base_in_one_of)
using Record = Holder<hdb::OneOf<Base, WithVirtualBase>>;
#elif defined(REFUSED_twice_in_one_of)
using Record = Holder<hdb::OneOf<Base, WithBase, WithBase>>;
#elif defined(REFUSED_one_of_without_functions)
using Record = Holder<hdb::OneOf<Base, WithBase>>;
#elif defined(REFUSED_inherited_in_one_of)
using Record = Holder<hdb::OneOf<WithSerialize, WithSerialize, Derived>>;
#elif defined(REFUSED_outside)
using Record = Holder<Counted>;
#elif defined(REFUSED_copied_unique_pointer)
using Record = Copied<std::unique_ptr<int>>;
#elif defined(REFUSED_copied_atomic)
using Record = Copied<std::atomic<int>>;
#elif defined(REFUSED_atomic)
using Record = Holder<std::atomic<int>>;
#elif defined(REFUSED_long_double)
using Record = Holder<long double>;
#elif defined(REFUSED_unordered)
using Record = Holder<std::unordered_map<int, int>>;
#elif defined(REFUSED_binary_struct)
using Record = Binary;
#elif defined(REFUSED_undescribed)
using Record = Holder<Undescribed>;
#elif defined(REFUSED_private_serialize)
using Record = Holder<PrivateSerialize>;
#elif defined(REFUSED_serialize_of_nothing)
using Record = SerializeOfNothing;
#elif defined(REFUSED_bases)
using Record = WithBase;
#elif defined(REFUSED_65_members)
using Record = SixtyFive;
#elif defined(REFUSED_explicit_member)
using Record = Timed;
#elif defined(REFUSED_two_explicit_members)
using Record = TimedTwice;
#elif defined(REFUSED_explicit_member_with_value)
using Record = TimedWithValue;
#elif defined(REFUSED_explicit_member_under_a_base)
using Record = TimedWithBase;
#elif defined(REFUSED_member_without_default)
using Record = Numbered;
#elif defined(REFUSED_left_out_reference)
using Record = Refers;
#elif defined(REFUSED_bit_field)
using Record = BitField;
#elif defined(REFUSED_anonymous_union)
using Record = AnonymousUnion;
#elif defined(REFUSED_unnamed_left_out)
using Record = LeavesAnyOut;
#elif defined(REFUSED_pointer_in_aggregate)
using Record = PointsAway;
#elif defined(REFUSED_move_only)
using Record = MoveOnly;
#elif defined(REFUSED_no_default)
using Record = NoDefault;
#elif defined(REFUSED_pointer_in_members)
using Record = PointsDeeper;
#elif defined(REFUSED_pointers_in_list)
using Record = Holder<std::vector<std::unique_ptr<int>>>;
#elif defined(REFUSED_pointer_to_base)
using Record = Holder<std::unique_ptr<Shape>>;
#elif defined(REFUSED_any)
using Record = Holder<std::any>;
#elif defined(REFUSED_function)
using Record = Holder<std::function<void()>>;
#elif defined(REFUSED_path)
using Record = Holder<std::filesystem::path>;
#elif defined(REFUSED_string_view)
using Record = Holder<std::string_view>;
#elif defined(REFUSED_random)
using Record = Holder<std::mt19937>;
#elif defined(REFUSED_mutex)
using Record = Holder<std::mutex>;
#elif defined(REFUSED_private_members)
using Record = PrivateMembers;
#elif defined(REFUSED_const_serialize)
using Record = ConstSerialize;
#elif defined(REFUSED_save_alone)
using Record = SaveAlone;
#elif defined(REFUSED_load_alone)
using Record = LoadAlone;
#elif defined(REFUSED_several_functions)
using Record = SaveAndSerialize;
#elif defined(REFUSED_text_calls)
using Record = TextCalls;
#elif defined(REFUSED_deferred)
using Record = Deferred;
#elif defined(REFUSED_const_member)
using Record = ConstMember;
#elif defined(REFUSED_visited_bits)
using Record = VisitsBits;
#elif defined(REFUSED_union)
using Record = Holder<Union>;
#elif defined(REFUSED_names_and_functions)
using Record = Holder<Mood>;
#elif defined(REFUSED_no_default_element)
using Record = Holder<std::vector<Number>>;
#elif defined(REFUSED_pointer)
using Record = int*;
#elif defined(REFUSED_wrong_handle)
using Record = Circle;
#elif defined(REFUSED_written_through_find)
using Record = WithSerialize;
#elif defined(REFUSED_layout_without_index)
using Record = Holder<hdb::Handle<int, hdb::Layout<0, 31>>>;
#elif defined(REFUSED_layout_without_generation)
using Record = Holder<hdb::Handle<int, hdb::Layout<32, 0>>>;
#elif defined(REFUSED_layout_of_32_generation_bits)
using Record = Holder<hdb::Handle<int, hdb::Layout<32, 32>>>;
#elif defined(REFUSED_layout_of_17_type_bits)
using Record = Holder<hdb::Handle<int, hdb::Layout<16, 16, 17>>>;
#elif defined(REFUSED_layout_of_65_bits)
using Record = Holder<hdb::Handle<int, hdb::Layout<34, 31>>>;
#else
using Record = Holder<int>;
#endif

}  // namespace

template <>
struct hdb::LeavesOut<LeavesAnyOut> : std::true_type {};
template <>
struct hdb::LeavesOut<Refers> {
  static constexpr std::tuple members{&Refers::on};
};

#if defined(REFUSED_enumerator_above_the_range)
enum class Weather { dry, wet };
template <>
struct hdb::EnumNames<Weather> : hdb::AutoEnumNames<Weather, 0, 0> {};
#endif
template <>
struct hdb::EnumNames<Mood> {
  static constexpr std::array list{hdb::EnumName{Mood::calm, "calm"}};
};

int main() {
  hdb::Database db;
#if defined(REFUSED_wrong_handle)
  auto& shapes = db.create_table<Shape>("shapes");
  return shapes.contains(hdb::Handle<Circle>()) ? 1 : 0;
#elif defined(REFUSED_explicit_member_in_binary)
  std::stringstream bytes;
  cereal::BinaryOutputArchive archive(bytes);
  archive(Timed());
#elif defined(REFUSED_written_through_find)
  auto& records = db.create_table<WithSerialize>("records");
  records.find(records.emplace())->a = 1;
#elif defined(REFUSED_ignored_result)
  db.load("save.hdb");
#elif defined(REFUSED_blobs_without_header)
  db.create_blob_table<WithSerialize>("blocks", {.capacity_bytes = 64});
#elif defined(REFUSED_components_without_header)
  db.create_component_table<WithSerialize>("parts", db.create_table<Shape>("shapes"));
#elif defined(REFUSED_resources_without_header)
  db.create_resource_table<WithSerialize>("resources");
#else
  db.create_table<Record>("records");
#endif
}
