// SPDX-License-Identifier: Apache-2.0
//
// One whole document, compared with tests/golden/judge/document.json and the schema.
#include "base/file.hpp"
#include "judge/judge_test_world.hpp"
#include "result/exit_code.hpp"
#include "result/schema.hpp"
#include "result/schema_test_validator.hpp"
#include "text/testing/folders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace assay::judge {
namespace {

suite::SuiteFinding question() {
  suite::SuiteFinding finding;
  finding.id.value = "nt";
  finding.question.value = "Do non-temporal stores help?";
  finding.claim_text = "nt > plain";
  finding.claim = World::parse(finding.claim_text);
  finding.let.push_back({{"nt", {}}, World::parse("stores[kind=nt].bandwidth")});
  finding.let.push_back({{"plain", {}}, World::parse("stores[kind=plain].bandwidth")});
  finding.confirmed = suite::VerdictWords{"Use them: {effect} faster.", {}, "export STORES=nt", {}};
  finding.position = {"unit.yaml", 30, 5};
  return finding;
}

// A case that passes, one that fails, one that crashed with samples, one that was skipped, one with an
// undecided limit, a group that fails, a study with a finding.
void fill(World& world) {
  const std::size_t membw = world.suite_case(
      "membw", {"bandwidth >= 45 GB/s", "bandwidth >= 60% of peak", "spread(bandwidth over device) <= 5%"});
  world.suite.cases[membw].expect[0].say = "Check clocks and cooling.";
  std::vector<std::string> ids;
  for (int d = 0; d < 4; ++d) ids.push_back(world.planned(membw, {{"device", "host:" + std::to_string(d)}}));
  world.visit(ids[0], World::around(0.02));
  world.visit(ids[1], World::around(0.024, 50, 0.001, 2));
  result::Visit& hot = world.visits.back();
  hot.telemetry = {{1, "host:1", "temperature", 91}, {2, "host:1", "temperature", 93}};
  hot.throttle = {{1, "host:1", "hw_thermal_slowdown"}, {2, "host:1", "hw_thermal_slowdown"}};
  hot.ranks[0].checks = {{"ecc", "host:1", true, "no errors"}};
  hot.ranks[0].facts = {{"threads", "2"}};
  result::Visit& crashed = world.visit(ids[2], World::around(0.02, 12));
  crashed.outcome = result::Outcome::crashed;
  crashed.reason = {"worker.signal", "ended with signal 11 in sample", "", 11, "sample", 0, "host:2", ""};
  crashed.ranks[0].log = "segmentation fault\n";
  world.case_of(ids[3]).predetermined = result::Outcome::skipped;
  world.case_of(ids[3]).predetermined_reason.code = "needs.library";
  world.case_of(ids[3]).predetermined_reason.text = "needs libfast.so.1 (searched: /usr/lib)";

  const std::size_t stores = world.suite_case("stores", {"bandwidth >= 50.1 GB/s"});
  world.suite.cases[stores].expect[0].position.line = 21;
  for (const auto& [kind, seconds] : {std::pair{"plain", 0.02}, std::pair{"nt", 0.016}}) {
    const std::string id = world.planned(stores, {{"kind", kind}}, 3);
    world.case_of(id).reference = "stores[kind=plain]";
    world.case_of(id).has_reference_key = true;
    for (int r = 1; r <= 3; ++r)
      world.visit(id, World::around(seconds * (1 + 0.001 * r), 20, 0.001, static_cast<std::uint64_t>(r)), r);
  }
  world.suite.findings = {question()};
}

// Numbers may differ in the last digits between compilers; everything else may not.
void compare(const Json& expected, const Json& actual, const std::string& at,
             std::vector<std::string>& different) {
  if (expected.is_number_float() || actual.is_number_float()) {
    const bool close =
        expected.is_number() && actual.is_number() &&
        std::fabs(expected.get<double>() - actual.get<double>()) <= 1e-9 * std::fabs(expected.get<double>());
    if (!close) different.push_back(at + ": " + expected.dump() + " became " + actual.dump());
    return;
  }
  if (expected.is_structured() && expected.type() == actual.type() && expected.size() == actual.size()) {
    auto other = actual.begin();
    for (auto each = expected.begin(); each != expected.end(); ++each, ++other) {
      const std::string key = expected.is_object() ? each.key() : std::to_string(each - expected.begin());
      if (expected.is_object() && each.key() != other.key())
        different.push_back(at + "/" + key + " became " + other.key());
      else
        compare(*each, *other, at + "/" + key, different);
    }
    return;
  }
  if (expected != actual)
    different.push_back(at + ": " + expected.dump().substr(0, 80) + " became " + actual.dump().substr(0, 80));
}

TEST(Document, IsTheGoldenOne) {
  World world;
  fill(world);
  const Json actual = world.document();
  write_file(build_folder() / "judge-document.json", actual.dump(1) + "\n");
  const Json expected = Json::parse(read_file(source_folder() / "tests/golden/judge/document.json"));
  std::vector<std::string> different;
  compare(expected, actual, "", different);
  EXPECT_THAT(different, testing::IsEmpty())
      << "if that is right, copy judge-document.json from the build folder";
}

TEST(Document, FollowsItsSchemaAndHoldsNothingThatTheSchemaDoesNotList) {
  World world;
  fill(world);
  const Json document = Json::parse(world.document().dump());
  const Json schema = result::document_schema();
  EXPECT_THAT(result::SchemaValidator(schema).problems(document), testing::IsEmpty());
  EXPECT_THAT(result::unlisted_keys(schema, schema, document), testing::IsEmpty());
}

TEST(Document, OfAnythingAtAllFollowsItsSchema) {
  const Json schema = result::document_schema();
  const result::SchemaValidator validator(schema);
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    statistics::Random random(seed);
    World world;
    fill(world);
    for (result::Visit& visit : world.visits) {
      if (random.chance(0.3)) visit.outcome = result::outcome_table()[random.next() % 9].outcome;
      if (random.chance(0.2)) visit.ranks.clear();
      if (!visit.ranks.empty() && random.chance(0.2)) visit.ranks.push_back(visit.ranks.front());
      if (!visit.ranks.empty() && random.chance(0.2)) visit.ranks[0].series.host_s.resize(random.next() % 9);
      if (!visit.ranks.empty() && random.chance(0.2)) visit.ranks[0].series.iterations = random.next() % 3;
      if (!visit.ranks.empty() && random.chance(0.2))
        visit.ranks[0].series.laps_s.assign(random.next() % 80, 1e-3);
      if (!visit.ranks.empty() && random.chance(0.2)) visit.ranks[0].verifications.clear();
      if (!visit.ranks.empty() && random.chance(0.2))
        visit.ranks[0].values = {{"memory", {1, 2}, random.chance(0.5) ? std::nan("") : -1.0}};
      if (random.chance(0.2)) visit.work["bandwidth"] = random.chance(0.5) ? -1 : 1e300;
      if (random.chance(0.2)) visit.measurement.tick_s = std::nan("");
      if (random.chance(0.2)) visit.round = static_cast<int>(random.next() % 5);
    }
    if (random.chance(0.3)) world.end.interrupted_by = 15;
    world.options.strict = random.chance(0.5);
    const Json document = Json::parse(world.document().dump());
    EXPECT_THAT(validator.problems(document), testing::IsEmpty()) << "seed " << seed;
    int sum = 0;
    for (const auto& [outcome, count] : document.at("verdict").at("counts").items()) sum += count.get<int>();
    EXPECT_EQ(sum, static_cast<int>(document.at("cases").size() + document.at("groups").size()));
  }
}

}  // namespace
}  // namespace assay::judge
