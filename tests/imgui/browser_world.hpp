// A database, a browser and a screen for tests of hdb/imgui.hpp.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/variant.hpp>
#include <cereal/types/vector.hpp>

#include "hdb/autosaver.hpp"
#include "hdb/hdb.hpp"
#include "hdb/history.hpp"
#include "hdb/imgui.hpp"
#include "imgui/screen.hpp"

namespace hdb::test::browser {

enum class Mood : std::uint8_t { calm, angry };

struct Item {
  std::string title = "stick";
  std::uint16_t count = 1;
};
struct Beast {
  std::string title = "imp";
  std::int16_t hp = 100;
  bool seen = false;
  Mood mood = Mood::calm;
  Handle<Beast> target = {};
  std::vector<Handle<Beast>> friends = {};
  std::vector<Item> items = {};
  std::optional<std::int32_t> age = {};
  std::variant<std::int32_t, std::string> extra = 0;
  std::map<std::string, std::int32_t> notes = {};
  float speed = 1.5F;
};
struct Armor {
  std::int32_t value = 5;
};
struct Chest {
  Handle<Beast> guard = {};
  std::int32_t gold = 3;
};

}  // namespace hdb::test::browser

template <>
struct hdb::EnumNames<hdb::test::browser::Mood>
    : hdb::AutoEnumNames<hdb::test::browser::Mood, 0, 3> {};

namespace hdb::test::browser {

using ::testing::HasSubstr;
using ::testing::Not;

class BrowserWorld : public testing::Test {
 protected:
  Database db_;
  Table<Beast>& beasts_ = db_.create_table<Beast>("beasts", {.names = RecordNames::exact});
  Table<Chest>& chests_ = db_.create_table<Chest>("chests", {.storage = Storage::stable});
  History history_{db_, {.frames = 16}};
  std::optional<Autosaver> autosaver_;
  hdb::imgui::Browser browser_;
  hdb::imgui::BrowserOptions options_;
  Screen screen_{[this] { hdb::imgui::show_database(browser_, db_, options_); }};

  /// Shows a record.
  template <class H>
  void show(const char* table, H handle) {
    browser_.select(table, handle.bits());
    screen_.frames(3);
  }
  /// The middle of the value beside a field of the record, or of its left edge.
  void click_value(std::string_view label, bool at_begin = false) {
    const auto shown = screen_.find(label);
    ASSERT_TRUE(shown) << label << " in\n" << screen_.all();
    screen_.click(at_begin ? kValuesBegin : kValuesMiddle, shown->y + 6);
  }
  /// Enters a text as the value of a field of the record.
  void enter(std::string_view label, const std::string& text) {
    click_value(label);
    screen_.enter(text);
  }
  /// Clicks on a text that must be shown.
  void click(std::string_view text) {
    EXPECT_TRUE(screen_.click(text)) << text << " in\n" << screen_.all();
  }
  /// Opens the node of a field in the record.
  void open(std::string_view label) { click(label); }
  /// Frames until the searches are done.
  void finish_searches() {
    for (int i = 0; i < 10'000; ++i) {
      screen_.frames();
      if (screen_.all().find(" ...") == std::string::npos) return;
    }
    FAIL() << "the searches do not end";
  }

 private:
  static constexpr float kValuesBegin = 1033;
  static constexpr float kValuesMiddle = 1150;
};

}  // namespace hdb::test::browser
