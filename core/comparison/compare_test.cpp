// SPDX-License-Identifier: Apache-2.0
#include "comparison/compare.hpp"

#include "base/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace assay::comparison {
namespace {

using ::testing::HasSubstr;

struct Work {
  std::string name;
  std::vector<double> rounds;
};

// A result of cases with a rate each, as model::Document writes it, plus what comparisons never read.
Json document_of(const std::vector<Work>& works) {
  model::Document document;
  document.schema_version = "1.0";
  document.run.id = "run";
  document.run.suite = "s";
  document.run.suite_sha256 = "0123456789abcdef";
  document.run.seed = 1;
  document.run.host = Json::object();
  document.run.host["hostname"] = "a";
  document.run.host["kernel"] = "6.1";
  document.run.tool["version"] = "1";
  document.run.tool["commit"] = "c";
  model::Backend backend{"cuda", "p", Json::object(), "", {}};
  backend.facts["driver"] = "580";
  backend.facts["cuda_version"] = "13.0";
  model::Device device{"cuda:0", "GPU-1", "H200", 0, Json::object()};
  device.facts["power_limit_w"] = 700;
  device.facts["serial"] = "1";
  backend.devices.push_back(device);
  document.run.backends.push_back(backend);
  for (const Work& work : works) {
    model::Case one;
    one.id = work.name + "[device=cuda:0]";
    one.comparison_key = work.name;
    one.benchmark = "membw";
    one.backend = "cuda";
    one.placement.devices = {"cuda:0"};
    one.outcome = Outcome::passed;
    model::Metric metric;
    metric.name = "bandwidth";
    metric.unit = UnitText("B/s");
    metric.direction = "higher";
    metric.kind = "rate";
    metric.headline = true;
    metric.statistic = "work over time";
    metric.value = work.rounds.front();
    metric.rounds = work.rounds;
    one.metrics.push_back(metric);
    one.facts.emplace_back("library", "NCCL 2.28");
    one.log = "with \"quotes\" and \\ and ]}";
    document.cases.push_back(one);
  }
  return model::to_json(document);
}

LoadedResult reading_of(const Json& document) { return read_result(document.dump(), "x.json"); }

std::vector<Work> rows(double factor, std::size_t count = 1) {
  std::vector<Work> works;
  for (std::size_t i = 0; i < count; ++i)
    works.push_back({"w" + std::to_string(i), {100 * factor, 100.2 * factor, 99.9 * factor}});
  return works;
}

model::Comparison compared(const Json& before, const Json& after, const Question& question = {}) {
  return compare({reading_of(before)}, {reading_of(after)}, question);
}

std::string code_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.code();
  }
  return "";
}

TEST(Compare, TheSameTwiceIsTheSame) {
  const model::Comparison found = compared(document_of(rows(1)), document_of(rows(1)));
  ASSERT_EQ(found.rows.size(), 1U);
  EXPECT_EQ(to_text(found.rows[0].verdict), "same");
  EXPECT_EQ(found.verdict.exit_code, 0);
  EXPECT_EQ(to_text(found.verdict.attribution), "nothing_else");
  ASSERT_EQ(found.spreads.size(), 1U);
  EXPECT_EQ(to_text(found.spreads[0].source), "prior");
  EXPECT_DOUBLE_EQ(found.spreads[0].share, 0.003);
}

// What is fixed takes about a twentieth of a sample: one of the runs goes by the slope, and the other does not.
TEST(Compare, ASlopeIsHeldAgainstTheWholeTimeByWhatItWasOverTheWhole) {
  Json slope = document_of(rows(1.06));
  Json& metric = slope["cases"][0]["metrics"][0];
  metric["statistic"] = "slope";
  metric["whole"] = {100, 100.2, 99.9};
  const model::ComparedRow mixed = compared(document_of(rows(1)), slope).rows[0];
  EXPECT_EQ(to_text(mixed.verdict), "same") << mixed.why;
  EXPECT_NEAR(mixed.after.value_or(0), 100.03, 0.01);
  EXPECT_NEAR(compared(slope, slope).rows[0].after.value_or(0), 106, 0.01);
  metric.erase("whole");
  EXPECT_THAT(compared(document_of(rows(1)), slope).rows[0].why, testing::HasSubstr("another statistic"));
}

