// SPDX-License-Identifier: Apache-2.0
#include "system/doubled_peaks.hpp"

#include "system/peaks.hpp"
#include "text/testing/folders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::system {
namespace {

using ::testing::HasSubstr;

// What is said of a table of one's own for an H200.
std::string said_of(const std::string& peaks) {
  Diagnostics reading, found;
  const Json own = parse_peaks(
      "mine.yaml",
      "version: 1\ndevices:\n  - {name: mine, source: a guide, match: {model: NVIDIA H200}, peaks: " + peaks +
          "}\n",
      reading);
  refuse_doubled_peaks(own, read_peaks(source_folder() / "suites/devices", reading), found);
  for (const Diagnostic& problem : reading.sorted()) ADD_FAILURE() << to_text(problem);
  std::string text;
  for (const Diagnostic& problem : found.sorted()) text += problem.text + " (" + problem.hint + ")\n";
  return text;
}

TEST(DoubledPeaks, OfSparsityAreRefused) {
  const std::string said = said_of("{matrix_throughput: {bf16: 1979 TFLOP/s, fp8_e4m3: 3958 TFLOP/s}}");
  EXPECT_THAT(said,
              HasSubstr("peak 'matrix_throughput' of bf16 of 'mine' (a guide) is 1979 TFLOP/s, twice the "
                        "989 TFLOP/s of NVIDIA H200 datasheet, SXM, dense (sheets give the double for 2:4 "
                        "sparsity; give the dense figure)"));
  EXPECT_THAT(said, HasSubstr("of fp8_e4m3 of 'mine' (a guide) is 3958 TFLOP/s, twice the 1979 TFLOP/s"));
}

TEST(DoubledPeaks, OfBothDirectionsOfALinkAreRefused) {
  const std::string said = said_of("{link_bandwidth: 900 GB/s, host_link_bandwidth: 128 GB/s}");
  EXPECT_THAT(said, HasSubstr("peak 'link_bandwidth' of 'mine' (a guide) is 900 GB/s, twice the 450 GB/s"));
  EXPECT_THAT(said, HasSubstr("is 128 GB/s, twice the 64 GB/s"));
  EXPECT_THAT(said, HasSubstr("(sheets add both directions of a link; give the figure of one way)"));
}

TEST(DoubledPeaks, OthersAreTheUsersToGive) {
  EXPECT_EQ(said_of("{matrix_throughput: {bf16: 950 TFLOP/s}, memory_bandwidth: 4.9 TB/s}"), "");
}

}  // namespace
}  // namespace assay::system
