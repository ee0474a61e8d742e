// SPDX-License-Identifier: Apache-2.0
#include "suite/suite.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace assay::suite {
namespace {

using ::testing::HasSubstr;

Suite suite() {
  Diagnostics diagnostics;
  Suite found = parse_suite("s.yaml", R"(
version: 1
suite: s
cases:
  - id: gemm
    uses: gemm
    with: {m: 8192}
    matrix: {dtype: [fp32, bf16], env.ALGO: [~, Ring], shape: [{a: 1}, {a: 2}]}
    env: {DEBUG: WARN}
    measure: {precision: 1%, max_time: 5s}
    requires: {backend: cuda}
    reference: {dtype: fp32}
)",
                            nullptr, diagnostics);
  for (const Diagnostic& one : diagnostics.sorted()) ADD_FAILURE() << to_text(one);
  return found;
}

SuiteCase with(const std::string& assignment) {
  Suite found = suite();
  Diagnostics diagnostics;
  apply_override(found, assignment, diagnostics);
  for (const Diagnostic& one : diagnostics.sorted()) ADD_FAILURE() << to_text(one);
  return found.cases[0];
}

std::string override_problem(const std::string& assignment) {
  Suite found = suite();
  Diagnostics diagnostics;
  apply_override(found, assignment, diagnostics);
  std::string all;
  for (const Diagnostic& one : diagnostics.sorted()) {
    EXPECT_EQ(one.position.file, "--set");
    all += std::to_string(one.position.column) + ": " + one.text;
  }
  EXPECT_EQ(found.cases[0].measure.values.max_time_s, 5) << "a setting that is wrong must change nothing";
  return all;
}

TEST(Override, SetsAParameter) {
  const SuiteCase one = with("gemm.m=4096");
  EXPECT_EQ(one.with[0].second.integer, 4096);
  EXPECT_EQ(one.with[0].second.position, (Position{"--set", 1, 8}));
  EXPECT_EQ(with("gemm.with.k=64MiB").with[1].second.text, "64MiB");
  EXPECT_EQ(with("gemm.layout=\"a=b\"").with[1].second.text, "a=b");
}

TEST(Override, IsToldAsTheOptionThatMadeIt) {
  Suite found = suite();
  Diagnostics diagnostics;
  for (const char* wrong : {"requires.divers=1", "requires.devices={", "gemm", "gemm.measure.samples=x"})
    apply_override(found, wrong, diagnostics, "--require");
  ASSERT_GE(diagnostics.sorted().size(), 4U);
  for (const Diagnostic& one : diagnostics.sorted())
    EXPECT_EQ(one.position.file, "--require") << to_text(one);
}

TEST(Override, NarrowsAnAxis) {
  const SuiteCase one = with("gemm.dtype=bf16");
  ASSERT_EQ(one.matrix.axes[0].values.size(), 1U);
  EXPECT_EQ(one.matrix.axes[0].values[0].scalar.text, "bf16");
  EXPECT_TRUE(one.with.size() == 1);
  EXPECT_EQ(with("gemm.matrix.dtype=[fp16, fp32]").matrix.axes[0].values[0].scalar.text, "fp16");
  EXPECT_EQ(with("gemm.env.ALGO=~").matrix.axes[1].values[0].scalar.kind, Scalar::Kind::null);
  EXPECT_TRUE(with("gemm.dtype={from: 1, to: 4, factor: 2}").matrix.axes[0].range.has_value());
  EXPECT_EQ(with("gemm.shape=[{a: 3}]").matrix.axes[2].values.size(), 1U);
}

TEST(Override, SetsAnyKeyOfACase) {
  EXPECT_EQ(with("gemm.processes=3").processes->value, 3);
  EXPECT_EQ(with("gemm.devices=[cuda:0, cuda:1]").devices.list.size(), 2U);
  EXPECT_EQ(with("gemm.env.DEBUG=~").env[0].second.kind, Scalar::Kind::null);
  EXPECT_EQ(with("gemm.env.NEW=1").env.size(), 2U);
  EXPECT_EQ(with("gemm.requires.devices=>=2").requires_.devices->value, ">=2");
  EXPECT_EQ(with("gemm.requires.devices=2").requires_.backends.size(), 1U);
  EXPECT_EQ(with("gemm.expect=[time < 1s]").expect.size(), 1U);
  EXPECT_DOUBLE_EQ(with("gemm.timeout=2min").timeout_s->value, 120);
}

TEST(Override, ReplacesAPrecisionByACountOfSamples) {
  const SuiteCase one = with("gemm.measure.samples=5");

  EXPECT_EQ(one.measure.values.samples, 5U);
  EXPECT_EQ(one.measure.where(&model::MeasureOptions::precision), nullptr);
  EXPECT_DOUBLE_EQ(one.measure.values.max_time_s, 5);
}