TEST(Compare, OnlyARowThatIsShownToBeSlowerFails) {
  EXPECT_EQ(to_text(compared(document_of(rows(1)), document_of(rows(0.95))).rows[0].verdict), "slower");
  EXPECT_EQ(compared(document_of(rows(1)), document_of(rows(0.95))).verdict.exit_code, 1);
  EXPECT_EQ(to_text(compared(document_of(rows(1)), document_of(rows(1.05))).rows[0].verdict), "faster");
  EXPECT_EQ(to_text(compared(document_of(rows(1)), document_of(rows(0.985))).rows[0].verdict), "small");
  EXPECT_EQ(compared(document_of(rows(1)), document_of(rows(0.985))).verdict.exit_code, 0);
}

TEST(Compare, BetterIsWhatTheMetricSays) {
  Json before = document_of(rows(1)), after = document_of(rows(1.05));
  for (Json* each : {&before, &after}) (*each)["cases"][0]["metrics"][0]["direction"] = "lower";
  EXPECT_EQ(to_text(compared(before, after).rows[0].verdict), "slower");
  for (Json* each : {&before, &after}) (*each)["cases"][0]["metrics"][0]["direction"] = "none";
  EXPECT_EQ(to_text(compared(before, after).rows[0].verdict), "different");
  EXPECT_EQ(compared(before, after).verdict.exit_code, 0);
}

TEST(Compare, FromTwiceOnTheWorstIsSoManyTimesAsLong) {
  const auto said = [](double factor, const char* unit) {
    const auto document = [&](double by) {
      Json made = document_of(rows(by));
      made["cases"][0]["metrics"][0]["direction"] = "lower";
      made["cases"][0]["metrics"][0]["unit"] = unit;
      return made;
    };
    return compared(document(1), document(factor)).verdict.text;
  };
  EXPECT_THAT(said(8.29, "s"), HasSubstr(", bandwidth 8.29× as long"));
  EXPECT_THAT(said(8.29, "B"), HasSubstr(", bandwidth 8.29× as much"));
  EXPECT_THAT(said(1.5, "s"), HasSubstr(", bandwidth 50.0 % higher"));
}

TEST(Compare, NoWorseThanFailsWhatIsNotShown) {
  Question question;
  question.no_worse_than = 0.02;
  EXPECT_EQ(compared(document_of(rows(1)), document_of(rows(1)), question).verdict.exit_code, 0);
  const model::Comparison found = compared(document_of(rows(1)), document_of(rows(0.985)), question);
  EXPECT_EQ(found.rows[0].no_worse, false);
  EXPECT_EQ(found.verdict.exit_code, 1);
  EXPECT_EQ(found.verdict.counts.not_shown_no_worse, 1U);
  // A row that is gone is not shown to be as good.
  EXPECT_EQ(compared(document_of(rows(1, 2)), document_of(rows(1, 1)), question).verdict.exit_code, 1);
  EXPECT_EQ(compared(document_of(rows(1, 2)), document_of(rows(1, 1))).verdict.exit_code, 0);
  // No errors, and no errors again.
  const Json none = document_of({{"w", {0, 0, 0}}});
  EXPECT_EQ(compared(none, none, question).verdict.exit_code, 0);
}

TEST(Compare, OneDifferenceIsTheChangeAndSeveralAreConfounded) {
  Json after = document_of(rows(0.95));
  after["run"]["backends"][0]["facts"]["driver"] = "590";
  after["run"]["backends"][0]["facts"]["cuda_version"] = "13.1";  // comes with the driver
  after["run"]["host"]["hostname"] = "b";
  after["run"]["backends"][0]["devices"][0]["uuid"] = "GPU-2";
  after["run"]["backends"][0]["devices"][0]["facts"]["serial"] = "2";
  model::Comparison found = compared(document_of(rows(1)), after);
  ASSERT_EQ(found.differences.size(), 1U);
  EXPECT_EQ(found.differences[0].what, "cuda driver");
  EXPECT_EQ(found.differences[0].after, "590");
  EXPECT_EQ(to_text(found.verdict.attribution), "one_difference");
  after["cases"][0]["facts"]["library"] = "NCCL 2.29";
  found = compared(document_of(rows(1)), after);
  EXPECT_EQ(to_text(found.verdict.attribution), "confounded");
  EXPECT_EQ(found.verdict.exit_code, 1);
  EXPECT_THAT(found.verdict.text, HasSubstr("2 things differ"));
}

