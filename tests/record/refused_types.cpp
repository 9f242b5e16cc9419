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
struct Undescribed {
  int a = 0;
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

int main() { return hdb::detail::make_codec<Record>()->is_plain() ? 0 : 1; }
