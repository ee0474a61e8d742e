// SPDX-License-Identifier: Apache-2.0
#include "lib/document.hpp"

#include "console/console.hpp"
#include "junit/junit.hpp"
#include "lib/finding_texts.hpp"
#include "lib/marks.hpp"
#include "lib/pivot.hpp"
#include "lib/row_texts.hpp"
#include "lib/wording.hpp"
#include "markdown/markdown.hpp"
#include "text/testing/folders.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>

namespace assay::reporters {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const std::string& name) {
  std::ifstream file(source_folder() / ("tests/golden/documents/" + name + ".json"));
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Document, RefusesWhatIsNoResult) {
  EXPECT_THROW(static_cast<void>(read_document("")), Unreadable);
  EXPECT_THROW(static_cast<void>(read_document("[1]")), Unreadable);
  EXPECT_THROW(static_cast<void>(read_document(R"({"schema_version": "2.0"})")), Unreadable);
  EXPECT_NO_THROW(static_cast<void>(read_document(R"({"schema_version": "1.7", "unknown": 1})")));
}

Case measured_with(const std::vector<std::string>& codes) {
  Case one;
  one.metrics.emplace_back().value = 1;
  for (const std::string& code : codes) one.flags.push_back({code, code + " text"});
  return one;
}

TEST(Marks, OfARowAreTheWorstOneOnly) {
  Document document;
  document.cases = {measured_with({"max_time", "wide", "throttled", "one_run"})};
  EXPECT_EQ(mark_text(mark_of(document.cases[0], common_marks(document))), "! throttled");
  document.cases = {measured_with({"max_time", "not_available", "power_capped"})};
  EXPECT_EQ(mark_text(mark_of(document.cases[0], common_marks(document))), "");
}

TEST(Marks, OfMostRowsAreSaidOnceForTheRun) {
  Document document;
  document.cases = {measured_with({"wide"}), measured_with({"wide"}), measured_with({"wide", "unsteady"}),
                    measured_with({})};
  const auto common = common_marks(document);
  ASSERT_EQ(common.size(), 1u);
  EXPECT_EQ(common[0].cases, 3u);
  EXPECT_EQ(common[0].of, 4u);
  EXPECT_EQ(mark_of(document.cases[0], common), nullptr);
  EXPECT_EQ(mark_text(mark_of(document.cases[2], common)), "! unsteady");
  EXPECT_EQ(run_notes(document).back(), "~ wide: 3 of 4 cases; wide text");
  model::find_flag(document.cases[0].flags, "wide")->text = "wider";
  EXPECT_EQ(run_notes(document).back(), "~ wide: 3 of 4 cases, for instance wider");
  document.cases.resize(2);
  EXPECT_TRUE(common_marks(document).empty()) << "two rows can say it themselves";
}

TEST(Document, ReadsWhatIsThere) {
  const Document document = read_document(text_of("node-acceptance"));
  EXPECT_EQ(to_text(document.verdict.outcome), "failed");
  EXPECT_EQ(document.verdict.exit_code, 1);
  ASSERT_EQ(document.cases.size(), 35u);
  const Case* failed = document.find("gemm[dtype=fp32,device=cuda:2]");
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->outcome, Outcome::failed);
  EXPECT_EQ(failed->headline()->name, "throughput");
  EXPECT_EQ(to_text(failed->reason->position), "suites/node-acceptance.yaml:15:9");
  EXPECT_EQ(document.groups.size(), 4u);
}

TEST(Document, CleansEveryText) {
  const Document document = read_document(text_of("hostile"));
  EXPECT_EQ(document.run.suite.find('\x1b'), std::string::npos);
  for (const Case& one : document.cases) EXPECT_EQ(one.log.find('\0'), std::string::npos);
}

TEST(Document, ShowsAParameterAsTheSuiteWroteIt) {
  Case one;
  one.parameters = {{"bytes", 512000}, {"pause", 1.5e-6}, {"other", 512000}};
  one.units = {{"bytes", "B"}, {"pause", "s"}, {"other", "B"}};
  one.written = {{"bytes", "512 kB"}, {"pause", "1.5us"}};
  std::vector<std::string> texts;
  for (const Parameter& parameter : parameters_of(one)) texts.push_back(parameter.text);
  EXPECT_EQ(texts, (std::vector<std::string>{"512 kB", "1.5 µs", "500 KiB"}));
}

