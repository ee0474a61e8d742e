// SPDX-License-Identifier: Apache-2.0
//
// What JUnit knows: suites of test cases, each with at most one result. Made from the document, written by
// junit.cpp.
#pragma once

#include "lib/document.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::reporters {

enum class Element { none, failure, error, skipped };

struct TestCase {
  std::string class_name, name;
  double time_s = 0;
  Element element = Element::none;
  std::string type, message, text;
  std::string flaky;  // why an earlier attempt did not pass, if a later one did
  std::string output;
  Position position;
  std::size_t assertions = 0;
  std::vector<std::pair<std::string, std::string>> properties;  // rich only
  const Case* source = nullptr;  // none of a group check, a finding and the run itself
};

struct TestSuite {
  std::string name, package;
  std::vector<TestCase> cases;

  [[nodiscard]] std::size_t count(Element element) const;
};

// One suite a plugin, in order of appearance, then findings that the suite asserts; and, if the run did not
// pass and no test case says so, one that does. Names are ASCII, at most kNameLimit bytes, unique in their
// class, and the same in every run.
inline constexpr std::size_t kNameLimit = 200;
[[nodiscard]] std::vector<TestSuite> test_suites(const Document& document);

// ASCII of at most kNameLimit bytes; what had to be changed ends in "~" and eight digits of a hash of the
// whole text.
[[nodiscard]] std::string portable_name(std::string_view text);

// The element that an outcome becomes.
[[nodiscard]] Element element_of(Outcome outcome);

}  // namespace assay::reporters
