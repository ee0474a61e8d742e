// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "baseline/make.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace assay::baseline {
namespace {

using comparison::LoadedResult;
using testing::HasSubstr;

// Results of one device each, whose one row has this value.
struct Fleet {
  std::vector<LoadedResult> readings;
  explicit Fleet(const std::vector<double>& values, bool one_device = false) {
    for (const double value : values)
      add(value, one_device ? "GPU-0" : "GPU-" + std::to_string(readings.size()));
  }
  void add(double value, const std::string& uuid) {
    LoadedResult reading;
    reading.source = "run" + std::to_string(readings.size());
    reading.run.id = reading.source;
    reading.run.suite = "nodes";
    model::Device device;
    device.name = "cuda:0";
    device.uuid = uuid;
    device.model = "H200";
    device.facts["power_limit_w"] = 700;
    model::Backend cuda;
    cuda.name = "cuda";
    cuda.facts["driver"] = "580.65." + std::to_string(readings.size());
    cuda.devices.push_back(device);
    reading.run.backends.push_back(cuda);
    model::Case one;
    one.id = "gemm[device=cuda:0]";
    one.comparison_key = "gemm";
    one.benchmark = "gemm";
    one.backend = "cuda";
    one.outcome = Outcome::passed;
    one.placement.devices = {"cuda:0"};
    model::Metric metric;
    metric.name = "throughput";
    metric.unit = "FLOP/s";
    metric.statistic = "work over time";
    metric.value = value;
    one.metrics.push_back(metric);
    reading.cases.push_back(one);
    readings.push_back(reading);
  }
  [[nodiscard]] std::string refusal() const {
    try {
      (void)make(readings);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "baseline.refused");
      return error.what();
    }
    return "";
  }
};

const std::vector<double> kEight{100, 101, 99, 100, 102, 98, 100, 100};

TEST(Baseline, OfEightDevicesHasTheirMeanScatterAndCommonConditions) {
  const NewBaseline made = make(Fleet(kEight).readings);
  ASSERT_EQ(made.baseline.bands.size(), 1U);
  const Band& band = made.baseline.bands[0];
  EXPECT_EQ(band.model, "H200");
  EXPECT_EQ(band.power_limit_w, 700);
  EXPECT_EQ(band.oldest_driver, "580.65.0");
  EXPECT_EQ(band.newest_driver, "580.65.7");
  EXPECT_EQ(band.device, "");
  ASSERT_EQ(band.rows.size(), 1U);
  EXPECT_EQ(band.rows[0].count, 8U);
  EXPECT_NEAR(band.rows[0].mean, 99.993, 1e-3);
  EXPECT_NEAR(band.rows[0].deviation_percent, 1.195, 1e-3);
  EXPECT_TRUE(made.left_out.empty());
}

TEST(Baseline, ReadsWhatItWrites) {
  const Baseline written = make(Fleet(kEight).readings).baseline;
  const Baseline read = from_yaml("b.yaml", to_yaml(written));
  EXPECT_EQ(to_yaml(read), to_yaml(written));
  EXPECT_EQ(read.bands[0].oldest_driver, "580.65.0");
}

TEST(Baseline, OfEightRunsOnOneDeviceIsOfThatDeviceAlone) {
  EXPECT_EQ(make(Fleet(kEight, true).readings).baseline.bands[0].device, "GPU-0");
}

TEST(Baseline, ADeviceThatWasMeasuredTwiceCountsOnce) {
  Fleet fleet(kEight);
  fleet.add(104, "GPU-0");
  const NewBaseline made = make(fleet.readings);
  EXPECT_EQ(made.baseline.bands[0].rows[0].count, 8U);
}

