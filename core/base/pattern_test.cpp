// SPDX-License-Identifier: Apache-2.0
#include "base/pattern.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using ::testing::HasSubstr;

TEST(Pattern, IsFoundInATextAsPeopleWriteIt) {
  EXPECT_TRUE(Pattern("gemm\\[dtype=(bf16|fp8)").is_found_in("gemm[dtype=bf16,device=cuda:0]"));
  EXPECT_TRUE(Pattern("bytes=[1-4]KiB").is_found_in("a[bytes=2KiB]"));
  EXPECT_FALSE(Pattern("^b$").is_found_in("ab"));
  EXPECT_TRUE(Pattern("\\d+\\.\\d+").matches("1.25"));
  EXPECT_FALSE(Pattern("\\d+\\.\\d+").matches("v1.25"));
  EXPECT_TRUE(Pattern("x.y").is_found_in("x\xffy")) << "bytes are characters";
  EXPECT_EQ(Pattern("(a)(?:b)(c)").groups(), 2U);
}

TEST(Pattern, SaysWhatIsWrong) {
  EXPECT_THAT(Pattern("(").problem(), HasSubstr("parenthesis"));
  EXPECT_THAT(Pattern("[a").problem(), HasSubstr("bracket"));
  EXPECT_THAT(Pattern("(a)\\1").problem(), HasSubstr("no back-references"));
  EXPECT_THAT(Pattern("(?=a)").problem(), HasSubstr("no look-around"));
  for (const char* around : {"(?!a)", "(?<=a)", "(?<!a)", "(?>a)"})
    EXPECT_THAT(Pattern(around).problem(), ::testing::AnyOf(HasSubstr("no look-around"), HasSubstr("name")))
        << around;
  EXPECT_EQ(Pattern("(?P<value>a)(b)").groups(), 2U);
  EXPECT_THAT(Pattern("(?P<a b>x)").problem(), HasSubstr("a named group is written (?P<name>"));
  EXPECT_THAT(Pattern("*").problem(), HasSubstr("nothing to repeat"));
  EXPECT_THAT(Pattern("((a{100}){100}){100}").problem(), HasSubstr("too"));
  EXPECT_FALSE(Pattern("(").is_found_in("("));
}

TEST(Pattern, EndsAtItsLimit) {
  EXPECT_EQ(Pattern(std::string(4096, 'a')).problem(), "");
  EXPECT_THAT(Pattern(std::string(4097, 'a')).problem(), HasSubstr("more than 4096 characters"));
}

// With backtracking each of these ends never, or the stack does.
TEST(Pattern, IsDoneInTimeWhateverItIs) {
  const std::string text(1 << 20, 'a');
  for (const char* evil : {"(a+)+$b", "(a|aa)+$b", "(a*)*b", "(.*)*x", "(a|a?)+b", "(x+x+)+y", "((a*)*)*b"})
    EXPECT_FALSE(Pattern(evil).is_found_in(text)) << evil;
}

}  // namespace
}  // namespace assay
