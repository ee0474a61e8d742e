// SPDX-License-Identifier: Apache-2.0
#include "worker/recorder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace assay::worker {
namespace {

assay_span span(std::int64_t begin_ns, std::int64_t end_ns, const char* name = "n", std::uint32_t clock = 0) {
  return {sizeof(assay_span), clock, "t", name, 0, begin_ns, end_ns};
}

// The spans of a traced sample, in which `record` was called.
template <typename Record>
std::vector<result::Span> traced(Recorder& one, Record record) {
  one.set_tracing(true);
  record();
  one.finish_trace();
  result::RankRecord taken;
  std::map<std::string, double> work;
  one.take(taken, work);
  return taken.spans;
}

// Up to the limit all is kept; one more is an error that names it.
template <typename Report>
void expect_limit(std::size_t limit, const std::string& what, Report report) {
  Recorder recorder({"m"}, {"m"}, {}, {"ecc"});
  recorder.set_tracing(true);
  for (std::size_t i = 0; i < limit; ++i) report(recorder);
  EXPECT_FALSE(recorder.violated());
  report(recorder);
  ASSERT_TRUE(recorder.violated());
  EXPECT_EQ(recorder.violation().code, "plugin.protocol");
  EXPECT_EQ(recorder.violation().text,
            "the plugin recorded more than " + std::to_string(limit) + " " + what + " in one visit");
}

TEST(Recorder, RefusesMoreValuesThanTheLimit) {
  expect_limit(1'000'000, "values", [](Recorder& one) { one.value("m", 0, nullptr, 1); });
}

TEST(Recorder, KeepsWhatBelongsToSamplesThatAreKept) {
  Recorder one({"part", "value"}, {"part"}, {}, {});
  const auto sample = [&](double value, bool kept) {
    one.begin_sample();
    one.value("part", 0, nullptr, value);
    one.value("value", 0, nullptr, value);
    if (kept) one.keep_sample();
  };
  sample(1, false);  // warm-up
  sample(2, true);
  sample(3, true);
  sample(4, false);  // on other inputs
  result::RankRecord record;
  std::map<std::string, double> work;
  one.take(record, work);
  std::vector<double> parts;
  for (const result::Value& value : record.values)
    if (value.metric == "part") parts.push_back(value.value);
  EXPECT_EQ(parts, (std::vector<double>{2, 3}));
  EXPECT_EQ(record.values.front().value, 4) << "what is not a sample's is the last that was recorded";
}

TEST(Recorder, LeavesOutValuesOfOtherInputs) {
  Recorder one({"loss", "never"}, {}, {}, {});
  one.value("loss", 0, nullptr, 1);
  one.set_keeping_values(false);
  one.value("loss", 0, nullptr, 2);
  one.value("never", 0, nullptr, 2);
  one.set_keeping_values(true);
  result::RankRecord record;
  std::map<std::string, double> work;
  one.take(record, work);
  ASSERT_EQ(record.values.size(), 1U);
  EXPECT_EQ(record.values.front().value, 1);
}

TEST(Recorder, RefusesMoreChecksThanTheLimit) {
  expect_limit(100'000, "checks", [](Recorder& one) { one.check("ecc", "0", false, ""); });
}

TEST(Recorder, RefusesMoreSpansThanTheLimit) {
  expect_limit(100'000, "spans", [](Recorder& one) { one.span(span(0, 1)); });
}

TEST(Recorder, RefusesMoreTextThanTheLimit) {
  const std::string mebibyte(std::size_t{1} << 20, 'x');
  for (int kind = 0; kind < 3; ++kind) {
    Recorder one({}, {}, {"f"}, {"c"});
    one.set_tracing(true);
    const auto record = [&] {
      if (kind == 0) one.fact("f", mebibyte.c_str());
      if (kind == 1) one.check("c", "", true, mebibyte.substr(1).c_str());
      if (kind == 2) one.span({sizeof(assay_span), 0, "", mebibyte.c_str(), 0, 0, 1});
    };
    for (int i = 0; i < 16; ++i) record();
    EXPECT_FALSE(one.violated()) << kind;
    record();
    ASSERT_TRUE(one.violated()) << kind;
    EXPECT_EQ(one.violation().code, "plugin.protocol");
    EXPECT_THAT(one.violation().text,
                ::testing::HasSubstr("more than 16777216 bytes of facts, checks and spans"));
  }
}

TEST(Recorder, RefusesASpanThatEndsBeforeItBegins) {
  for (const auto& [begin, end] : {std::pair(2, 1), std::pair(-1, 1)}) {
    Recorder one({}, {}, {}, {});
    one.span(span(begin, end));
    EXPECT_FALSE(one.violated()) << "it is not looked at where nobody asked for a timeline";
    one.set_tracing(true);
    one.span(span(1, 1));
    EXPECT_FALSE(one.violated());
    one.span(span(begin, end));
    ASSERT_TRUE(one.violated());
    EXPECT_EQ(one.violation().code, "plugin.protocol");
  }
}

TEST(Recorder, MovesSpansOfADevicesClockToTheHosts) {
  Recorder shifted({}, {}, {}, {});
  const auto by_one_moment = traced(shifted, [&] {
    shifted.span(span(-100, 300, "before the moment", 1));
    shifted.match(1, 0, 1'000'000);
  });
  EXPECT_EQ(by_one_moment.at(0).begin_ns, 999'900);
  EXPECT_EQ(by_one_moment.at(0).end_ns, 1'000'300);

  Recorder slow({}, {}, {}, {});
  const auto by_two = traced(slow, [&] {
    slow.match(7, 0, 1000);
    slow.match(7, 400, 1900);  // neither the first nor the last
    slow.match(7, 1000, 3000);
    slow.span(span(500, 750, "halfway", 7));
  });
  EXPECT_EQ(by_two.at(0).begin_ns, 2000);
  EXPECT_EQ(by_two.at(0).end_ns, 2500);
}

TEST(Recorder, RefusesSpansOfAClockThatWasNeverMatched) {
  Recorder one({}, {}, {}, {});
  (void)traced(one, [&] { one.span(span(1, 2, "copy", 3)); });
  ASSERT_TRUE(one.violated());
  EXPECT_EQ(one.violation().text,
            "the plugin recorded the span 'copy' by clock 3, which it never matched with the host's");
}

TEST(Recorder, KeepsTheFirstRuleThatWasBroken) {
  Recorder one({"m"}, {}, {}, {});
  one.value("other", 0, nullptr, 1);
  one.check("undeclared", "", true, "");
  EXPECT_EQ(one.violation().code, "plugin.undeclared-metric");
}

}  // namespace
}  // namespace assay::worker
