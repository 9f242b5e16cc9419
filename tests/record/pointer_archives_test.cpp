// hdb::Box and hdb::OneOf in cereal's own archives: as the pointers in whose place they are.
#include <cereal/archives/binary.hpp>
#include <cereal/archives/json.hpp>
#include <cereal/archives/portable_binary.hpp>
#include <cereal/archives/xml.hpp>
#include <cereal/types/memory.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>
#include <sstream>

#include "hdb/cereal_boxes.hpp"
#include "hdb/cereal_structs.hpp"
#include "hdb/hdb.hpp"
#include "record/helpers.hpp"

namespace hdb::test::pointer_archives_test {

struct Point {
  int x = 1, y = 2;
  friend bool operator==(const Point&, const Point&) = default;
};
struct Item {
  int price = 5;

  virtual ~Item() = default;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(price));
  }
  friend bool operator==(const Item&, const Item&) = default;
};
struct Sword : Item {
  std::string name = "sword";
  template <class A>
  void serialize(A& a) {
    a(cereal::base_class<Item>(this), CEREAL_NVP(name));
  }
  friend bool operator==(const Sword&, const Sword&) = default;
};
struct Gem : Item {
  std::vector<int> faces{1, 2};
  template <class A>
  void serialize(A& a) {
    a(cereal::base_class<Item>(this), CEREAL_NVP(faces));
  }
  friend bool operator==(const Gem&, const Gem&) = default;
};
/// Without CEREAL_REGISTER_TYPE.
struct Shoe : Item {
  template <class A>
  void serialize(A& a) {
    a(cereal::base_class<Item>(this));
  }
  friend bool operator==(const Shoe&, const Shoe&) = default;
};
namespace moved {
struct Sword : pointer_archives_test::Sword {
  friend bool operator==(const Sword&, const Sword&) = default;
};
}  // namespace moved

struct Pointers {
  std::unique_ptr<Point> point = std::make_unique<Point>(Point{3, 4});
  std::unique_ptr<Point> none;
  std::unique_ptr<Item> item;
  std::vector<std::unique_ptr<Item>> items;
  std::unique_ptr<Sword> exact = std::make_unique<Sword>();
  std::unique_ptr<Sword> no_sword;

  Pointers() {
    items.push_back(std::make_unique<Sword>());
    items.push_back(nullptr);
    items.push_back(std::make_unique<Gem>());
    items.push_back(std::make_unique<Item>());
    items.push_back(std::make_unique<Gem>());
  }
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(point), CEREAL_NVP(none), CEREAL_NVP(item), CEREAL_NVP(items), CEREAL_NVP(exact),
      CEREAL_NVP(no_sword));
  }
};
using Any = OneOf<Item, Gem, Item, Sword>;
struct Values {
  Box<Point> point = Point{3, 4};
  Box<Point> none;
  Any item;
  std::vector<Any> items{Sword(), nullptr, Gem(), Item(), Gem()};
  Box<Sword> exact = Sword();
  Box<Sword> no_sword;

  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(point), CEREAL_NVP(none), CEREAL_NVP(item), CEREAL_NVP(items), CEREAL_NVP(exact),
      CEREAL_NVP(no_sword));
  }
  friend bool operator==(const Values&, const Values&) = default;
};

}  // namespace hdb::test::pointer_archives_test

CEREAL_REGISTER_TYPE(hdb::test::pointer_archives_test::Sword)
CEREAL_REGISTER_TYPE_WITH_NAME(hdb::test::pointer_archives_test::Gem, "Jewel")

namespace hdb::test::pointer_archives_test {
namespace {

template <class Output, class Input>
struct Archives {
  using Out = Output;
  using In = Input;
};
template <class>
class PointerArchives : public testing::Test {};
using Pairs = testing::Types<
    Archives<cereal::JSONOutputArchive, cereal::JSONInputArchive>,
    Archives<cereal::XMLOutputArchive, cereal::XMLInputArchive>,
    Archives<cereal::BinaryOutputArchive, cereal::BinaryInputArchive>,
    Archives<cereal::PortableBinaryOutputArchive, cereal::PortableBinaryInputArchive>>;
TYPED_TEST_SUITE(PointerArchives, Pairs);

template <class Output, class T>
std::string written(const T& value) {
  std::stringstream stream;
  {
    Output out(stream);
    out(cereal::make_nvp("value", value));
  }
  return stream.str();
}
template <class Input, class T>
void read(const std::string& text, T& value) {
  std::stringstream stream(text);
  Input in(stream);
  in(cereal::make_nvp("value", value));
}
Values no_values() {
  Values values;
  values.point = values.none = Point{7, 8};
  values.item = Gem();
  values.items.clear();
  values.exact = nullptr;
  values.no_sword = Sword();
  return values;
}

TYPED_TEST(PointerArchives, HaveThePointersInTheirPlace) {
  const std::string text = written<typename TypeParam::Out>(Values());
  EXPECT_EQ(text, written<typename TypeParam::Out>(Pointers()));
  Values values = no_values();
  read<typename TypeParam::In>(text, values);
  EXPECT_EQ(values, Values());
  Pointers pointers;
  pointers.items.clear();
  read<typename TypeParam::In>(text, pointers);
  EXPECT_EQ(written<typename TypeParam::Out>(pointers), text);
}

TYPED_TEST(PointerArchives, NeedNoRegisteredTypes) {
  using Two = OneOf<Item, Shoe, Sword>;
  const std::vector<Two> before{Shoe(), Sword(), Shoe()};
  std::vector<Two> after;
  read<typename TypeParam::In>(written<typename TypeParam::Out>(before), after);
  EXPECT_EQ(after, before);
}

TYPED_TEST(PointerArchives, FindTypesWithoutTheirNamespaces) {
  const std::string text = written<typename TypeParam::Out>(OneOf<Item, Sword>(Sword()));
  ASSERT_NE(text.find("hdb::test::pointer_archives_test::Sword"), std::string::npos);
  OneOf<Item, moved::Sword> one;
  read<typename TypeParam::In>(text, one);
  EXPECT_EQ(one, (OneOf<Item, moved::Sword>(moved::Sword())));
}

TYPED_TEST(PointerArchives, RefuseATypeThatIsNotListed) {
  OneOf<Item, Sword, Shoe> one = Shoe();
  try {
    read<typename TypeParam::In>(written<typename TypeParam::Out>(Any(Gem())), one);
    FAIL() << "loaded";
  } catch (const cereal::Exception& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("does not list the type 'Jewel'"));
  }
  EXPECT_EQ(one, (OneOf<Item, Sword, Shoe>(Shoe()))) << "nothing changed";
  Box<Item> box = Item();
  EXPECT_THROW(read<typename TypeParam::In>(written<typename TypeParam::Out>(Any(Gem())), box),
               cereal::Exception);
  EXPECT_EQ(box, Box<Item>(Item()));
}

TYPED_TEST(PointerArchives, ACutArchiveChangesNothing) {
  const std::string text = written<typename TypeParam::Out>(Any(Gem()));
  Any one = Sword();
  EXPECT_THROW(read<typename TypeParam::In>(text.substr(0, text.size() * 2 / 3), one),
               std::exception);
  EXPECT_EQ(one, Any(Sword()));
}

}  // namespace
}  // namespace hdb::test::pointer_archives_test