TEST(Baseline, WhatWouldTeachNothingIsRefusedWithTheReason) {
  EXPECT_THAT(Fleet({100}).refusal(),
              HasSubstr("gemm throughput is of 1 run on one device, and a band takes 8"));
  EXPECT_THAT(Fleet({100, 101, 102, 99, 98, 100, 101}).refusal(), HasSubstr("is of 7 devices"));
  EXPECT_THAT(Fleet(std::vector<double>(8, 100)).refusal(), HasSubstr("has the same value every time"));
  EXPECT_THAT(Fleet({100, 101, 99, 100, 102, 98, 100, -1}).refusal(),
              HasSubstr("a value that is not above zero in 'run7'"));
  const auto changed = [](const auto& change) {
    Fleet fleet(kEight);
    change(fleet.readings[3]);
    return fleet.refusal();
  };
  EXPECT_THAT(changed([](LoadedResult& r) { r.run.backends[0].devices[0].model = "H100"; }),
              HasSubstr("the model is H100 and H200"));
  EXPECT_THAT(changed([](LoadedResult& r) { r.run.backends[0].devices[0].facts["power_limit_w"] = 600; }),
              HasSubstr("the power limit is 600 W and 700 W"));
  EXPECT_THAT(changed([](LoadedResult& r) { r.cases[0].parameters["m"] = 1; }),
              HasSubstr("what was measured"));
  EXPECT_THAT(changed([](LoadedResult& r) { r.run.mode.quick = true; }),
              HasSubstr("'run3' was measured with --quick"));
  EXPECT_THAT(changed([](LoadedResult& r) { r.run.mode.simulated = true; }), HasSubstr("is simulated"));
  EXPECT_THAT(changed([](LoadedResult& r) { r.run.id = "run2"; }), HasSubstr("is given twice"));
}

TEST(Baseline, ASickDeviceIsLeftOutAndSoSaid) {
  Fleet fleet(kEight);
  fleet.add(60, "GPU-9");
  fleet.readings.back().cases[0].outcome = Outcome::failed;
  const NewBaseline made = make(fleet.readings);
  EXPECT_EQ(made.baseline.bands[0].rows[0].count, 8U);
  EXPECT_THAT(made.left_out, testing::ElementsAre(HasSubstr("'gemm[device=cuda:0]' of 'run8' did not pass")));
  // That only a baseline could answer is not a sickness.
  fleet.readings.back().cases[0].reason = model::Reason{};
  fleet.readings.back().cases[0].reason->code = "expectation.no-reference";
  EXPECT_EQ(make(fleet.readings).baseline.bands[0].rows[0].count, 9U);
}

// What from_yaml says against a text, or "".
std::string problem_of(const std::string& text) {
  try {
    (void)from_yaml("b.yaml", text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "baseline.malformed");
    return error.what();
  }
  return "";
}

TEST(Baseline, ARowIsInTwoBandsOnlyIfNoDeviceIsOfBoth) {
  Baseline two = make(Fleet(kEight).readings).baseline;
  two.bands.push_back(two.bands[0]);
  two.bands[1].rows[0].mean = 10;
  const std::string problem = problem_of(to_yaml(two));
  EXPECT_THAT(problem,
              HasSubstr("at line 17 'throughput' of the row 'gemm', which stands at line 11 already"));
  const auto changed = [&](const auto& change) {
    Baseline other = two;
    change(other.bands[1]);
    return problem_of(to_yaml(other));
  };
  EXPECT_EQ(changed([](Band& band) { band.model = "H100"; }), "");
  EXPECT_EQ(changed([](Band& band) { band.power_limit_w = 600; }), "");
  EXPECT_EQ(changed([](Band& band) { band.rows[0].work = "other"; }), "");
  EXPECT_EQ(changed([](Band& band) { band.rows[0].metric = "time"; }), "");
  EXPECT_EQ(changed([](Band& band) {
              band.oldest_driver = "580.65.8";
              band.newest_driver = "581";
            }),
            "");
  EXPECT_EQ(changed([](Band& band) {
              band.oldest_driver = "1";
              band.newest_driver = "580.64";
            }),
            "");
  // Each of these may hold beside what the first band asks for.
  EXPECT_NE(changed([](Band& band) { band.power_limit_w.reset(); }), "");
  EXPECT_NE(changed([](Band& band) { band.oldest_driver = band.newest_driver = ""; }), "");
  EXPECT_NE(changed([](Band& band) { band.newest_driver = "590"; }), "");
  EXPECT_NE(changed([](Band& band) { band.device = "GPU-1"; }), "");
  two.bands[0].device = "GPU-0";
  EXPECT_EQ(changed([](Band& band) { band.device = "GPU-1"; }), "");
}

