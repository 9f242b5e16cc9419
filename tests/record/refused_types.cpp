// Compiled by tests with one REFUSED_... macro each: the type it selects must not compile as part
// of a record.
#include "hdb/detail/record/make_codec.hpp"

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
struct SixtyFive {
  int a[1], a1, a2, a3, a4, a5, a6, a7, b0, b1, b2, b3, b4, b5, b6, b7, c0, c1, c2, c3, c4, c5, c6,
      c7, d0, d1, d2, d3, d4, d5, d6, d7, e0, e1, e2, e3, e4, e5, e6, e7, f0, f1, f2, f3, f4, f5,
      f6, f7, g0, g1, g2, g3, g4, g5, g6, g7, h0, h1, h2, h3, h4, h5, h6, h7, i0;
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
#elif defined(REFUSED_bit_field)
using Record = BitField;
#elif defined(REFUSED_anonymous_union)
using Record = AnonymousUnion;
#elif defined(REFUSED_unnamed_left_out)
using Record = LeavesAnyOut;
#elif defined(REFUSED_pointer_in_aggregate)
using Record = Holder<PointsAway>;
#elif defined(REFUSED_move_only)
using Record = MoveOnly;
#elif defined(REFUSED_no_default)
using Record = NoDefault;
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

int main() { return hdb::detail::make_codec<Record>()->is_plain() ? 0 : 1; }
