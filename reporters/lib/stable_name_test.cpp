// SPDX-License-Identifier: Apache-2.0
#include "lib/stable_name.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace assay::reporters {
namespace {

using testing::ElementsAre;

Case case_of(const std::string& name) {
  Case one;
  one.name = name;
  return one;
}

TEST(UniqueNames, TellCasesOfOneNameApart) {
  Document document;
  document.cases = {case_of("x"), case_of("x"), case_of("y"), case_of("x")};
  EXPECT_THAT(unique_names(document), ElementsAre("x", "x#2", "y", "x#3"));
}

TEST(UniqueNames, DoNotMeetANameThatIsThereAlready) {
  Document document;
  document.cases = {case_of("x#2"), case_of("x"), case_of("x")};
  EXPECT_THAT(unique_names(document), ElementsAre("x#2", "x", "x#3"));
}

}  // namespace
}  // namespace assay::reporters
