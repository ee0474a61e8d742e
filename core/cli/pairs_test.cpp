// SPDX-License-Identifier: Apache-2.0
#include "cli/pairs.hpp"

#include "base/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace assay::cli {
namespace {

using ::testing::HasSubstr;

std::string refusal_of(const std::string& side) {
  try {
    return variant_text(side);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "usage.pairs");
    return error.what();
  }
}

TEST(PairsOfVariants, AreReadAsTheyAreWritten) {
  EXPECT_EQ(variant_text("as-is"), "{}");
  EXPECT_EQ(variant_text("env:OMP_NUM_THREADS=1"), R"({env: {OMP_NUM_THREADS: "1"}})");
  EXPECT_EQ(variant_text("env:A=1,B=~"), R"({env: {A: "1", B: ~}})");
  EXPECT_EQ(variant_text("env:A=1,with:m=64MiB,n=true"), R"({env: {A: "1"}, with: {m: 64MiB, n: true}})");
  EXPECT_EQ(variant_text("env:A="), R"({env: {A: ""}})");
}

TEST(PairsOfVariants, TakeAPartWithoutASignForMoreOfTheValue) {
  EXPECT_EQ(variant_text("env:NCCL_IB_HCA=mlx5_0,mlx5_1,B=x:y"),
            R"({env: {NCCL_IB_HCA: "mlx5_0,mlx5_1", B: "x:y"}})");
  EXPECT_EQ(variant_text("env:A=with:b=c"), R"({env: {A: "with:b=c"}})");
}

TEST(PairsOfVariants, NoneCanSmuggleInAKey) {
  EXPECT_EQ(variant_text("env:A=\"}, b: {"), R"({env: {A: "\"}, b: {"}})");
  EXPECT_THAT(refusal_of("env:A}: {B=1"), HasSubstr("is not NAME=VALUE"));
  EXPECT_EQ(variant_text("with:m=a}: b"), R"({with: {m: "a}: b"}})");
}

TEST(PairsOfVariants, SayWhatIsWrongWithThem) {
  EXPECT_THAT(refusal_of("A=1"), HasSubstr("did you mean 'env:A=1'?"));
  EXPECT_THAT(refusal_of("witj:m=1"), HasSubstr("did you mean 'with'?"));
  EXPECT_THAT(refusal_of("env:A"), HasSubstr("'A' is not NAME=VALUE"));
  EXPECT_THAT(refusal_of("env:=1"), HasSubstr("is not NAME=VALUE"));
  EXPECT_THAT(refusal_of(""), HasSubstr("a side is env:NAME=VALUE"));
  EXPECT_THAT(refusal_of("plugin:/no/such/file.so"), HasSubstr("there is no file"));
}

TEST(PairsOfVariants, AskForTheirAmountsOnlyIfThereAreAny) {
  PairOptions none;
  EXPECT_FALSE(none.is_asked());
  none.no_worse_than = "1%";
  EXPECT_THROW(static_cast<void>(question_of(none)), Error);
  PairOptions asked{{"as-is", "env:A=1"}, "3%", "1%"};
  EXPECT_DOUBLE_EQ(question_of(asked).theta, 0.03);
  EXPECT_DOUBLE_EQ(*question_of(asked).no_worse_than, 0.01);
}

}  // namespace
}  // namespace assay::cli
