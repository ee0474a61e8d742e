// SPDX-License-Identifier: Apache-2.0
#include "wire/messages.hpp"

#include "base/error.hpp"
#include "model/measure_keys.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::wire {
namespace {

StartVisit sample_start() {
  StartVisit start;
  start.number = 7;
  start.case_id = "gemm[dtype=bf16]";
  start.benchmark = "gemm";
  start.parameters = {{"m", 8192}, {"dtype", "bf16"}};
  start.metrics = {"throughput"};
  start.facts = {"algorithm"};
  start.checks = {"link"};
  start.devices = {{"cuda:1", "GPU-1", 0, 1}};
  start.measure.cache = "rotating";
  start.measure.seed = ~std::uint64_t{0};
  start.headline = "rate";
  start.measure.samples = 5;
  start.measure.warmup = 0;
  start.measure.hold_s = 1.5;
  start.trace = true;
  return start;
}

TEST(Messages, StartVisitComesBackAsItWasSent) {
  const StartVisit start = sample_start();
  EXPECT_EQ(to_json(start_visit_from_json(Json::parse(to_json(start).dump()))), to_json(start));
}

TEST(Messages, LoadComesBackAsItWasSent) {
  const Load load{"/lib/x.so", "com.acme.x", 1, 4, 1, 0, 1, "1/2/3", "ab"};
  EXPECT_EQ(to_json(load_from_json(to_json(load))), to_json(load));
}

TEST(Messages, VisitedKeepsTheDirtyReason) {
  Visited visited;
  visited.number = 3;
  visited.dirty = "leaked memory";
  visited.visit.case_id = "a";
  visited.visit.outcome = result::Outcome::passed;
  const Visited back = visited_from_json(to_json(visited));
  EXPECT_EQ(back.number, 3U);
  EXPECT_EQ(back.dirty, "leaked memory");
  EXPECT_EQ(back.visit.outcome, result::Outcome::passed);
}

void expect_malformed(const std::function<void()>& read, const std::string& about) {
  try {
    read();
    ADD_FAILURE() << "accepted, though " << about << " is wrong";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "wire.malformed");
    EXPECT_THAT(error.what(), testing::HasSubstr(about));
  }
}

TEST(Messages, EveryMissingOrMistypedKeyOfAVisitIsNamed) {
  const Json whole = to_json(sample_start());
  for (const auto& item : whole.items()) {
    if (item.key() == "type") continue;
    Json without = whole;
    without.erase(item.key());
    expect_malformed([&] { (void)start_visit_from_json(without); }, "'" + item.key() + "'");
    Json mistyped = whole;
    mistyped[item.key()] = item.value().is_number() ? Json("text") : Json(1.5);
    expect_malformed([&] { (void)start_visit_from_json(mistyped); }, "'" + item.key() + "'");
  }
}

TEST(Messages, EveryMissingOrMistypedOptionOfMeasureIsNamed) {
  const Json whole = to_json(sample_start());
  for (const model::MeasureKey& key : model::kMeasureKeys) {
    const std::string name = "'measure." + std::string(key.json) + "'";
    Json without = whole;
    without["measure"].erase(std::string(key.json));
    expect_malformed([&] { (void)start_visit_from_json(without); }, name + " is missing");
    Json mistyped = whole;
    mistyped["measure"][key.json] = key.words.empty() ? Json("text") : Json(1.5);
    expect_malformed([&] { (void)start_visit_from_json(mistyped); }, name);
  }
}

TEST(Messages, ANegativeCountIsNotReadAsAHugeOne) {
  Json json = to_json(sample_start());
  json["measure"]["samples"] = -1;
  expect_malformed([&] { (void)start_visit_from_json(json); }, "'measure.samples'");
}

TEST(Messages, AnImpossibleRankIsRefused) {
  Json json = to_json(Load{"/lib/x.so", "com.acme.x", 4, 4, 1, 0, 1});
  expect_malformed([&] { (void)load_from_json(json); }, "rank 4 of 4");
}

TEST(Messages, AFrameOfAnotherTypeIsRefused) {
  expect_malformed([&] { (void)load_from_json(to_json(sample_start())); }, "visit");
  expect_malformed([&] { (void)load_from_json(Json::array()); }, "object");
}

}  // namespace
}  // namespace assay::wire
