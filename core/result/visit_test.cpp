// SPDX-License-Identifier: Apache-2.0
#include "result/visit.hpp"

#include "base/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace assay::result {
namespace {

using ::testing::HasSubstr;

Visit full_visit() {
  Visit visit;
  visit.case_id = "gemm[dtype=bf16,device=cuda:0]";
  visit.round = 3;
  visit.attempt = 2;
  visit.outcome = Outcome::crashed;
  visit.reason = {
      "worker.signal", "worker died of signal 11 (SIGSEGV)", "errno", -5, "sample", 1, "cuda:1", "m"};
  visit.started_at_s = 1700000000.25;
  visit.duration_s = 1.5;
  visit.measurement = {"device",
                       1e-7,
                       64,
                       128,
                       0.25,
                       "converged",
                       5,
                       2,
                       {"warmup_capped"},
                       {{"state.changed", "it left a locale"}},
                       1.98,
                       {0.5, 0.25},
                       {1.0, 0.5},
                       false};
  visit.work = {{"busbw", 2e9}, {"algbw", 1e9}};
  RankRecord rank;
  rank.rank = 1;
  rank.devices = {"cuda:1"};
  rank.series = {2, {0.1, 0.3}, {0.2, 0.4}, {0, 0.5}, {0.05, 0.05, 0.15, 0.15}};
  rank.values = {{"memory", {1, 2}, 3.5}};
  rank.facts = {{"algorithm", "Ring"}};
  rank.checks = {{"nvlink", "nvlink 7 of cuda:3", false, "link is down"}};
  rank.spans = {{"stream 0", "copy", 10, std::numeric_limits<std::int64_t>::max()}};
  rank.verifications = {
      {"before", "Freivalds", true, std::numeric_limits<std::uint64_t>::max(), 1, 0.5, 0.25}};
  rank.log = "line\nµs\n";
  visit.ranks = {RankRecord{}, rank};
  visit.telemetry = {{1.5, "cuda:1", "power", 350}};
  visit.throttle = {{1.75, "cuda:1", "thermal"}};
  visit.notes = {"worker replaced"};
  visit.beside = {{4711, "quick", 1.5}};
  return visit;
}

TEST(VisitJson, ReadsBackWhatItWrote) {
  const Visit visit = full_visit();
  const Json json = to_json(visit);
  const Visit back = visit_from_json(Json::parse(json.dump()));
  EXPECT_EQ(to_json(back).dump(), json.dump());
  EXPECT_EQ(back.case_id, visit.case_id);
  EXPECT_EQ(back.round, 3);
  EXPECT_EQ(back.attempt, 2);
  EXPECT_EQ(back.outcome, Outcome::crashed);
  EXPECT_EQ(back.reason.number, -5);
  EXPECT_EQ(back.reason.rank, 1);
  EXPECT_EQ(back.measurement.done, 5u);
  EXPECT_FALSE(back.measurement.judged);
  EXPECT_EQ(back.work, visit.work);
  ASSERT_EQ(back.ranks.size(), 2u);
  EXPECT_EQ(back.ranks[1].series.laps_s, visit.ranks[1].series.laps_s);
  EXPECT_EQ(back.ranks[1].values[0].indices, visit.ranks[1].values[0].indices);
  EXPECT_EQ(back.ranks[1].facts, visit.ranks[1].facts);
  EXPECT_EQ(back.ranks[1].spans[0].end_ns, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(back.ranks[1].verifications[0].checked, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(back.telemetry[0].value, 350);
  EXPECT_EQ(back.throttle[0].reason, "thermal");
  EXPECT_EQ(back.notes, visit.notes);
  EXPECT_EQ(back.beside, visit.beside);
}

TEST(VisitJson, KeepsEveryDoubleToTheLastBit) {
  std::mt19937_64 random(7);
  Series series;
  series.iterations = 1;
  while (series.device_s.size() < 2000) {
    const std::uint64_t bits = random();
    double value = 0;
    static_assert(sizeof value == sizeof bits);
    std::memcpy(&value, &bits, sizeof value);
    if (std::isfinite(value)) series.device_s.push_back(value);
  }
  EXPECT_EQ(series_from_json(Json::parse(to_json(series).dump())).device_s, series.device_s);
}

TEST(VisitJson, CarriesANonFiniteNumberAsNullAndReadsItAsNan) {
  Visit visit;
  visit.ranks.resize(1);
  visit.ranks[0].verifications.resize(1);
  visit.ranks[0].verifications[0].largest_error = std::numeric_limits<double>::infinity();
  const Json json = to_json(visit);
  EXPECT_TRUE(json["ranks"][0]["verifications"][0]["largest_error"].is_null());
  EXPECT_TRUE(std::isnan(visit_from_json(json).ranks[0].verifications[0].largest_error));
}

TEST(VisitJson, GivesNoReasonToAVisitThatPassed) {
  Visit visit;
  visit.outcome = Outcome::passed;
  EXPECT_TRUE(to_json(visit)["reason"].is_null());
  EXPECT_EQ(visit_from_json(to_json(visit)).reason.code, "");
}

TEST(VisitJson, IgnoresUnknownKeys) {
  Json json = to_json(full_visit());
  json["later"] = 1;
  json["ranks"][0]["later"] = Json::object();
  EXPECT_EQ(visit_from_json(json).case_id, full_visit().case_id);
}

std::string problem_of(const Json& json) {
  try {
    static_cast<void>(visit_from_json(json));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "journal.malformed");
    return error.what();
  }
  return "none";
}

TEST(VisitJson, NamesTheKeyThatIsMissingOrOfTheWrongType) {
  Json json = to_json(full_visit());
  json["ranks"][1]["series"].erase("host_s");
  EXPECT_THAT(problem_of(json), HasSubstr("'ranks[1].series.host_s' is missing"));
  json = to_json(full_visit());
  json["measurement"]["done"] = -1;
  EXPECT_THAT(problem_of(json), HasSubstr("'measurement.done' is not an integer"));
  json = to_json(full_visit());
  json["outcome"] = "fine";
  EXPECT_THAT(problem_of(json), HasSubstr("'outcome' is not a word"));
  json = to_json(full_visit());
  json["telemetry"][0] = Json::array({1});
  EXPECT_THAT(problem_of(json), HasSubstr("'telemetry[0]' is not a row of 4"));
  EXPECT_THAT(problem_of(Json::array()), HasSubstr("not an object"));
}

// Every value in turn is replaced by one of another type: the reader accepts or says so, and never fails
// otherwise.
TEST(VisitJson, MeetsDamageAnywhereWithAnError) {
  const Json whole = to_json(full_visit());
  const Json flat = whole.flatten();
  const std::vector<Json> damages = {nullptr, true, "text", -1.5, Json::array({1}), Json{{"a", 1}}};
  for (const auto& [pointer, value] : flat.items()) {
    for (const Json& damage : damages) {
      Json damaged = whole;
      damaged[Json::json_pointer(pointer)] = damage;
      EXPECT_NO_FATAL_FAILURE(problem_of(damaged));
    }
  }
}

}  // namespace
}  // namespace assay::result
