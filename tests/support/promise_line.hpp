// Prints the line of a promise for each test of a suite, as tests of many cases print one
// themselves: `G15 OddPlaces.Name: cases=1 failures=0`.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace hdb::test {

class PromiseLine final : public testing::EmptyTestEventListener {
 public:
  PromiseLine(const char* promise, const char* suite) : promise_(promise), suite_(suite) {}
  void OnTestEnd(const testing::TestInfo& info) override {
    if (suite_ != info.test_suite_name()) return;
    std::printf("%s %s.%s: cases=1 failures=%d\n", promise_, info.test_suite_name(), info.name(),
                info.result()->Failed() ? 1 : 0);
  }

 private:
  const char* promise_;
  std::string suite_;
};

/// Call this once, to set a static variable: `const bool says_g15 = says_promise("G15", "Odd");`.
inline bool says_promise(const char* promise, const char* suite) {
  testing::UnitTest::GetInstance()->listeners().Append(new PromiseLine(promise, suite));
  return true;
}

}  // namespace hdb::test
