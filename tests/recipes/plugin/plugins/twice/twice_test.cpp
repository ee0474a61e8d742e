// SPDX-License-Identifier: Apache-2.0
#include "twice/parameters.hpp"

#include <gtest/gtest.h>

namespace assay::plugins::twice {
namespace {

TEST(Twice, GivesEachRankInputsOfItsOwn) {
  EXPECT_EQ(element(Data::uniform, inputs_of(1, 0), 7), element(Data::uniform, inputs_of(1, 0), 7));
  EXPECT_NE(element(Data::uniform, inputs_of(1, 0), 7), element(Data::uniform, inputs_of(1, 1), 7));
}

}  // namespace
}  // namespace assay::plugins::twice