TEST(Compare, WhatIsNotAlikeIsNotComparableAndNothingIsSaidOfIt) {
  const auto why = [](const std::function<void(Json&)>& change) {
    Json after = document_of(rows(1));
    change(after);
    const model::Comparison found = compared(document_of(rows(1)), after);
    EXPECT_EQ(to_text(found.rows[0].verdict), "not_comparable");
    EXPECT_FALSE(found.rows[0].ratio);
    EXPECT_EQ(found.verdict.exit_code, 6);
    EXPECT_EQ(to_text(found.verdict.outcome), "nothing_compared");
    return found.rows[0].why;
  };
  EXPECT_THAT(why([](Json& d) { d["run"]["backends"][0]["devices"][0]["model"] = "H100"; }),
              HasSubstr("H200, then H100"));
  EXPECT_THAT(why([](Json& d) { d["cases"][0]["revision"] = 2; }), HasSubstr("another revision (1, then 2)"));
  EXPECT_THAT(why([](Json& d) { d["cases"][0]["parameters"]["n"] = 2; }), HasSubstr("parameters differ"));
  EXPECT_THAT(why([](Json& d) { d["run"]["mode"]["simulated"] = true; }), HasSubstr("simulated"));
  EXPECT_THAT(why([](Json& d) { d["cases"][0]["metrics"][0]["unit"] = "s"; }), HasSubstr("unit differs"));
  EXPECT_THAT(why([](Json& d) { d["cases"][0]["outcome"] = "skipped"; }),
              HasSubstr("'skipped' on the new side"));
  EXPECT_THAT(why([](Json& d) { d["cases"][0]["metrics"][0]["rounds"][1] = -3; }), HasSubstr("not positive"));
  EXPECT_THAT(why([](Json& d) { d["cases"][0]["metrics"][0]["rounds"] = {100}; }), HasSubstr("one round"));
  EXPECT_THAT(why([](Json& d) { d["cases"][0]["metrics"][0]["value"] = nullptr; }), HasSubstr("no value"));
}

TEST(Compare, TwoSimulatedResultsAreNotComparable) {
  Json simulated = document_of(rows(1));
  simulated["run"]["mode"]["simulated"] = true;
  const model::Comparison found = compared(simulated, simulated);
  EXPECT_EQ(found.verdict.exit_code, 6);
  EXPECT_EQ(to_text(found.rows[0].verdict), "not_comparable");
  EXPECT_THAT(found.verdict.text, HasSubstr("both sides are simulated"));
}

TEST(Compare, WhereNothingIsComparedTheSentenceNamesTheRow) {
  const auto said = [](std::size_t count) {
    Json after = document_of(rows(1, count));
    for (Json& one : after["cases"]) {
      one["id"] = "other-" + one["id"].get<std::string>();
      one["comparison_key"] = one["id"];
    }
    return compared(document_of(rows(1, count)), after).verdict.text;
  };
  EXPECT_THAT(said(1),
              testing::MatchesRegex("Nothing could be compared. Row .*, bandwidth .the first of 2.: the "
                                    "new side does not have it."));
  EXPECT_THAT(said(3), HasSubstr("(the first of 6): "));
}

// What breaks may not be greener than what gets slower.
TEST(Compare, WhatPassedOnTheOldSideAndFailsOnTheNewOneFails) {
  for (const char* outcome : {"failed", "crashed", "timeout", "error", "invalid"}) {
    Json after = document_of(rows(1, 2));
    after["cases"][0]["outcome"] = outcome;
    const model::Comparison found = compared(document_of(rows(1, 2)), after);
    EXPECT_EQ(to_text(found.rows[0].verdict), "failed") << outcome;
    EXPECT_EQ(found.verdict.exit_code, 1);
    EXPECT_THAT(found.verdict.text, HasSubstr("1 failed on the new side, 1 the same"));
    EXPECT_EQ(compared(after, document_of(rows(1, 2))).verdict.exit_code, 0) << "it is mended";
    EXPECT_EQ(to_text(compared(after, after).rows[0].verdict), "not_comparable");
  }
}