Suite set_of_suite(const std::vector<std::string>& assignments, std::string& problems) {
  Diagnostics diagnostics;
  Suite suite = parse_suite("t.yaml",
                            "version: 1\nsuite: s\nrequires: {backend: cuda, memory: 1GiB}\n"
                            "cases:\n  - {id: gemm, uses: gemm}\n",
                            nullptr, diagnostics);
  for (const std::string& assignment : assignments) apply_override(suite, assignment, diagnostics);
  for (const Diagnostic& one : diagnostics.sorted()) problems += one.text + "\n";
  return suite;
}

TEST(Override, SetsWhatTheSuiteItselfRequires) {
  std::string problems;
  const Suite suite = set_of_suite({"requires.devices=8", "requires.driver=\">=580.65\"",
                                    "requires.libraries=[nccl, cublasLt]", "policy.strict=true"},
                                   problems);
  EXPECT_EQ(problems, "");
  EXPECT_EQ(suite.requires_.devices->value, "8");
  EXPECT_EQ(suite.requires_.driver->value, ">=580.65");
  EXPECT_EQ(suite.requires_.libraries.at(1).value, "cublasLt");
  EXPECT_EQ(suite.requires_.memory->value, "1GiB");
  EXPECT_EQ(suite.requires_.backends.at(0).value, "cuda");
  EXPECT_TRUE(suite.policy.strict);
}

TEST(Override, OfTheSuiteSaysWhatIsWrong) {
  std::string problems;
  const Suite suite = set_of_suite({"requires.devices=none", "requires.divers=2", "requires.driver=new",
                                    "requires.libraries=a/b", "policy.strict=1"},
                                   problems);
  EXPECT_THAT(problems, HasSubstr("'devices' must be a number of devices"));
  EXPECT_THAT(problems, HasSubstr("'divers'"));
  EXPECT_THAT(problems, HasSubstr("'driver' must be a version, like 580.65"));
  EXPECT_THAT(problems, HasSubstr("'a/b' names no library"));
  EXPECT_THAT(problems, HasSubstr("'strict' must be true or false"));
  EXPECT_FALSE(suite.requires_.devices || suite.requires_.driver || suite.policy.strict);
}

TEST(Override, OfACommandIsOfWhatTheCommandUses) {
  Diagnostics diagnostics;
  Suite suite = parse_suite(
      "s.yaml",
      "version: 1\nsuite: s\ncases:\n  - {id: c, uses: external, command: [echo, '{n}'], with: {n: 1}}\n",
      nullptr, diagnostics);
  apply_override(suite, "c.n=2", diagnostics);
  EXPECT_FALSE(diagnostics.has_errors());
  apply_override(suite, "c.nosuch=1", diagnostics);
  ASSERT_TRUE(diagnostics.has_errors());
  EXPECT_THAT(diagnostics.sorted().front().text, HasSubstr("the command does not use 'nosuch'"));
}

TEST(Override, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(override_problem("gemm"), "1: 'gemm' is not a setting");
  EXPECT_EQ(override_problem("gemm.=5"), "1: 'gemm.=5' is not a setting");
  EXPECT_EQ(override_problem("=gemm.m"), "1: '=gemm.m' is not a setting");
  EXPECT_EQ(override_problem(""), "1: '' is not a setting");
  EXPECT_EQ(override_problem("gem.m=5"), "1: there is no case 'gem'");
  EXPECT_EQ(override_problem("gemm.m="), "7: 'm' has no value");
  EXPECT_EQ(override_problem("gemm.m=yes"), "8: 'yes' is a boolean to some YAML readers and text to others");
  EXPECT_EQ(override_problem("gemm.m=[1, 2]"), "8: 'm' has several values");
  EXPECT_EQ(override_problem("gemm.id=x"), "6: a case's id can't be changed");
  EXPECT_EQ(override_problem("gemm.timeout=5"), "14: 'timeout' needs a unit after '5'");
  EXPECT_EQ(override_problem("gemm.timeout.x=5"), "14: 'timeout' has no parts");
  EXPECT_EQ(override_problem("gemm.measure.max_tim=6s"), "14: unknown key 'max_tim' in 'measure'");
  EXPECT_EQ(override_problem("gemm.mesure.max_time=6s"), "6: a case has no key 'mesure'");
  EXPECT_EQ(override_problem("gemm.matrix.typ=[1]"), "13: 'typ' is not an axis of this case");
  EXPECT_EQ(override_problem("gemm.a=5"), "6: 'a' is set by axis 'shape'");
  EXPECT_EQ(override_problem("gemm.cache=hot"), "6: 'cache' is reserved and no parameter");
  EXPECT_EQ(override_problem("gemm.m=[1"), "8: this is not YAML: end of sequence flow not found");
  EXPECT_EQ(override_problem("gemm.measure={max_time: 6s, for: 1min, samples: 0}"), "49: 'samples' is '0'");
  EXPECT_EQ(override_problem("gemm.dtype=[]"), "12: axis 'dtype' has no values");
}

}  // namespace
}  // namespace assay::suite
