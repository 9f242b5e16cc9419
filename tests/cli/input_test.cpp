// What messages call the files of the command line.
#include "input.hpp"

#include <gtest/gtest.h>

namespace hdb::test::input_test {
namespace {

TEST(ShownName, HasNoPassword) {
  const std::pair<const char*, const char*> cases[] = {
      {"-", "standard input"},
      {"saves/a:b@c.hdb", "saves/a:b@c.hdb"},
      {"postgresql://ann:secret@host:5432/db", "postgresql://ann@host:5432/db"},
      {"postgres://ann:secret@host/db@gate/7", "postgres://ann@host/db@gate/7"},
      {"postgresql://ann@host:5432/db@gate/7", "postgresql://ann@host:5432/db@gate/7"},
      {"postgresql://host:5432/db@gate/7", "postgresql://host:5432/db@gate/7"},
      {"postgresql:///db?user=ann&password=secret", "postgresql:///db?user=ann&password="},
      {"postgresql:///db?password=secret&user=ann", "postgresql:///db?password=&user=ann"},
      {"postgresql://", "postgresql://"},
  };
  for (const auto& [path, shown] : cases) {
    EXPECT_EQ(inspect::shown_name(path), shown);
    EXPECT_EQ(inspect::json_name(path), shown);
  }
}

}  // namespace
}  // namespace hdb::test::input_test