TEST(Compare, WhatFailsInOneOfSeveralNewRunsFails) {
  const LoadedResult good = reading_of(document_of(rows(1, 2)));
  Json crashed = document_of(rows(1, 2));
  crashed["cases"][0]["outcome"] = "crashed";
  const LoadedResult bad = reading_of(crashed);
  const model::Comparison found = compare({good, good}, {good, bad}, {});
  EXPECT_EQ(to_text(found.rows[0].verdict), "failed");
  EXPECT_EQ(found.rows[0].why, "it ended as 'crashed' on the new side, in 'x.json'");
  EXPECT_EQ(found.verdict.exit_code, 1);
  EXPECT_EQ(to_text(compare({good, bad}, {good, bad}, {}).rows[0].verdict), "same") << "so it did before";
  EXPECT_EQ(compare({good, bad}, {good, good}, {}).verdict.exit_code, 0) << "it is mended";
  const LoadedResult nothing = reading_of(document_of(rows(0, 2)));
  EXPECT_EQ(to_text(compare({good, good}, {good, nothing}, {}).rows[0].verdict), "failed");
}

TEST(Compare, ARateThatComesToNothingFails) {
  const model::Comparison found = compared(document_of(rows(1)), document_of(rows(0)));
  EXPECT_EQ(to_text(found.rows[0].verdict), "failed");
  EXPECT_EQ(found.verdict.exit_code, 1);
  EXPECT_EQ(to_text(compared(document_of(rows(0)), document_of(rows(1))).rows[0].verdict), "not_comparable");
}

// A count has no ratio to zero, and is worse all the same.
TEST(Compare, WhatIsWorseBesideZerosFails) {
  const auto verdict_of = [](const std::string& direction, const std::vector<double>& before,
                             const std::vector<double>& after) {
    Json documents[2];
    const std::vector<double>* const rounds[] = {&before, &after};
    for (int side = 0; side < 2; ++side) {
      documents[side] = document_of({{"w", *rounds[side]}});
      documents[side]["cases"][0]["metrics"][0]["direction"] = direction;
    }
    return std::string(to_text(compared(documents[0], documents[1]).rows[0].verdict));
  };
  EXPECT_EQ(verdict_of("lower", {0, 0, 0}, {500, 500, 500}), "failed");
  EXPECT_EQ(verdict_of("lower", {0, 0, 0}, {0, 0, 1}), "failed");
  EXPECT_EQ(verdict_of("lower", {0, 1, 0}, {2, 3, 2}), "failed");
  EXPECT_EQ(verdict_of("higher", {100, 100, 101}, {100, 0, 101}), "failed") << "nothing came out in a round";
  EXPECT_EQ(verdict_of("lower", {0, 1, 0}, {0, 1, 0}), "not_comparable");
  EXPECT_EQ(verdict_of("lower", {500, 500, 500}, {0, 0, 0}), "not_comparable");
  EXPECT_EQ(verdict_of("lower", {0, 0, 0}, {0, 0, 0}), "same");
  EXPECT_EQ(verdict_of("higher", {0, 0, 0}, {0, 0, 0}), "same");
  EXPECT_EQ(verdict_of("lower", {-10, -10, -10}, {0, 1, 2}), "not_comparable");
  EXPECT_EQ(verdict_of("none", {0, 0, 0}, {500, 500, 500}), "not_comparable");
}

TEST(Compare, WhatRanUnderAToolIsNotComparable) {
  Json wrapped = document_of(rows(1));
  wrapped["run"]["mode"]["wrap"] = "perf record";
  const model::Comparison found = compared(wrapped, wrapped);
  EXPECT_EQ(to_text(found.rows[0].verdict), "not_comparable");
  EXPECT_THAT(found.rows[0].why, HasSubstr("under --wrap"));
  EXPECT_EQ(found.verdict.exit_code, 6);
}

TEST(Compare, NothingInCommonIsExitSix) {
  Json after = document_of({{"other", {1, 1, 1}}});
  const model::Comparison found = compared(document_of(rows(1)), after);
  EXPECT_EQ(found.rows.size(), 2U);
  EXPECT_EQ(found.verdict.exit_code, 6);
  EXPECT_THAT(found.verdict.text, HasSubstr("Nothing could be compared"));
  Json none = document_of({});
  EXPECT_EQ(compared(none, none).verdict.exit_code, 6);
}

TEST(Compare, ValuesWithoutAnyScatterStandOnWhatIsAssumed) {
  const model::Comparison found = compared(document_of({{"w", {5, 5, 5}}}), document_of({{"w", {5, 5, 5}}}));
  EXPECT_EQ(to_text(found.rows[0].verdict), "same");
  EXPECT_LT(found.rows[0].low, 0.995);
}