TEST(Pivot, FoldsDevicesAndKeepsTheWorst) {
  const Document document = read_document(text_of("node-acceptance"));
  const std::vector<Block> blocks = pivot(document);
  ASSERT_EQ(blocks.size(), 5u);
  const Block& gemm = blocks[1];
  EXPECT_EQ(gemm.axes, std::vector<std::string>{"dtype"});
  ASSERT_EQ(gemm.rows.size(), 4u);
  const auto read = reading(gemm.rows[3], "throughput");
  EXPECT_EQ(read->source->id, "gemm[dtype=fp32,device=cuda:2]");
  EXPECT_EQ(read->count, 4u);
  EXPECT_EQ(limit_text(gemm.rows[3], "throughput"), "≥ 65 %");
  EXPECT_EQ(gemm.rows[3].outcome(), Outcome::failed);
}

TEST(Pivot, ShowsTheLimitThatWasMissed) {
  Document document = read_document(text_of("node-acceptance"));
  Case& one = document.cases[0];
  const std::string metric = "bandwidth";
  one.expectations.clear();
  using enum ExpectationStatus;
  for (const ExpectationStatus status : {passed, undecided, failed}) {
    Expectation expectation;
    expectation.status = status;
    expectation.text = metric + " >= " + std::to_string(one.expectations.size() + 1) + "0% of reference";
    expectation.op = ">=";
    expectation.limit = 1;
    one.expectations.push_back(expectation);
  }
  EXPECT_EQ(limit_text(Row{{}, {&one}}, metric), "≥ 30 % of reference");
}

TEST(Pivot, ShowsNoLimitThatHoldsWhereOneOfNoMetricWasMissed) {
  Case one;
  one.metrics.resize(2);
  one.metrics[0].name = "bandwidth";
  one.metrics[1].name = "latency";
  const auto add = [&](const char* text, ExpectationStatus status) {
    Expectation& expectation = one.expectations.emplace_back();
    expectation.text = text;
    expectation.op = ">=";
    expectation.limit = 1;
    expectation.unit = "B/s";
    expectation.status = status;
  };
  add("bandwidth >= 1 B/s", ExpectationStatus::passed);
  add("latency >= 1 B/s", ExpectationStatus::failed);
  EXPECT_EQ(limit_text(Row{{}, {&one}}, "bandwidth"), "≥ 1 B/s") << "the other has a column, too";
  add("p5(bandwidth) >= 1 B/s", ExpectationStatus::failed);
  EXPECT_EQ(limit_text(Row{{}, {&one}}, "bandwidth"), "");
  EXPECT_EQ(limit_text(Row{{}, {&one}}, "latency"), "≥ 1 B/s");
}

TEST(Pivot, ShowsALimitInTheUnitOfItsColumn) {
  Case one;
  Expectation expectation;
  expectation.text = "bandwidth >= 0.9 TB/s";
  expectation.op = ">=";
  expectation.limit = 0.9e12;
  expectation.unit = "B/s";
  one.expectations.push_back(expectation);
  EXPECT_EQ(limit_text(Row{{}, {&one}}, "bandwidth"), "≥ 900 GB/s");
  EXPECT_EQ(limit_text(Row{{}, {&one}}, "bandwidth", scale_for("B/s", 1.2e12)), "≥ 0.900 TB/s");
}

TEST(Pivot, ShowsALimitInTheUnitThatTheSuiteWrote) {
  Case one;
  Expectation expectation;
  expectation.text = "bandwidth >= 100 MB/s";
  expectation.op = ">=";
  expectation.limit = 1e8;
  expectation.value = 2.5e8;
  expectation.unit = {"B/s", "MB/s", 1e6};
  one.expectations.push_back(expectation);
  EXPECT_EQ(limit_text(Row{{}, {&one}}, "bandwidth", scale_for("B/s", 2.5e9)), "≥ 100 MB/s");
  EXPECT_EQ(value_and_limit(one.expectations.front()), "bandwidth 250 MB/s, limit 100 MB/s");
}

