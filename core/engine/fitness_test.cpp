// SPDX-License-Identifier: Apache-2.0
#include "engine/fitness.hpp"

#include "model/document_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::engine {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

system::Inventory with_facts(Json facts) {
  system::Inventory inventory;
  system::Device device;
  device.name = "acme:0";
  device.facts = std::move(facts);
  inventory.backends.push_back({"acme", "com.acme", {device}, Json::object(), ""});
  return inventory;
}

TEST(UnfitSettings, AreNoneWhereNothingIsKnown) {
  EXPECT_THAT(unfit_settings(with_facts(Json::object())), IsEmpty());
}

TEST(UnfitSettings, AreNoneOnAHealthyDevice) {
  EXPECT_THAT(unfit_settings(with_facts({{"governor", "performance"},
                                         {"power_limit_w", 700},
                                         {"standard_power_limit_w", 700},
                                         {"persistence", true},
                                         {"ecc", true},
                                         {"compute_mode", "shared"},
                                         {"pcie_width", 16},
                                         {"largest_pcie_width", 16},
                                         {"nvlinks_down", 0}})),
              IsEmpty());
}

TEST(UnfitSettings, EachIsNamedWithItsDevice) {
  const std::vector<std::pair<Json, std::string>> rows = {
      {{{"governor", "powersave"}}, "'powersave'"},
      {{{"power_limit_w", 500}, {"standard_power_limit_w", 700}}, "500 W instead of 700 W"},
      {{{"application_clock_hz", 1.5e9}}, "1.5"},
      {{{"persistence", false}}, "persistence mode is off"},
      {{{"ecc", false}}, "error correction"},
      {{{"compute_mode", "prohibited"}}, "prohibits"},
      {{{"pcie_width", 8}, {"largest_pcie_width", 16}}, "8 lanes of 16"},
      {{{"nvlinks_down", 2}}, "2 of its links"}};
  for (const auto& [facts, text] : rows) {
    const auto unfit = unfit_settings(with_facts(facts));
    ASSERT_THAT(unfit, SizeIs(1)) << facts;
    EXPECT_EQ(unfit.front().device, "acme:0");
    EXPECT_THAT(unfit.front().text, HasSubstr(text));
    EXPECT_FALSE(unfit.front().advice.empty());
  }
}

TEST(Disturbances, AreToldOnceWithTheCasesThatSawThem) {
  model::Document document;
  EXPECT_THAT(disturbances(document), IsEmpty());
  document.cases.resize(3);
  for (std::size_t i = 1; i < 3; ++i)
    document.cases[i].flags.push_back({"disturbed", "other programs had 67 % of the processors", ""});
  const auto found = disturbances(document);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found.front().text, "other programs had 67 % of the processors (in 2 of 3 cases)");
}

TEST(UnfitSettings, FactsOfAnotherTypeSayNothing) {
  EXPECT_THAT(
      unfit_settings(with_facts({{"governor", 3}, {"power_limit_w", "low"}, {"nvlinks_down", nullptr}})),
      IsEmpty());
}

model::Document read(const Json& json) { return model::read_leniently<model::Document>(json); }

TEST(Deviations, AreOfTheHeadlinesRounds) {
  const auto metric = [](const char* kind, bool headline, Json rounds) {
    return Json{{"kind", kind}, {"headline", headline}, {"rounds", std::move(rounds)}};
  };
  const Json document = {
      {"cases", Json::array({{{"id", "a"},
                              {"backend", "host"},
                              {"metrics", Json::array({metric("duration", true, {1.0, 1.0, 1.0}),
                                                       metric("value", true, {1.0, 2.0, 3.0})})}},
                             {{"id", "b"},
                              {"backend", "acme"},
                              {"metrics", Json::array({metric("duration", true, {0.99, 1.0, 1.01})})}},
                             {{"id", "few"},
                              {"backend", "acme"},
                              {"metrics", Json::array({metric("duration", true, {1.0, 2.0})})}},
                             {{"id", "lost"},
                              {"backend", "acme"},
                              {"metrics", Json::array({metric("duration", true, {1.0, nullptr, 2.0})})}}})}};
  const auto found = deviations(read(document));
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].case_id, "a");
  EXPECT_DOUBLE_EQ(found[0].share, 0);
  EXPECT_EQ(found[1].case_id, "b");
  EXPECT_EQ(found[1].backend, "acme");
  EXPECT_NEAR(found[1].share, 0.01, 1e-4);
  EXPECT_EQ(found[1].rounds, 3);
}

Json three_rounds(Json rounds, const char* outcome = "passed") {
  return {{"cases", Json::array({{{"id", "a"},
                                  {"backend", "host"},
                                  {"outcome", outcome},
                                  {"metrics", Json::array({{{"kind", "duration"},
                                                            {"headline", true},
                                                            {"rounds", std::move(rounds)}}})}}})}};
}

