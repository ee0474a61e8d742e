// SPDX-License-Identifier: Apache-2.0
#include "lib/pivot.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace assay::reporters {
namespace {

Metric metric(std::string name, std::string unit, bool headline) {
  Metric out;
  out.name = std::move(name);
  out.unit = std::move(unit);
  out.headline = headline;
  out.value = 1;
  return out;
}

Expectation limit_on(const std::string& name) {
  Expectation out;
  out.text = name + " >= 75% of peak";
  out.op = ">=";
  out.limit = 0.75;
  return out;
}

std::vector<std::string> metrics_with(std::vector<Expectation> expectations) {
  Document document;
  Case one;
  one.name = one.id = "copy";
  one.metrics = {metric("bandwidth", "B/s", true), metric("latency", "s", true),
                 metric("one_way_bandwidth", "B/s", false), metric("clock", "Hz", false)};
  one.expectations = std::move(expectations);
  document.cases.push_back(one);
  return pivot(document).at(0).metrics;
}

using Names = std::vector<std::string>;

TEST(Pivot, ShowsWhatTheSuiteHasALimitForInTheHeadlinesPlace) {
  EXPECT_EQ(metrics_with({}), (Names{"bandwidth", "latency"}));
  EXPECT_EQ(metrics_with({limit_on("one_way_bandwidth")}), (Names{"one_way_bandwidth", "latency"}));
}

TEST(Pivot, KeepsAHeadlineThatHasALimitItself) {
  EXPECT_EQ(metrics_with({limit_on("bandwidth"), limit_on("one_way_bandwidth")}),
            (Names{"bandwidth", "latency"}));
}

TEST(Pivot, KeepsTheHeadlineWhereTheLimitIsOnAnotherQuantity) {
  EXPECT_EQ(metrics_with({limit_on("clock")}), (Names{"bandwidth", "latency"}));
}

TEST(Pivot, ShowsAllThatACommandsCaseDeclaresAndItsTime) {
  Document document;
  Case one;
  one.name = one.id = "train";
  one.command = {"./train"};
  one.metrics = {metric("rate", "img/s", true), metric("wait", "s", true), metric("time", "s", true),
                 metric("per_gpu", "img/s", false)};
  one.metrics[3].statistic = kDerived;
  one.expectations = {limit_on("per_gpu")};
  document.cases.push_back(one);
  EXPECT_EQ(pivot(document).at(0).metrics, (Names{"rate", "wait", "time", "per_gpu"}))
      << "a limit on what is derived takes the place of none";
}

TEST(Pivot, ShowsWhatTheSuiteDerivesBesideTheHeadline) {
  Document document;
  for (const char* id : {"whole", "chunks"}) {
    Case one;
    one.name = "copy";
    one.id = id;
    one.metrics = {metric("bandwidth", "B/s", true), metric("lower_bound", "s", false),
                   metric("share_of_bound", "1", false), metric("parts", "B/s", false)};
    one.metrics[2].statistic = kDerived;
    one.metrics[3].statistic = kDerived;
    one.metrics[3].indices = {0};
    document.cases.push_back(one);
  }
  EXPECT_EQ(pivot(document).at(0).metrics, (Names{"bandwidth", "share_of_bound"}));
}

TEST(Pivot, ShowsEnergyWhereTheSuiteHasALimitForIt) {
  Document document;
  Case one;
  one.name = one.id = "copy";
  one.metrics = {metric("bandwidth", "B/s", true), metric("energy_per_iteration", "J", false)};
  one.metrics[1].statistic = kDerived;
  document.cases = {one};
  EXPECT_EQ(pivot(document).at(0).metrics, (Names{"bandwidth"}));
  document.cases[0].expectations = {limit_on("energy_per_iteration")};
  EXPECT_EQ(pivot(document).at(0).metrics, (Names{"bandwidth", "energy_per_iteration"}));
}

TEST(Pivot, SaysHowVariantsDiffer) {
  Document document;
  for (const char* threads : {"1", "2"}) {
    Case one;
    one.name = "step";
    one.id = one.name + "[variant=" + (threads[0] == '1' ? "before" : "after") + "]";
    one.axes = {{"variant", threads[0] == '1' ? "before" : "after", {{"env.OMP_NUM_THREADS", threads}}}};
    one.environment = {{"OMP_NUM_THREADS", threads}};
    document.cases.push_back(one);
  }
  const Block block = pivot(document).at(0);
  EXPECT_EQ(block.constants, (Names{"before → after: env.OMP_NUM_THREADS 1 → 2"}));
  EXPECT_EQ(block.axes, (Names{"variant"}));
  EXPECT_EQ(block.rows.at(1).labels, (Names{"after"}));
}

TEST(Pivot, JoinsTheSidesOfAProductAndNoOtherNumbers) {
  Document document;
  Case one;
  one.name = one.id = "gemm";
  one.parameters = {{"m", 32}, {"n", 32}, {"batch", 32}, {"side", 32}};
  document.cases = {one};
  EXPECT_EQ(pivot(document).at(0).constants, (Names{"m=n=32", "batch=32", "side=32"}));
}

TEST(Pivot, ShowsACommandThatIsShort) {
  Document document;
  Case one;
  one.name = one.id = "sort";
  one.command = {"./sort", "a b"};
  document.cases = {one};
  EXPECT_EQ(pivot(document).at(0).constants, (Names{"./sort 'a b'"}));
  document.cases[0].command.emplace_back(40, 'x');
  EXPECT_EQ(pivot(document).at(0).constants, Names());
}

TEST(Pivot, NamesTheVariantWhereNobodyChoseAnything) {
  const auto constants = [](bool chosen) {
    Document document;
    Case one;
    one.name = one.id = "membw";
    one.parameters = {{"bytes", 268435456}, {"kernel", "triad"}, {"stores", "auto"}, {"verify", true}};
    one.units = {{"bytes", "B"}};
    one.defaults = {"kernel", "stores", "verify"};
    if (!chosen) one.defaults.emplace_back("bytes");
    document.cases.push_back(one);
    return pivot(document).at(0).constants;
  };
  EXPECT_EQ(constants(false), (Names{"bytes=256 MiB", "triad"}));
  EXPECT_EQ(constants(true), (Names{"256 MiB"}));
}

TEST(Pivot, DoesNotRepeatTheTitleAmongTheParameters) {
  Document document;
  Case one;
  one.name = one.id = "latency";
  one.parameters = {{"kernel", "latency"}, {"placement", "local"}};
  document.cases.push_back(one);
  EXPECT_EQ(pivot(document).at(0).constants, (Names{"local"}));
}

}  // namespace
}  // namespace assay::reporters