// A machine that hangs is worse than one that reports an error, in the document as on the page.
TEST(Document, RanksOutcomesAsTheJudgeDoes) {
  Document document = read_document(text_of("node-acceptance"));
  Row row;
  std::vector<Case> cases(3, document.cases.front());
  cases[0].outcome = Outcome::error;
  cases[1].outcome = Outcome::timeout;
  cases[2].outcome = Outcome::failed;
  for (const Case& one : cases) row.members.push_back(&one);
  EXPECT_EQ(row.outcome(), Outcome::timeout);
  EXPECT_EQ(mixed_outcomes(row), "1 timeout, 1 error, 1 failed");
}

TEST(Document, KnowsEveryOutcomeByItsWord) {
  const auto outcome_of = [](const std::string& word) {
    return read_document(R"({"schema_version": "1.0", "cases": [{"outcome": ")" + word + "\"}]}")
        .cases[0]
        .outcome;
  };
  for (const std::string_view word : kOutcomeWords) {
    std::string shown(word);
    std::replace(shown.begin(), shown.end(), '_', ' ');
    EXPECT_EQ(outcome_text(outcome_of(std::string(word))), shown);
  }
  EXPECT_EQ(outcome_of("exploded"), Outcome::other);
}

TEST(Tally, SaysHowManyGroupChecksAreAmongWhatPassed) {
  Document document = read_document(text_of("node-acceptance"));
  document.verdict.undecided = 0;
  document.verdict.outcome = RunOutcome::passed;
  for (Case& one : document.cases) one.outcome = Outcome::passed;
  for (Group& one : document.groups) one.outcome = Outcome::passed;
  document.groups.resize(1);
  const std::string cases = std::to_string(document.cases.size());
  EXPECT_EQ(tally_text(document),
            std::to_string(document.cases.size() + 1) + " passed (" + cases + " cases, 1 group check)");
  document.groups.front().outcome = Outcome::skipped;
  EXPECT_EQ(tally_text(document), cases + " passed, 1 group check skipped");
  document.groups.clear();
  EXPECT_EQ(tally_text(document), cases + " passed");
}

TEST(Console, NamesWhatAnExpectationHasNoReferenceIn) {
  for (const std::string what : {"peak", "reference", "baseline"}) {
    Json json = Json::parse(text_of("mixed"));
    for (Json& one : json["cases"]) {
      for (Json& expectation : one["expectations"]) {
        if (expectation["status"] == "no_reference") expectation["text"] = "bandwidth >= 90% of " + what;
      }
    }
    EXPECT_NE(render_console(read_document(json.dump()), {}).find("✗ no " + what + " "), std::string::npos)
        << what;
  }
}

TEST(Pivot, NeverMixesBackends) {
  Json json = Json::parse(text_of("host-quick"));
  Json other = json["cases"][0];
  other["backend"] = "cuda";
  json["cases"].push_back(other);
  EXPECT_EQ(pivot(read_document(json.dump())).size(), 4u);
}

TEST(Wording, FillPutsTheLeadingEffectIntoTheSentence) {
  const Document document = read_document(text_of("nccl-tuning"));
  EXPECT_EQ(fill("Tree costs {effect} over {rounds} rounds, {theta}, {nothing}", document.findings[0]),
            "Tree costs at least 11.9 % over 6 rounds, 2 %, {nothing}");
  EXPECT_EQ(fill("open {effect", document.findings[0]), "open {effect");
}

TEST(Wording, AnEffectAgainstTheVerdictKeepsItsSign) {
  Finding finding;
  finding.claim = "a > b";
  finding.verdict = FindingVerdict::refuted;
  finding.rows.resize(1);
  finding.rows[0].verdict = FindingVerdict::refuted;
  finding.rows[0].effect = 0.004;
  EXPECT_EQ(fill("{effect}", finding), "+0.4 %");
  finding.rows[0].effect = -0.004;
  EXPECT_EQ(fill("{effect}", finding), "0.4 %");
}

