// SPDX-License-Identifier: Apache-2.0
#include "cli/bench_suite.hpp"

#include "base/error.hpp"
#include "cli/setting_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

catalog::Benchmark copies(catalog::MetricKind kind, catalog::Direction direction) {
  catalog::Benchmark benchmark;
  benchmark.name = "copies";
  for (const char* name : {"way", "bytes"}) {
    catalog::Parameter parameter;
    parameter.name = name;
    benchmark.parameters.push_back(parameter);
  }
  catalog::MetricDeclaration metric;
  metric.name = "speed";
  metric.kind = kind;
  metric.direction = direction;
  metric.headline = true;
  benchmark.metrics = {metric};
  return benchmark;
}

std::string suite_of(const catalog::Benchmark& benchmark, const std::vector<SettingText>& settings) {
  catalog::Manifest manifest;
  manifest.backend = "host";
  return bench_suite({{&manifest, &benchmark}, benchmark.name}, settings);
}

TEST(BenchSuite, KeepsTheLinesOfAText) { EXPECT_EQ(yaml_scalar("a \"b\"\nc"), R"("a \"b\"\nc")"); }

TEST(BenchSuite, AsksOfEachOtherValueWhetherItIsFasterThanTheReference) {
  const auto rate = copies(catalog::MetricKind::rate, catalog::Direction::higher);
  const std::string text = suite_of(rate, {{"way", "a,b,c"}, {"bytes", "1MiB,2MiB"}, {"reference", "way=a"}});
  EXPECT_THAT(text, HasSubstr("    reference: {way: a}\n"));
  EXPECT_THAT(text, HasSubstr("  - id: way_b\n    question: \"Is way=b faster than way=a?\"\n"
                              "    let: {b: \"copies[way=b].speed\", a: \"copies[way=a].speed\"}\n"
                              "    claim: b > a\n"));
  EXPECT_THAT(text, HasSubstr("  - id: way_c\n"));
  EXPECT_THAT(text, Not(HasSubstr("  - id: way_a\n")));
  EXPECT_THAT(suite_of(rate, {{"way", "a,b"}}), Not(HasSubstr("findings")));
}

TEST(BenchSuite, AsksInTheDirectionThatIsBetter) {
  const auto value = copies(catalog::MetricKind::value, catalog::Direction::lower);
  const std::string text = suite_of(value, {{"way", "a,b"}, {"reference", "way=a"}});
  EXPECT_THAT(text, HasSubstr("Is way=b better than way=a?"));
  EXPECT_THAT(text, HasSubstr("claim: b < a"));
  const auto neither = copies(catalog::MetricKind::value, catalog::Direction::none);
  EXPECT_THAT(suite_of(neither, {{"way", "a,b"}, {"reference", "way=a"}}), Not(HasSubstr("findings")));
}

TEST(BenchSuite, CallsTheSidesByTheirValues) {
  const auto rate = copies(catalog::MetricKind::rate, catalog::Direction::higher);
  EXPECT_THAT(suite_of(rate, {{"bytes", "1MiB,2MiB"}, {"reference", "bytes=1MiB"}}),
              HasSubstr("claim: bytes_2MiB > bytes_1MiB\n"));
  // What expressions take for a word of their own is not a name.
  EXPECT_THAT(suite_of(rate, {{"way", "max,peak"}, {"reference", "way=max"}}),
              HasSubstr("claim: this > base\n"));
}

TEST(BenchSuite, TakesABackendThatHasDevicesHere) {
  catalog::Catalog catalog;
  for (const char* backend : {"host", "gpu"}) {
    catalog::Manifest manifest;
    manifest.id = std::string("org.copies.") + backend;
    manifest.backend = backend;
    manifest.benchmarks = {copies(catalog::MetricKind::rate, catalog::Direction::higher)};
    catalog.add(manifest);
  }
  const auto suite_with = [&](const std::string& devices, const std::string& name = "copies") {
    return bench_suite(choose_provider(catalog, name,
                                       [&](const std::string& backend) {
                                         return devices.find(backend) != std::string::npos;
                                       }),
                       {});
  };
  EXPECT_THAT(suite_with("host"), AllOf(HasSubstr("requires: {backend: host}\n"),
                                        HasSubstr("# also on gpu: uses: copies@gpu\n")));
  for (const char* devices : {"host gpu", "gpu", ""})
    EXPECT_THAT(suite_with(devices), AllOf(Not(HasSubstr("requires")), HasSubstr("# also on host")))
        << devices;
  EXPECT_THAT(suite_with("host", "copies@gpu"), AllOf(HasSubstr("backend: gpu"), Not(HasSubstr("also on"))));
}

TEST(BenchSuite, RefusesAReferenceWithoutAValue) {
  const auto rate = copies(catalog::MetricKind::rate, catalog::Direction::higher);
  for (const char* bad : {"way", "way=", "=a", "way=a,bytes"})
    EXPECT_THROW((void)suite_of(rate, {{"way", "a,b"}, {"reference", bad}}), Error) << bad;
}

}  // namespace
}  // namespace assay::cli