TEST(UnfitLoad, IsMoreThanAQuarterOfTheProcessors) {
  EXPECT_THAT(unfit_load(std::nullopt, 2), IsEmpty());
  EXPECT_THAT(unfit_load(0.5, 2), IsEmpty());
  const auto unfit = unfit_load(6.9, 2);
  ASSERT_THAT(unfit, SizeIs(1));
  EXPECT_THAT(unfit.front().text, HasSubstr("6.9 of its 2 processors"));
}

TEST(Fitness, NamesTheEffectThatCanBeSeen) {
  const Fitness answer = fitness({}, read(three_rounds({0.99, 1.0, 1.01})));
  EXPECT_TRUE(answer.fit);
  EXPECT_EQ(answer.answer, "fit for effects above 2.8 %");
}

TEST(Fitness, IsToldForEachBackend) {
  Json document = three_rounds({0.99, 1.0, 1.01});
  Json other = document.at("cases").at(0);
  other["backend"] = "acme";
  other["metrics"][0]["rounds"] = {0.9, 1.0, 1.1};
  document["cases"].push_back(other);
  EXPECT_EQ(fitness({}, read(document)).answer, "fit for effects above 28 % on acme, 2.8 % on host");
}

// Memory that others use says nothing of what computes.
TEST(Fitness, IsToldForEachKindOfWork) {
  const auto with_work = [](const char* work, Json rounds) {
    Json one = three_rounds(std::move(rounds)).at("cases").at(0);
    one["axes"] = Json::array({{{"name", "work"}, {"text", work}, {"value", work}}});
    return one;
  };
  Json document = {{"cases", Json::array({with_work("compute", {0.99, 1.0, 1.01}),
                                          with_work("memory", {0.9, 1.0, 1.1})})}};
  EXPECT_EQ(fitness({}, read(document)).answer,
            "fit for effects above 2.8 % in compute on host, 28 % in memory on host");
  document["cases"][1] = with_work("memory", {0.5, 1.0, 1.5});
  const Fitness answer = fitness({}, read(document));
  EXPECT_FALSE(answer.fit);
  EXPECT_THAT(answer.answer, HasSubstr("not fit: memory on host varies by 56 % from process to process"));
  EXPECT_THAT(answer.answer,
              testing::EndsWith("; effects above 2.8 % in compute on host are told all the same"));
}

// What breaks machines halves them.
TEST(Fitness, IsNoneWhereHalfOfTheMachineCouldBeChance) {
  const Json unsteady = three_rounds({0.5, 1.0, 1.5});
  const Fitness answer = fitness({}, read(unsteady));
  EXPECT_FALSE(answer.fit);
  EXPECT_EQ(answer.answer, "not fit: the same work on host varies by 56 % from process to process");
  EXPECT_TRUE(fitness({}, read(three_rounds({0.84, 1.0, 1.18}))).fit);
  EXPECT_FALSE(fitness({}, read(three_rounds({0.83, 1.0, 1.20}))).fit);
  Json document = unsteady;
  Json other = three_rounds({0.99, 1.0, 1.01}).at("cases").at(0);
  other["backend"] = "acme";
  document["cases"].push_back(other);
  EXPECT_FALSE(fitness({}, read(document)).fit);
  EXPECT_THAT(fitness({}, read(document)).answer,
              testing::EndsWith("; effects above 2.8 % on acme are told all the same"));
}

TEST(Fitness, SaysWhatMadeItVary) {
  Json document = three_rounds({0.5, 1.0, 1.5});
  document["cases"][0]["flags"] =
      Json::array({{{"code", "disturbed"}, {"text", "other programs had 67 % of the processors"}}});
  EXPECT_EQ(
      fitness({}, read(document)).answer,
      "not fit: the same work on host varies by 56 % from process to process, while other programs had 67 % of "
      "the processors (in 1 of 1 cases)");
}

TEST(Fitness, OfTooFewProcessesIsThatOfTheSettings) {
  const Fitness answer = fitness({}, read(three_rounds({1.0})));
  EXPECT_TRUE(answer.fit);
  EXPECT_THAT(answer.answer, HasSubstr("--processes 3"));
}

TEST(Fitness, IsNoneWhereSomethingSpoilsMeasurements) {
  const UnfitSetting off = {"cuda:0", "it is off", "turn it on"}, busy = {"host", "it is busy", "wait"};
  const Fitness answer = fitness({off, busy}, read(three_rounds({1.0, 1.0, 1.0})));
  EXPECT_FALSE(answer.fit);
  EXPECT_EQ(answer.answer, "not fit: cuda:0: it is off (and 1 more, below)");
}

TEST(Fitness, IsNoneWhereTheDoctorsOwnWorkFailed) {
  const Fitness answer = fitness({}, read(three_rounds({1.0, 1.0, 1.0}, "failed")));
  EXPECT_FALSE(answer.fit);
  EXPECT_THAT(answer.answer, HasSubstr("own work 'a' ended as 'failed'"));
}

}  // namespace
}  // namespace assay::engine
