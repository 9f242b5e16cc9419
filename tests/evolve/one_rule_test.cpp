// What a stored field may become in another program does not depend on who asks: a load, a load of
// a record with another class version, a migration that does nothing, an import, a load without the
// program (load_as), or compare_schemas.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "field_type.hpp"
#include "support/scale.hpp"

namespace hdb::test::evolve {
namespace {

// Pairs of types, "FROM -> TO", by how they differ.
using Differences = std::map<std::string, std::set<std::string>>;

struct Group {
  const char* name;
  void (*add)(std::vector<FieldType>& types);

  friend void PrintTo(const Group& group, std::ostream* out) { *out << group.name; }
};
constexpr Group kGroups[] = {{"Numbers", add_numbers},
                             {"EnumsAndTexts", add_enums_and_texts},
                             {"Structures", add_structures},
                             {"Lists", add_lists},
                             {"Maps", add_maps},
                             {"Variants", add_variants},
                             {"Handles", add_handles}};

std::vector<FieldType> all_types() {
  std::vector<FieldType> types;
  for (const Group& group : kGroups) group.add(types);
  return types;
}

// How `other` differs from `first`; empty if it does not.
std::string difference(const Outcome& first, const Outcome& other) {
  if (first.loads != other.loads) return other.loads ? "loads" : "is refused";
  if (!first.loads) {
    if (first.error.code != other.error.code) return "another code";
    return first.error.message() != other.error.message() ? "another text" : "";
  }
  if (first.value != other.value) return "another value";
  return first.changes != other.changes ? "another report" : "";
}

// The outcome without what the report says of no value, and without the types of such values.
Outcome counted(Outcome outcome) {
  std::string changes;
  for (std::size_t at = 0; at < outcome.changes.size();) {
    const std::size_t end = outcome.changes.find(')', outcome.changes.find("(x", at)) + 1;
    const std::string change = outcome.changes.substr(at, end - at);
    if (!change.ends_with("(x0)"))
      changes += std::regex_replace(change, std::regex(" from .* to "), " to ");
    at = end;
  }
  outcome.changes = std::move(changes);
  return outcome;
}

// The outcome without what the report says of class versions: schemas do not say what reads them.
Outcome without_versions(Outcome outcome) {
  outcome.changes = std::regex_replace(
      outcome.changes, std::regex("(, |^)[^,]* not migrated from version [^)]*\\)"), "");
  return outcome;
}

// What compare_schemas says beforehand of the saves of a type.
class Forecast {
 public:
  Forecast(const FieldType& from, const FieldType& to) {
    const CompatReport report = compare_schemas(from.saved_schemas, to.loaded_schemas);
    for (const TableCompat& table : report.tables) {
      for (const CompatFinding& finding : table.findings) {
        if (finding.effect != Compatibility::incompatible) continue;
        (finding.depends_on_values ? refuses_some_ : refuses_all_) = true;
      }
    }
  }
  [[nodiscard]] bool refuses_all() const { return refuses_all_; }
  /// How a load differs from it.
  [[nodiscard]] std::string difference(const Outcome& load) const {
    if (load.loads) return refuses_all_ ? "refuses" : "";
    return refuses_all_ || refuses_some_ ? "" : "accepts";
  }