TEST(Baseline, AKeyThatNobodyReadsIsRefusedAtItsPlace) {
  Baseline baseline = make(Fleet(kEight, true).readings).baseline;
  const std::string good = to_yaml(baseline);
  ASSERT_EQ(problem_of(good), "");
  const auto with = [&](const std::string& old, const std::string& now) {
    std::string text = good;
    text.replace(text.find(old), old.size(), now);
    return problem_of(text);
  };
  EXPECT_THAT(with("    device:", "    devices:"),
              HasSubstr("line 10, column 5: unknown key 'devices' in a band (did you mean 'device'?)"));
  EXPECT_THAT(with("power_limit_w:", "power_limit:"), HasSubstr("did you mean 'power_limit_w'?"));
  EXPECT_THAT(with("suite:", "note: x\nsuite:"),
              HasSubstr("line 4, column 1: unknown key 'note' in a baseline"));
  EXPECT_THAT(with("{row:", "{driver: '1', row:"), HasSubstr("unknown key 'driver' in a row"));
}

TEST(Baseline, TheEnvironmentThatACaseSetsIsPartOfItsWork) {
  Fleet fleet(kEight);
  for (LoadedResult& reading : fleet.readings)
    reading.cases[0].environment = {{"MODE", "fast"}, {"A", std::nullopt}};
  const std::string fast = make(fleet.readings).baseline.bands[0].rows[0].work;
  EXPECT_NE(fast, make(Fleet(kEight).readings).baseline.bands[0].rows[0].work);
  fleet.readings[3].cases[0].environment = {{"A", std::nullopt}, {"MODE", "fast"}};
  EXPECT_EQ(make(fleet.readings).baseline.bands[0].rows[0].work, fast);
  for (const auto& other : {std::optional<std::string>("slow"), std::optional<std::string>("null"),
                            std::optional<std::string>()}) {
    fleet.readings[3].cases[0].environment = {{"MODE", other}, {"A", std::nullopt}};
    EXPECT_THAT(fleet.refusal(), HasSubstr("what was measured (parameters, conditions, environment, ranks)"));
  }
}

TEST(Baseline, FilesThatAreNoneAreRefusedWithThePlace) {
  const std::string good = to_yaml(make(Fleet(kEight).readings).baseline);
  const auto refusal = [&](const std::string& old, const std::string& now) {
    std::string text = good;
    EXPECT_NE(text.find(old), std::string::npos) << old;
    text.replace(text.find(old), old.size(), now);
    try {
      (void)from_yaml("b.yaml", text);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "baseline.malformed");
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refusal("count: 8", "count: 7"), HasSubstr("count is below 8"));
  EXPECT_THAT(refusal("mean: ", "mean: -"), HasSubstr("mean is not above zero"));
  EXPECT_THAT(refusal("deviation_percent: 1.195", "deviation_percent: 0"), HasSubstr("does not lie between"));
  EXPECT_THAT(refusal("baseline: 1", "baseline: 2"), HasSubstr("another version"));
  EXPECT_THAT(refusal("bands:", "bans:"), HasSubstr("bands"));
  EXPECT_THAT(refusal("rows:", "rows: ["), HasSubstr("line"));
  const std::size_t row = good.find("      - {");
  const std::string line = good.substr(row, good.find('\n', row) + 1 - row);
  EXPECT_THAT(refusal(line, line + line), HasSubstr("twice in one band"));
}

TEST(Baseline, VersionsAreOrderedByTheirParts) {
  EXPECT_TRUE(is_older("580.65.06", "580.126"));
  EXPECT_FALSE(is_older("580.126", "580.65.06"));
  EXPECT_FALSE(is_older("580.65", "580.65"));
  EXPECT_TRUE(is_older("580", "580.1"));
}

}  // namespace
}  // namespace assay::baseline