TEST(Wording, TheWeakestRowStandsForThoseThatAgree) {
  Finding finding;
  finding.claim = "a >= 95% * b";
  finding.rows.resize(3);
  const auto set = [&](FindingVerdict verdict, std::array<double, 3> effects) {
    finding.verdict = verdict;
    for (std::size_t i = 0; i < 3; ++i) {
      finding.rows[i].verdict = verdict;
      finding.rows[i].label = "row=" + std::to_string(i);
      finding.rows[i].effect = effects[i];
      finding.rows[i].bounds = Bounds{effects[i] - 0.001, effects[i] + 0.001};
    }
  };
  set(FindingVerdict::confirmed, {0.038, -0.015, 0.2});
  EXPECT_EQ(measured_text(finding), "0.985× [0.984, 0.986] at row=1, the weakest of 3");
  EXPECT_EQ(fill("{effect}", finding), "−1.5 % at row=1");
  set(FindingVerdict::confirmed, {0.038, 0.015, 0.2});
  EXPECT_EQ(fill("{effect} faster", finding), "at least 1.5 % faster");
  finding.rows[0].bounds.low = 0.001;
  EXPECT_EQ(measured_text(finding), "1.04× [1.00, 1.04] at row=0, the weakest of 3") << "by its interval";
  set(FindingVerdict::refuted, {-0.3, -0.1, -0.2});
  EXPECT_EQ(fill("costs {effect}", finding), "costs at least 10.0 %");
  finding.claim = "a < b";
  set(FindingVerdict::confirmed, {-0.3, -0.1, -0.2});
  EXPECT_EQ(fill("saves {effect}", finding), "saves at least 10.0 %");
  set(FindingVerdict::refuted, {0.3, 0.1, 0.2});
  EXPECT_EQ(fill("costs {effect}", finding), "costs at least 10.0 %");
  finding.claim = "a == b";
  set(FindingVerdict::confirmed, {0.003, -0.008, 0.001});
  EXPECT_EQ(measured_text(finding), "0.992× [0.991, 0.993] at row=1, the weakest of 3");
  set(FindingVerdict::refuted, {0.3, -0.1, 0.2});
  EXPECT_EQ(measured_text(finding), "0.900× [0.899, 0.901] at row=1, the weakest of 3");
}

TEST(Wording, TheTallyNamesGroupChecks) {
  EXPECT_EQ(tally_text(read_document(text_of("node-acceptance"))), "2 of 39 failed (1 case, 1 group check)");
  EXPECT_EQ(tally_text(read_document(text_of("interrupted"))), "1 of 4 passed, 1 cancelled, 2 not run");
  EXPECT_EQ(tally_text(read_document(text_of("nothing-ran"))), "nothing to run");
}

// Replaces one random value anywhere in the document by another type, or removes it.
void damage(Json& json, std::mt19937& random) {
  Json* at = &json;
  while (at->is_structured() && !at->empty() && random() % 5 != 0) {
    auto item = at->begin();
    std::advance(item, static_cast<std::ptrdiff_t>(random() % at->size()));
    at = &item.value();
  }
  if (at == &json) return;
  switch (random() % 8) {
    case 0:
      *at = nullptr;
      break;
    case 1:
      *at = "text \x1b|`<";
      break;
    case 2:
      *at = -1e308;
      break;
    case 3:
      *at = Json::array({1, "a", nullptr});
      break;
    case 4:
      *at = Json::object({{"value", 0}, {"low", 2}, {"high", 1}});
      break;
    case 5:
      *at = true;
      break;
    case 6:
      *at = 1e300;
      break;
    default:
      *at = "";
      break;
  }
}

TEST(Document, EveryReporterSurvivesDamagedDocuments) {
  std::mt19937 random(3);
  for (const char* name : {"host-quick", "mixed", "nccl-tuning"}) {
    const Json whole = Json::parse(text_of(name));
    for (int round = 0; round < 60; ++round) {
      Json json = whole;
      for (int i = 0; i < 40; ++i) damage(json, random);
      json["schema_version"] = "1.0";
      const Document document = read_document(json.dump(-1, ' ', false, Json::error_handler_t::replace));
      EXPECT_FALSE(render_console(document, {}).empty());
      EXPECT_FALSE(render_markdown(document, {}).empty());
      EXPECT_FALSE(render_junit(document, {}).empty());
    }
  }
}