TEST(Compare, SeveralRunsASideTellHowMuchRunsDiffer) {
  std::vector<LoadedResult> before, after;
  for (const double factor : {1.0, 1.1, 0.9})
    before.push_back(reading_of(document_of({{"w", {100 * factor}}})));
  for (const double factor : {0.95, 1.05, 0.87})
    after.push_back(reading_of(document_of({{"w", {100 * factor}}})));
  const model::Comparison found = compare(before, after, {});
  EXPECT_EQ(to_text(found.spreads[0].source), "history");
  EXPECT_NEAR(found.spreads[0].share, 0.12, 0.03);
  EXPECT_EQ(to_text(found.rows[0].verdict), "undecided");  // a single run a side would have called 5 % slower
  EXPECT_THAT(found.rows[0].why, HasSubstr("runs of each side"));
}

TEST(Compare, ARowThatOneRunHasDoesNotTakeTheHistoryOfTheOthers) {
  std::vector<LoadedResult> before, after;
  for (const double factor : {1.0, 1.01, 0.99}) {
    for (auto* side : {&before, &after}) {
      std::vector<Work> works = rows(factor, 3);
      if (side->empty()) works.push_back({"alone", {100, 100.2, 99.9}});
      side->push_back(reading_of(document_of(works)));
    }
  }
  const model::Comparison found = compare(before, after, {});
  EXPECT_EQ(to_text(found.spreads[0].source), "history");
  EXPECT_NEAR(found.spreads[0].share, 0.01, 0.003);
  // Its runs are taken to differ as those of the others do: by 1 %, and not by the 0.3 % that is assumed where nothing tells.
  ASSERT_EQ(found.rows.size(), 4U);
  EXPECT_LT(found.rows[3].low, 0.98);
}

TEST(Compare, AChangeBeyondTheMarginThatIsNotShownToBeIsOpenAndNotSmall) {
  Question question;
  question.between_runs = 0.03;
  const model::Comparison found =
      compare({reading_of(document_of(rows(1)))}, {reading_of(document_of(rows(0.915)))}, question);
  ASSERT_LT(found.rows[0].high, 1);
  EXPECT_EQ(to_text(found.rows[0].verdict), "undecided");
  EXPECT_THAT(found.rows[0].why, HasSubstr("runs of each side should decide it"));
  // One of many rows: by itself it would be slower.
  std::vector<Work> after = rows(1, 40);
  for (double& value : after[7].rounds) value *= 0.88;
  const model::ComparedRow row =
      compare({reading_of(document_of(rows(1, 40)))}, {reading_of(document_of(after))}, question).rows[7];
  ASSERT_LT(row.high, 1 / 1.02);
  EXPECT_EQ(to_text(row.verdict), "undecided");
  EXPECT_THAT(row.why, HasSubstr("among so many rows that may be chance"));
}

TEST(Compare, WhatOtherProgramsDisturbedIsSaidOfRowsThatAreSlower) {
  Json after = document_of(rows(0.9));
  after["cases"][0]["flags"] = Json::array({{{"code", "disturbed"}, {"text", "other programs had 60 %"}}});
  const model::Comparison found = compared(document_of(rows(1)), after);
  EXPECT_EQ(to_text(found.rows[0].verdict), "slower");
  EXPECT_EQ(found.rows[0].disturbed, std::vector<std::string>{"new"});
  EXPECT_THAT(found.verdict.text, HasSubstr("other programs or throttling disturbed what is slower"));
  EXPECT_THAT(compared(document_of(rows(1)), document_of(rows(0.9))).verdict.text,
              testing::Not(HasSubstr("disturbed")));
}

TEST(Compare, ARateOfNothingFailsAndANegativeValueIsNotCompared) {
  Json before = document_of(rows(1)), nothing = before, negative = before;
  for (auto& [document, value] : {std::pair{&nothing, 0.0}, {&negative, -3.0}}) {
    Json& metric = (*document)["cases"][0]["metrics"][0];
    metric["value"] = value;
    metric["rounds"] = {value, value, value};
  }
  EXPECT_EQ(to_text(compared(before, nothing).rows[0].verdict), "failed");
  EXPECT_EQ(to_text(compared(before, negative).rows[0].verdict), "not_comparable");
}

