// SPDX-License-Identifier: Apache-2.0
//
// What it costs to compare a plugin's times with the host's clock: of a sample, in the loop alone, and of a whole
// visit in a real worker. With the guards and without them in turn, in one process, so that a machine whose speed
// drifts is the same for both. Ends with 1 if a figure was not reached.
#include "measure/loop.hpp"
#include "text/testing/folders.hpp"
#include "worker/floating_point.hpp"
#include "worker/testing/worker_process.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace assay;

constexpr double kMostOfASample_us = 0.2;
constexpr double kMostOfAVisit = 0.02;
constexpr int kTurns = 21;
constexpr std::uint64_t kSamples = 100'000;

// Whether time grows with iterations is asked all the same: rates rest on it, whoever wrote the plugin.
measure::GuardSet none() {
  measure::GuardSet guards;
  for (bool measure::GuardSet::*guard :
       {&measure::GuardSet::device_time, &measure::GuardSet::laps, &measure::GuardSet::moments,
        &measure::GuardSet::share, &measure::GuardSet::settle, &measure::GuardSet::first_steps,
        &measure::GuardSet::leftovers, &measure::GuardSet::new_inputs, &measure::GuardSet::slow_when_new})
    guards.*guard = false;
  return guards;
}

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Other programs only ever make a visit longer.
double fastest(const std::vector<double>& values) { return *std::min_element(values.begin(), values.end()); }

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

bool row(const std::string& what, double value, const char* unit, double limit) {
  const bool reached = value <= limit;
  std::printf("%-52s %10.3g %-4s <= %g %s  %s\n", what.c_str(), value, unit, limit, unit,
              reached ? "reached" : "MISSED");
  std::fflush(stdout);
  return reached;
}

// Nothing but its times.
class Instant final : public measure::Region {
 public:
  measure::RegionStatus run(measure::VisitMode, std::uint64_t, std::span<double>,
                            measure::Sample& out) override {
    const double begin_s = now_s();
    out.device_s = out.host_s = 1e-9 + now_s() - begin_s;
    out.begin_ns = std::llround(begin_s * 1e9);
    out.end_ns = out.begin_ns + 1;
    out.done = 16;
    return measure::RegionStatus::ok;
  }
  measure::RegionStatus check() override { return measure::RegionStatus::ok; }
};

class Quiet final : public measure::LoopWatch {
 public:
  bool proceed(measure::Phase, std::uint64_t) override { return true; }
  void look(const measure::RankSeries&) override {}
};

// Of one sample, by the wall.
double sample_s(const measure::GuardSet& guards) {
  Instant region;
  measure::RankTeam team(nullptr);
  measure::SteadyClock clock;
  Quiet watch;
  measure::Traits traits;
  traits.maximum = 1;
  traits.parts = true;  // most of such a call is not a region
  measure::VisitSettings settings;
  settings.samples = kSamples;
  settings.warmup = 0;
  settings.guards = guards;
  const double began_s = now_s();
  const measure::LoopResult result = measure::measure(region, team, clock, watch, traits, settings);
  const double took_s = now_s() - began_s;
  if (result.fault.ending != measure::SamplingEnd::completed)
    std::printf("  %s\n", result.fault.text.c_str());
  return took_s / static_cast<double>(kSamples);
}

// To compare a mode with the one before, as every call is followed by it.
double mode_s() {
  const auto before = worker::FloatingPoint::read();
  bool same = true;
  const double began_s = now_s();
  for (std::uint64_t i = 0; i < kSamples; ++i) same = worker::FloatingPoint::read() == before && same;
  const double took_s = now_s() - began_s;
  return same ? took_s / static_cast<double>(kSamples) : 0;
}

bool of_a_sample() {
  std::vector<double> with_s, without_s, modes_s;
  for (int turn = 0; turn < kTurns; ++turn) {
    with_s.push_back(sample_s({}));
    without_s.push_back(sample_s(none()));
    modes_s.push_back(mode_s());
  }
  const double cost_s = std::max(0.0, median(with_s) - median(without_s)) + median(modes_s);
  std::printf(
      "  a sample of nothing: %.3f us with, %.3f us without (%.2f times), %.3f us for the floating-point mode\n",
      1e6 * median(with_s), 1e6 * median(without_s), median(with_s) / median(without_s),
      1e6 * median(modes_s));
  return row("guards, a sample", 1e6 * cost_s, "us", kMostOfASample_us);
}

// The least that a visit takes: half a second of warm-up, a quarter of samples.
class Visits {
 public:
  Visits(const measure::GuardSet& guards, std::uint64_t elements) : worker_("", nullptr, guards) {
    worker_.load(build_folder() / "tests/liar/assay_liar.so", "org.assay.liar");
    start_.number = 1;
    start_.case_id = "a";
    start_.benchmark = "liar";
    start_.parameters = {{"fault", "none"}, {"elements", elements}, {"reseeds", true}, {"looks", 0.0}};
    start_.metrics = {"bandwidth"};
    start_.measure.warmup = 0;
    start_.measure.hold_s = 0.75;
  }
  double seconds() {
    const result::Visit visit = worker_.visit(start_).visit;
    if (visit.outcome != result::Outcome::passed) std::printf("  %s\n", visit.reason.text.c_str());
    return visit.duration_s;
  }

 private:
  worker::WorkerProcess worker_;
  wire::StartVisit start_;
};

bool of_a_visit(std::uint64_t elements) {
  Visits with({}, elements), without(none(), elements);
  std::vector<double> with_s, without_s;
  for (int turn = 0; turn < kTurns; ++turn) {
    with_s.push_back(with.seconds());
    without_s.push_back(without.seconds());
  }
  const std::string what = "guards, a visit of " + std::to_string(elements) + " elements";
  std::printf("  %.4f s with, %.4f s without, the fastest of %d each\n", fastest(with_s), fastest(without_s),
              kTurns);
  return row(what, 100 * (fastest(with_s) / fastest(without_s) - 1), "%", 100 * kMostOfAVisit);
}

}  // namespace

int main() {
  bool good = of_a_sample();
  for (const std::uint64_t elements : {2048U, 65'536U, 1U << 20}) good = of_a_visit(elements) && good;
  return good ? 0 : 1;
}
