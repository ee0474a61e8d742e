// SPDX-License-Identifier: Apache-2.0
//
// The plugin that lies (tests/fixtures/plugins/liar), in a real worker by the real clock: each lie is found by its
// own guard, and published where that guard alone is taken out.
#include "text/testing/folders.hpp"
#include "worker/testing/worker_process.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace assay::worker {
namespace {

struct LieCase {
  const char* fault;
  bool measure::GuardSet::*guard;
  const char* code;
  std::uint64_t samples = 50;
  std::uint64_t elements = 8192;
  double looks = 0;
  double max_time_s = 0.2;
};

void PrintTo(const LieCase& lie, std::ostream* out) { *out << lie.fault; }

// Where verifying takes long beside a queue, settle alone can notice that it was waited for.
const LieCase kLies[] = {
    {"queued", &measure::GuardSet::settle, "guard.work-left-behind", 200, 8192, 1},
    {"queued_silent", &measure::GuardSet::leftovers, "guard.work-left-behind", 20'000, 8192, 0, 0.5},
    {"queued_unlooked", &measure::GuardSet::leftovers, "guard.work-left-behind", 1'000'000, 8192, 0, 1},
    {"short_laps", &measure::GuardSet::laps, "guard.laps-differ"},
    {"tenth", &measure::GuardSet::share, "guard.time-missing"},
    {"other_clock", &measure::GuardSet::moments, "guard.moments-impossible"},
    {"reversed", &measure::GuardSet::moments, "guard.moments-impossible"},
    {"longer", &measure::GuardSet::device_time, "guard.device-above-host"},
    {"constant", &measure::GuardSet::proportion, "guard.time-not-proportional", 50, 1 << 20},
    {"half_up", &measure::GuardSet::first_steps, "guard.time-not-proportional", 50, 16'384},
    {"cached", &measure::GuardSet::new_inputs, "verify.stale"},
    {"spin", &measure::GuardSet::new_inputs, "verify.stale"},
    {"wrong_work", &measure::GuardSet::new_inputs, "verify.stale"},
    {"recomputed", &measure::GuardSet::slow_when_new, "guard.slow-when-new", 50, 1 << 20},
};

result::Visit visit(const LieCase& lie, const measure::GuardSet& guards) {
  WorkerProcess worker("", nullptr, guards);
  const auto library = build_folder() / "tests/liar/assay_liar.so";
  EXPECT_EQ(worker.load(library, "org.assay.liar").at("type"), "ready");
  wire::StartVisit start;
  start.number = 1;
  start.case_id = "a";
  start.benchmark = "liar";
  start.parameters = {
      {"fault", lie.fault}, {"elements", lie.elements}, {"reseeds", true}, {"looks", lie.looks}};
  start.metrics = {"bandwidth", "seed"};
  start.measure.samples = lie.samples;
  start.measure.warmup = 0;
  start.measure.max_time_s = lie.max_time_s;
  start.timeout_s =
      500;  // an accused visit takes samples of seconds, and much longer where other programs run
  return worker.visit(start).visit;
}

class Lies : public testing::TestWithParam<LieCase> {};

// Where other programs hold up every reading no guard can tell; how often each is found on a machine that is left alone is for
// the campaign of lies to say.
constexpr int kTries = 20;

TEST_P(Lies, AreFoundByTheirOwnGuardAlone) {
  result::Visit found = visit(GetParam(), {});
  for (int again = 1; again < kTries && found.outcome == result::Outcome::passed; ++again)
    found = visit(GetParam(), {});
  EXPECT_NE(found.outcome, result::Outcome::passed)
      << testing::PrintToString(found.measurement.flags) << ", n and 2n took "
      << testing::PrintToString(found.measurement.once_s) << ", "
      << testing::PrintToString(found.measurement.twice_s);
  EXPECT_EQ(found.reason.code, GetParam().code) << found.reason.text;
  measure::GuardSet without;
  without.*GetParam().guard = false;
  const result::Visit published = visit(GetParam(), without);
  EXPECT_EQ(published.outcome, result::Outcome::passed)
      << published.reason.code << ": " << published.reason.text;
}

TEST(Truth, ValuesAreThoseOfTheInputsOfTheCase) {
  const result::Visit seen = visit({"none", nullptr, ""}, {});
  ASSERT_EQ(seen.outcome, result::Outcome::passed) << seen.reason.text;
  ASSERT_EQ(seen.ranks.front().values.size(), 1U);
  EXPECT_EQ(seen.ranks.front().values.front().value,
            static_cast<double>(wire::StartVisit().measure.seed % 1000));
}

INSTANTIATE_TEST_SUITE_P(All, Lies, testing::ValuesIn(kLies),
                         [](const auto& row) { return std::string(row.param.fault); });

}  // namespace
}  // namespace assay::worker
