// Numbers and characters as field types.
#include <limits>

#include "types.hpp"

namespace hdb::test::evolve {

void add_numbers(vector<FieldType>& types) {
  add<bool>(types, "bool", {false, true});
  add<i8>(types, "i8", {0, -1, 127});
  add<u8>(types, "u8", {0, 1, 255});
  add<i16>(types, "i16", {0, -300});
  add<u16>(types, "u16", {2, 65535});
  add<i32>(types, "i32", {1, -70000});
  add<u32>(types, "u32", {1, 0xffffffff});
  add<i64>(types, "i64", {1, std::numeric_limits<i64>::min(), (i64{1} << 53) + 1});
  add<u64>(types, "u64", {1, ~u64{0}});
  add<float>(types, "f32", {0.5F, -0.0F, 1e-45F, 1e30F, 3});
  add<double>(types, "f64", {0.1, 5e-324, 1e300, 2, std::numeric_limits<double>::quiet_NaN()});
  add<char>(types, "char8", {'a', '\xff'});
  add<char16_t>(types, "char16", {u'a', char16_t{0xd800}});
  add<char32_t>(types, "char32", {U'a', char32_t{0x110000}});
}

}  // namespace hdb::test::evolve