 private:
  bool refuses_all_ = false;
  bool refuses_some_ = false;
};

// Compares all ways to read the saves of a pair of types.
class Comparison {
 public:
  void compare(const FieldType& from, const FieldType& to, const Forecast& forecast) {
    pair_ = from.name + " -> " + to.name;
    pairs_.insert(pair_);
    for (const Bytes& save : from.saves) {
      ++saves_;
      const Outcome plain = read(to, save, Way::plain);
      EXPECT_TRUE(plain.loads || from.name != to.name) << pair_ << ": " << plain.error.message();
      if (!is_beyond_schemas(plain.error)) note("compat", forecast.difference(plain), plain, {});
      note("import", plain, read(to, save, Way::imported));
      note("migration", plain, read(to, save, Way::migrated));
      // What a migration reads is its value: of a list without elements, the file's type is gone.
      const Outcome reading = read(to, save, Way::migrated_reading);
      if (!reading.loads || plain.loads) note("reading", counted(plain), counted(reading));
      Outcome converted = load_through_schemas(to, save);
      // The defaults of the program are not in its schemas.
      const bool has_defaults = plain.changes.find("defaulted") != std::string::npos;
      if (has_defaults) converted.value = plain.value;
      if (!is_beyond_schemas(plain.error))
        note("schema", without_versions(plain), without_versions(converted));
      // Nor is it in them whether a container that holds equal elements sorts them.
      const bool may_sort = to.name.starts_with("multiset");
      if (plain.loads && converted.loads && !has_defaults && !may_sort &&
          plain.state != converted.state)
        note("schema", "another state", plain, converted);
      // The code of a record decides what a field of another class version is, so the values are
      // asked, not the schema: a list without elements may become a list of anything.
      const Outcome newer_class = read(to, save, Way::newer_class);
      if (!newer_class.loads || !forecast.refuses_all()) note("class version", plain, newer_class);
    }
  }
  [[nodiscard]] const Differences& found() const { return found_; }
  [[nodiscard]] const std::set<std::string>& pairs() const { return pairs_; }
  [[nodiscard]] std::size_t saves() const { return saves_; }

 private:
  // What user code does with bytes, and an enum of booleans, have no place in a schema.
  static bool is_beyond_schemas(const Error& error) {
    return error.what.find("the opaque value holds") != std::string::npos ||
           error.what.find("the enum of the program is stored as a boolean") != std::string::npos;
  }
  // A sound save that does not load is never called damaged.
  [[nodiscard]] Outcome read(const FieldType& to, const Bytes& save, Way way) const {
    Outcome outcome = to.load(save, way);
    if (outcome.loads) return outcome;
    EXPECT_EQ(category_of(outcome.error.code), ErrorCategory::mismatch)
        << pair_ << ": " << outcome.error.message();
    EXPECT_NE(outcome.error.where, "") << pair_;
    return outcome;
  }
  void note(const std::string& way, const Outcome& first, const Outcome& other) {
    note(way, difference(first, other), first, other);
  }
  void note(const std::string& way, const std::string& how, const Outcome& first,
            const Outcome& other) {
    if (how.empty()) return;
    found_[way + ' ' + how].insert(pair_);
    if (std::getenv("HDB_SHOW_DIFFERENCES") == nullptr) return;
    std::cout << way << ' ' << how << ": " << pair_ << "\n  " << first.value
              << first.error.message() << " | " << first.changes << "\n  " << other.value
              << other.error.message() << " | " << other.changes << '\n';
  }

  std::string pair_;
  std::set<std::string> pairs_;
  Differences found_;
  std::size_t saves_ = 0;
};

class OneRule : public testing::TestWithParam<Group> {};

TEST_P(OneRule, AnOldSaveIsReadInOneWay) {
  std::vector<FieldType> from;
  GetParam().add(from);
  const std::vector<FieldType> all = all_types();
  Comparison comparison;
  std::size_t number = 0;
  for (const FieldType& saved : from) {
    for (const FieldType& loaded : all) {
      // Short runs leave out pairs that should always be refused.
      const Forecast forecast(saved, loaded);
      if (number++ % scaled_stride() == 0 || !forecast.refuses_all())
        comparison.compare(saved, loaded, forecast);
    }
  }
  std::cout << comparison.saves() << " saves of " << comparison.pairs().size() << " pairs\n";
  for (const auto& [how, pairs] : comparison.found()) {
    // Texts differ in how they name the place. Code for another class version reads values itself,
    // so a report counts other values there.
    const bool is_difference =
        !how.ends_with("another text") && how != "class version another report";
    std::cout << how << ": " << pairs.size() << " pairs\n";
    for (const std::string& pair : pairs) EXPECT_FALSE(is_difference) << how << ": " << pair;
  }
}
INSTANTIATE_TEST_SUITE_P(From, OneRule, testing::ValuesIn(kGroups),
                         [](const auto& group) { return std::string(group.param.name); });

}  // namespace
}  // namespace hdb::test::evolve
