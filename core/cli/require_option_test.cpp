// SPDX-License-Identifier: Apache-2.0
#include "cli/require_option.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::cli {
namespace {

using ::testing::ElementsAre;

TEST(Requirements, OfTheCommandLineAreSettings) {
  EXPECT_THAT(settings_of_requirements("devices=8"), ElementsAre("requires.devices=8"));
  EXPECT_THAT(settings_of_requirements("devices=>=2,driver=>=580.65"),
              ElementsAre("requires.devices=\">=2\"", "requires.driver=\">=580.65\""));
  EXPECT_THAT(settings_of_requirements("libraries=[nccl,cublasLt],memory=80GiB"),
              ElementsAre("requires.libraries=[nccl,cublasLt]", "requires.memory=80GiB"));
}

TEST(Requirements, WithoutAValueAreLeftForTheSuiteToRefuse) {
  EXPECT_THAT(settings_of_requirements("devices"), ElementsAre("requires.devices"));
  EXPECT_THAT(settings_of_requirements(""), ElementsAre("requires."));
}

}  // namespace
}  // namespace assay::cli
