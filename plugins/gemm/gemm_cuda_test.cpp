// SPDX-License-Identifier: Apache-2.0
#include "gemm/autotune_trial.hpp"
#include "gemm/load_history.hpp"
#include "lib/product_arithmetic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

namespace assay::plugins::gemm {
namespace {

constexpr Dtype kDtypes[] = {Dtype::fp64, Dtype::fp32,     Dtype::tf32,     Dtype::fp16,
                             Dtype::bf16, Dtype::fp8_e4m3, Dtype::fp8_e5m2, Dtype::int8};

TEST(GemmShape, CountsTwoOperationsForEachMultiplyAddOfEveryProduct) {
  const Shape shape = shape_of(8192, 8192, 8192, 1, Layout::nn, Dtype::bf16);
  EXPECT_DOUBLE_EQ(shape.operations(), 2.0 * 8192 * 8192 * 8192);
  EXPECT_DOUBLE_EQ(shape_of(3, 5, 7, 4, Layout::nn, Dtype::fp32).operations(), 2.0 * 3 * 5 * 7 * 4);
}

TEST(GemmShape, CountsAAndBAndCOnceInTheirOwnTypes) {
  const Shape shape = shape_of(16, 32, 64, 3, Layout::standard, Dtype::fp8_e4m3);
  EXPECT_DOUBLE_EQ(shape.bytes(arithmetic_of(Dtype::fp8_e4m3, false)), 3 * (16 * 64 + 64 * 32 + 2 * 16 * 32));
  EXPECT_DOUBLE_EQ(shape.bytes(arithmetic_of(Dtype::int8, false)), 3 * (16 * 64 + 64 * 32 + 4 * 16 * 32));
  EXPECT_DOUBLE_EQ(shape.bytes(arithmetic_of(Dtype::fp64, false)), 3 * 8 * (16 * 64 + 64 * 32 + 16 * 32));
}

// 4096³ in bf16 with C written once has n/3 operations for each byte.
TEST(GemmShape, HasTheIntensityOfASquareProduct) {
  const Shape shape = shape_of(4096, 4096, 4096, 1, Layout::nn, Dtype::bf16);
  EXPECT_NEAR(shape.operations() / shape.bytes(arithmetic_of(Dtype::bf16, false)), 4096.0 / 3, 0.1);
}

TEST(GemmShape, StoresNarrowTypesAlongKUnlessTheSuiteSaysOtherwise) {
  EXPECT_FALSE(shape_of(1, 1, 1, 1, Layout::standard, Dtype::fp8_e5m2).transpose_a);
  EXPECT_TRUE(shape_of(1, 1, 1, 1, Layout::standard, Dtype::fp8_e5m2).transpose_b);
  EXPECT_TRUE(shape_of(1, 1, 1, 1, Layout::standard, Dtype::int8).transpose_b);
  EXPECT_FALSE(shape_of(1, 1, 1, 1, Layout::standard, Dtype::bf16).transpose_b);
  EXPECT_TRUE(shape_of(1, 1, 1, 1, Layout::tn, Dtype::int8).transpose_a);
  EXPECT_FALSE(shape_of(1, 1, 1, 1, Layout::tn, Dtype::int8).transpose_b);
}

TEST(GemmShape, BeginsEveryMatrixAt256Bytes) {
  EXPECT_EQ(stride_of(1, 2), 128U);
  EXPECT_EQ(stride_of(128, 2), 128U);
  EXPECT_EQ(stride_of(129, 2), 256U);
  EXPECT_EQ(stride_of(33, 8), 64U);
  EXPECT_EQ(stride_of(257, 1), 512U);
}

TEST(GemmArithmetic, KnowsHowLargeWholeSumsMayGrow) {
  EXPECT_LT(largest_sum(16384, 3), arithmetic_of(Dtype::bf16, false).exact_below);
  EXPECT_LT(largest_sum(16384, 3), arithmetic_of(Dtype::fp8_e4m3, false).exact_below);
  EXPECT_GT(largest_sum(16384, 3), arithmetic_of(Dtype::fp8_e4m3, true).exact_below);
  EXPECT_LT(largest_sum(512, 3), arithmetic_of(Dtype::fp8_e4m3, true).exact_below);
  EXPECT_LT(largest_sum(1 << 17, 127), arithmetic_of(Dtype::int8, false).exact_below);
}

// The H100 SXM's datasheet: 132 multiprocessors; 1.83 GHz for the tensor cores' 989.4 TFLOP/s in bf16.
TEST(GemmArithmetic, ReachesTheDatasheetsPeakAtItsClock) {
  EXPECT_NEAR(operations_per_clock(90, Dtype::bf16) * 132 * 1.83e9, 989.4e12, 0.1e12);
  EXPECT_NEAR(operations_per_clock(90, Dtype::fp8_e4m3) * 132 * 1.83e9, 1979e12, 1e12);
  EXPECT_NEAR(operations_per_clock(90, Dtype::fp32) * 132 * 1.98e9, 66.9e12, 0.1e12);
  EXPECT_NEAR(operations_per_clock(80, Dtype::bf16) * 108 * 1.41e9, 312e12, 0.5e12);
}

TEST(GemmArithmetic, ClaimsNoPeakForGpusThatItDoesNotKnow) {
  for (const Dtype dtype : kDtypes) EXPECT_EQ(operations_per_clock(100, dtype), 0);
  EXPECT_EQ(operations_per_clock(80, Dtype::fp8_e4m3), 0);
}

TEST(GemmArithmetic, OffersTheWorkspaceThatUsersOfTheLibraryOffer) {
  EXPECT_EQ(workspace_for(90), std::uint64_t{32} << 20);
  EXPECT_EQ(workspace_for(80), std::uint64_t{4} << 20);
}

TEST(Autotune, ChoosesTheFastest) {
  const std::vector<double> seconds = {1.0, 1.2, 0.8, 0.9};
  const TrialResult result = choose_algorithm(seconds.size(), [&](std::size_t i, int) { return seconds[i]; });
  EXPECT_EQ(result.winner, 2U);
  EXPECT_NEAR(result.gain, 0.25, 1e-12);
  EXPECT_EQ(result.started, 4U);
}

TEST(Autotune, KeepsTheFirstUnlessAnotherIsClearlyFaster) {
  const std::vector<double> seconds = {1.0, 0.995};
  const TrialResult result = choose_algorithm(seconds.size(), [&](std::size_t i, int) { return seconds[i]; });
  EXPECT_EQ(result.winner, 0U);
  EXPECT_EQ(result.gain, 0);
}

// Candidate 2 wins short trials and loses long ones, as under a power limit.
TEST(Autotune, BelievesTheLongestTrials) {
  const std::vector<std::vector<double>> by_round = {{1.0, 1.02, 0.95}, {1.0, 0.99, 1.01}, {1.0, 0.95, 1.2}};
  const TrialResult result = choose_algorithm(
      3, [&](std::size_t i, int round) { return by_round[static_cast<std::size_t>(round)][i]; });
  EXPECT_EQ(result.winner, 1U);
}

TEST(Autotune, LeavesOutWhatCannotRun) {
  const std::vector<double> seconds = {0, 1.0, 0.5, 0};
  const TrialResult result = choose_algorithm(seconds.size(), [&](std::size_t i, int) { return seconds[i]; });
  EXPECT_EQ(result.winner, 2U);
  EXPECT_EQ(result.started, 2U);
  EXPECT_EQ(choose_algorithm(2, [](std::size_t, int) { return 0.0; }).started, 0U);
}

TEST(Autotune, SpendsLongTrialsOnlyOnWhatMayWin) {
  std::vector<int> trials(16);
  (void)choose_algorithm(16, [&](std::size_t i, int) {
    ++trials[i];
    return 1.0 + 0.1 * static_cast<double>(i);
  });
  EXPECT_EQ(trials[15], 1);
}

TEST(LoadHistory, ComparesTheLastSecondWithTheFirst20Milliseconds) {
  LoadHistory history;
  for (int i = 0; i < 2; ++i) history.add({10, 0.01, 0, 0});   // 1000 per second
  for (int i = 0; i < 300; ++i) history.add({8, 0.01, 0, 0});  // 800 per second
  ASSERT_TRUE(history.drop());
  EXPECT_NEAR(*history.drop(), 0.2, 1e-9);
}

TEST(LoadHistory, NeedsNoMoreThanBothParts) {
  LoadHistory history;
  for (int i = 0; i < 2; ++i) history.add({10, 0.01, 0, 0});
  for (int i = 0; i < 110; ++i) history.add({9, 0.01, 0, 0});
  EXPECT_NEAR(history.drop().value_or(0), 0.1, 1e-9);
}

TEST(LoadHistory, SaysNothingOfAShortLoad) {
  LoadHistory history;
  for (int i = 0; i < 100; ++i) history.add({10, 0.01, 0, 0});
  EXPECT_FALSE(history.drop());
  EXPECT_FALSE(LoadHistory().drop());
}

TEST(LoadHistory, GivesTheMeanClockOfTheLastSecond) {
  LoadHistory history;
  EXPECT_FALSE(history.clock());
  for (int i = 0; i < 100; ++i) history.add({1, 0.02, 0.02 * 1.98e9, 0.02});
  for (int i = 0; i < 100; ++i) history.add({1, 0.02, 0.02 * 1.3e9, 0.02});
  ASSERT_TRUE(history.clock());
  EXPECT_NEAR(*history.clock(), 1.3e9, 1);
}

TEST(LoadHistory, TakesAShorterLastPartForBursts) {
  LoadHistory history(0.02);
  for (int i = 0; i < 100; ++i) history.add({1, 0.005, 0.005 * 1.3e9, 0.005});
  for (int i = 0; i < 4; ++i) history.add({1, 0.005, 0.005 * 1.98e9, 0.005});
  EXPECT_NEAR(history.clock().value_or(0), 1.98e9, 1);
}

TEST(LoadHistory, OfABurstHasNothingOfTheLoadBeforeItsRest) {
  LoadHistory bursts(0.02, true), held(0.02);
  for (LoadHistory* history : {&bursts, &held}) {
    for (int i = 0; i < 10; ++i) history->add({1, 0.01, 0.01 * 1.3e9, 0.01, 5 + 0.01 * i});
    history->add({1, 0.005, 0.005 * 1.98e9, 0.005, 6.1});
  }
  EXPECT_NEAR(bursts.clock().value_or(0), 1.98e9, 1);
  EXPECT_LT(held.clock().value_or(0), 1.5e9);
}

TEST(LoadHistory, KeepsOneStretchHoweverLong) {
  LoadHistory history;
  history.add({1, 5, 0, 0});
  history.add({1, 10, 0, 0});
  EXPECT_NEAR(history.drop().value_or(9), 0.5, 1e-12);
}

}  // namespace
}  // namespace assay::plugins::gemm