// A case as a document has it, with one metric more than its time, and a finding over times.
std::string of_case(const std::string& metric, const std::string& flags = "[]") {
  return R"({"schema_version": "1.0", "verdict": {"outcome": "passed", "exit_code": 0, "undecided": 0}, "run": {"suite": "s"},
    "cases": [{"id": "a", "case": "a", "benchmark": "b", "outcome": "passed", "flags": )" +
         flags + R"(, "metrics": [)" + metric +
         R"({"name": "time", "unit": "s", "statistic": "median", "value": 0.25, "n": 2, "interval": null,
      "no_interval": {"code": "interval.few-samples", "text": "Fewer than six samples."}}]}],
    "groups": [], "guards": [], "findings": [{"id": "f", "question": "Is it so?", "claim": "x > y", "verdict": "confirmed",
      "rows": [{"label": "", "verdict": "confirmed", "effect": 0.3, "low": 0.2, "high": 0.4, "n": 3, "left": {}, "right": {}}]}]})";
}

TEST(Document, OfAnOldVersionSaysMixedWhereAllRowsAreDecided) {
  const auto verdict_of = [](const std::string& last_row, const std::string& decided_by = "") {
    return read_document(
               R"({"schema_version": "1.0", "findings": [{"id": "f", "verdict": "undecided", "for": ")" +
               decided_by + R"(", "rows": [
        {"label": "a", "verdict": "confirmed"}, {"label": "b", "verdict": ")" +
               last_row + R"("}]}]})")
        .findings.front()
        .verdict;
  };
  EXPECT_EQ(verdict_of("refuted"), FindingVerdict::mixed);
  EXPECT_EQ(verdict_of("undecided"), FindingVerdict::undecided);
  EXPECT_EQ(verdict_of("refuted", "any"), FindingVerdict::undecided)
      << "rows decide it together, by wider intervals";
}

TEST(Document, TellsOfFindingsWithoutAHeadlineWhatItSays) {
  // A metric with indices leads, so that the case has no one figure; or nothing leads.
  const std::string indexed = R"({"name": "m", "headline": true, "indices": [0], "unit": "1", "value": 3},)";
  for (const std::string& metric : {indexed, std::string()}) {
    const Document document = read_document(of_case(metric));
    const std::string console = render_console(document, {}), markdown = render_markdown(document, {}),
                      junit = render_junit(document, {});
    EXPECT_NE(console.find("Is it so?\n    confirmed: yes\n    x / y = 1.30× [1.20, 1.40]"),
              std::string::npos)
        << console;
    EXPECT_NE(markdown.find("| 1 | Is it so? | **confirmed**: yes |"), std::string::npos) << markdown;
    EXPECT_NE(markdown.find("each with a result"), std::string::npos) << markdown;
    EXPECT_NE(markdown.find("### 1. Is it so?"), std::string::npos) << markdown;
    EXPECT_NE(junit.find("Is it so?\nconfirmed"), std::string::npos) << junit;
  }
}

TEST(Document, ShowsTheTimeWhereNothingLeadsAndWhyItHasNoInterval) {
  const Document document = read_document(of_case(""));
  const std::string console = render_console(document, {});
  EXPECT_NE(console.find("250 ms"), std::string::npos) << console;
  EXPECT_NE(console.find("(few samples)"), std::string::npos) << console;
  const std::string markdown = render_markdown(document, {});
  EXPECT_NE(markdown.find("**250**"), std::string::npos) << markdown;
  EXPECT_NE(markdown.find("No interval, *few samples*: Fewer than six samples."), std::string::npos)
      << markdown;
  EXPECT_NE(render_junit(document, {}).find("time 250 ms (n=2, no interval: few samples)"),
            std::string::npos);
}

TEST(Document, MarksNoRowForWhatIsOnlyToBeTold) {
  const auto row = [](const std::string& flags) {
    return render_console(read_document(of_case("", flags)), {});
  };
  const auto says = [&](const std::string& flags, const std::string& words) {
    return row(flags).find(words) != std::string::npos;
  };
  EXPECT_FALSE(says(R"([{"code": "power_capped", "text": "t", "severity": "note"}])", "power capped"));
  EXPECT_FALSE(says(R"([{"code": "work_declared", "text": "t"}])", "work declared"));
  EXPECT_TRUE(
      says(R"([{"code": "work_declared", "text": "t"}, {"code": "unsteady", "text": "t"}])", "! unsteady"));
}

