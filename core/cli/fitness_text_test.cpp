// SPDX-License-Identifier: Apache-2.0
#include "cli/fitness_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::cli {
namespace {

using ::testing::HasSubstr;

TEST(FitnessText, OpensWithTheAnswer) {
  const std::string text = fitness_text({true, "fit for effects above 2.8 %"}, {},
                                        {{"a", "host", 5, 0.001}, {"b", "acme", 5, 0.01}});
  EXPECT_EQ(text.find("fit for effects above 2.8 %\n"), 0U);
  EXPECT_THAT(text, HasSubstr("differ by up to 2.8 % by chance"));
  EXPECT_THAT(text, HasSubstr("differ by up to 0.28 % by chance"));
  EXPECT_THAT(text, HasSubstr("nothing was found"));
  EXPECT_THAT(fitness_text({false, "not fit: …"}, {{"cuda:0", "it is off", "turn it on"}}, {}),
              HasSubstr("cuda:0: it is off; turn it on"));
}

}  // namespace
}  // namespace assay::cli