TEST(Compare, WhatRowsShareIsToldOnceAndTheRestPerRow) {
  std::vector<Work> after = rows(0.95, 6);
  for (double& value : after[2].rounds) value *= 1.05;
  const model::Comparison found = compared(document_of(rows(1, 6)), document_of(after));
  ASSERT_EQ(found.shifts.size(), 1U);
  EXPECT_EQ(found.shifts[0].rows, 6U);
  EXPECT_NEAR(found.shifts[0].ratio, 0.95, 0.002);
  EXPECT_NEAR(*found.rows[2].beside_shift, 1.05, 0.002);
  EXPECT_NEAR(*found.rows[3].beside_shift, 1, 0.002);
}

TEST(Compare, RowsThatScatterMoreThanAssumedSayThatRunsDoSo) {
  std::vector<Work> before = rows(1, 20), after = rows(1, 20);
  for (std::size_t i = 0; i < after.size(); ++i)
    for (double& value : after[i].rounds) value *= i % 2 == 0 ? 1.04 : 0.96;
  const model::Comparison found = compared(document_of(before), document_of(after));
  EXPECT_EQ(to_text(found.spreads[0].source), "rows");
  EXPECT_EQ(found.verdict.counts.slower, 0U);
  Question question;
  question.between_runs = 0.001;
  EXPECT_GT(compare({reading_of(document_of(before))}, {reading_of(document_of(after))}, question)
                .verdict.counts.slower,
            0U);
}

TEST(Compare, ACaseIsFoundAgainOnAnotherDeviceOfTheKind) {
  Json after = document_of(rows(1));
  after["cases"][0]["id"] = "w0[device=cuda:3]";
  after["cases"][0]["placement"]["devices"] = {"cuda:3"};
  after["run"]["backends"][0]["devices"][0]["name"] = "cuda:3";
  EXPECT_EQ(to_text(compared(document_of(rows(1)), after).rows[0].verdict), "same");
  // Where there are two on a side, nobody knows which of them it is.
  Json two = after;
  two["cases"].push_back(two["cases"][0]);
  two["cases"][1]["id"] = "w0[device=cuda:4]";
  EXPECT_EQ(compared(document_of(rows(1)), two).verdict.exit_code, 6);
}

TEST(CompareReading, WhatIsNoWholeResultIsRefused) {
  const std::string whole = document_of(rows(1, 3)).dump(1);
  EXPECT_EQ(read_result(whole, "x").cases.size(), 3U);
  for (std::size_t end = 0; end < whole.size(); ++end)
    ASSERT_EQ(code_of([&] { static_cast<void>(read_result(whole.substr(0, end), "x")); }), "result.malformed")
        << end;
  EXPECT_EQ(code_of([&] { static_cast<void>(read_result(whole + "x", "x")); }), "result.malformed");
  Json later = document_of(rows(1));
  later["schema_version"] = "2.0";
  EXPECT_EQ(code_of([&] { reading_of(later); }), "result.version");
  Json without = document_of(rows(1));
  without["cases"][0]["metrics"][0].erase("rounds");
  EXPECT_EQ(code_of([&] { reading_of(without); }), "result.malformed");
  EXPECT_EQ(code_of([] { reading_of(model::to_json(model::Comparison{})); }), "result.malformed");
  for (const char* part : {"verdict", "run", "cases"}) {
    Json cut = document_of(rows(1));
    cut.erase(part);
    EXPECT_EQ(code_of([&] { reading_of(cut); }), "result.malformed") << part;
  }
}

TEST(CompareReading, PassesOverWhatOnlyReportsShow) {
  Json document = document_of(rows(1));
  Json& one = document["cases"][0];
  one["log"] = 7;
  one.erase("samples");
  one["metrics"][0]["interval"] = "wide";
  const LoadedResult reading = reading_of(document);
  EXPECT_EQ(reading.cases[0].log, "");
  EXPECT_EQ(reading.cases[0].metrics[0].rounds, rows(1)[0].rounds);
}

TEST(CompareReading, FindsTheVersionWhereverItStands) {
  const Json whole = document_of(rows(1, 3));
  Json sorted = Json::object();
  for (const char* key : {"cases", "run", "verdict", "schema_version"}) sorted[key] = whole.at(key);
  EXPECT_EQ(read_result(sorted.dump(), "x").cases.size(), 3U);
  sorted["schema_version"] = "2.0";
  EXPECT_EQ(code_of([&] { reading_of(sorted); }), "result.version");
}

}  // namespace
}  // namespace assay::comparison