TEST(Document, ListsAllFlagsWhereTheyAreAskedFor) {
  ConsoleOptions verbose;
  verbose.verbose = true;
  const Document document = read_document(of_case(
      "", R"([{"code": "work_declared", "text": "of its own word"}, {"code": "unsteady", "text": "it moved"},
                      {"code": "disturbed", "text": "others had 9 %"}])"));
  const std::string brief = render_console(document, {}), whole = render_console(document, verbose);
  EXPECT_NE(brief.find("! disturbed"), std::string::npos) << brief;
  for (const char* told :
       {"work_declared: of its own word", "unsteady: it moved", "disturbed: others had 9 %"}) {
    EXPECT_EQ(brief.find(told), std::string::npos) << brief;
    EXPECT_NE(whole.find(told), std::string::npos) << whole;
  }
}

TEST(Document, SaysWhichRatesAreByTheSlopeAndTheMeanBesideAMedian) {
  const Document document = read_document(of_case(
      R"({"name": "rate", "headline": true, "unit": "B/s", "statistic": "slope", "value": 3e9, "n": 9},)"
      R"({"name": "delay", "headline": true, "unit": "s", "statistic": "median", "value": 2e-5, "mean": 2.4e-5, "n": 9},)"));
  for (const std::string& text : {render_console(document, {}), render_markdown(document, {})})
    EXPECT_NE(text.find("ates by the slope"), std::string::npos) << text;
  const Document alone = read_document(of_case(
      R"({"name": "delay", "headline": true, "unit": "s", "statistic": "median", "value": 2e-5, "mean": 2.4e-5, "n": 9},)"));
  EXPECT_NE(render_console(alone, {}).find("mean 24"), std::string::npos) << render_console(alone, {});
}

TEST(RunNotes, TellTheTimeOfAnotherRunInMinutes) {
  Document document;
  document.run.started_at = "2026-11-26T13:10:00Z";
  document.run.beside.emplace_back().text = "process 4711 with suite 'quick' since 2026-11-26T13:15:55Z";
  document.run.beside[0].since = "2026-11-26T13:15:55Z";
  EXPECT_EQ(
      run_notes(document).back(),
      "another run might have used the same processors meanwhile: process 4711 with suite 'quick' since 13:15 "
      "UTC");
  document.run.beside[0].text = "process 4711 since 2026-11-25T23:15:55Z, to the end";
  document.run.beside[0].since = "2026-11-25T23:15:55Z";
  EXPECT_EQ(
      run_notes(document).back(),
      "another run might have used the same processors meanwhile: process 4711 since 2026-11-25 23:15 UTC, to "
      "the end");
  document.run.beside[0].text = "process 4711 since noon";
  EXPECT_EQ(run_notes(document).back(),
            "another run might have used the same processors meanwhile: process 4711 since noon");
}

TEST(RunNotes, TellOfManyOtherRunsOnce) {
  Document document;
  for (const char* text : {"process 1 since noon", "process 2 since one", "process 3 since two"})
    document.run.beside.emplace_back().text = text;
  EXPECT_EQ(
      run_notes(document),
      std::vector<std::string>{"other runs might have used the same processors meanwhile: process 1 since "
                               "noon, and 2 more"});
}

TEST(RunNotes, TellThatRowsBecameSlowerFromRoundToRound) {
  Document document;
  document.run.trend = model::RoundTrend{24, 0.021, 0.0004};
  EXPECT_EQ(
      run_notes(document).back(),
      "rows became slower from round to round: the median of 24 rows by 2.1 % from the first to the last, more "
      "than their scatter explains");
  document.run.trend = model::RoundTrend{24, -0.03, 1e-12};
  EXPECT_EQ(
      run_notes(document).back(),
      "rows became faster from round to round: the median of 24 rows by 3.0 % from the first to the last, more "
      "than their scatter explains");
}

}  // namespace
}  // namespace assay::reporters
