// SPDX-License-Identifier: Apache-2.0
#include "lib/options.hpp"

#include <gtest/gtest.h>

namespace assay::reporters {
namespace {

TEST(Options, TheLastOfSeveralWins) {
  const OptionList list{{"width", "80"}, {"width", "90"}};
  OptionReader reader(list);
  EXPECT_EQ(reader.integer("width", 100, 1, 200), 90);
  EXPECT_NO_THROW(reader.finish());
}

TEST(Options, SayWhatIsPossible) {
  const OptionList list{{"width", "9x"}, {"flavor", "bitbucket"}, {"colour", "true"}};
  OptionReader reader(list);
  EXPECT_THROW(static_cast<void>(reader.integer("width", 1, 1, 2)), BadOption);
  try {
    static_cast<void>(reader.choice("flavor", "github", {"github", "plain"}));
    FAIL();
  } catch (const BadOption& bad) {
    EXPECT_STREQ(bad.what(), "option 'flavor' is 'bitbucket', and must be one of: github, plain");
  }
  try {
    reader.finish();
    FAIL();
  } catch (const BadOption& bad) {
    EXPECT_STREQ(bad.what(), "unknown option 'colour'; one of: width, flavor");
  }
}

}  // namespace
}  // namespace assay::reporters
