// SPDX-License-Identifier: Apache-2.0
#include "check/checked_visit.hpp"
#include "check/checks.hpp"
#include "check/tested_case.hpp"
#include "model/measure_keys.hpp"
#include "model/vocabulary.hpp"
#include "text/clock.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"
#include "worker/interruption.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace assay::check {
namespace {

constexpr double kCancelLimit_s = 2;  // then a run sends SIGTERM
constexpr int kRuns = 3;
constexpr int kTimings = 5;               // where other programs disturb them
constexpr double kClockTolerance = 1.02;  // two clocks may run at slightly different speeds

bool has_rates(const catalog::Benchmark& benchmark) {
  return std::any_of(
      benchmark.metrics.begin(), benchmark.metrics.end(),
      [](const catalog::MetricDeclaration& metric) { return metric.kind == catalog::MetricKind::rate; });
}

bool has_code(const result::Visit& visit, std::initializer_list<const char*> codes) {
  return std::any_of(codes.begin(), codes.end(), [&](const char* code) { return visit.reason.code == code; });
}

std::string percent(double share) { return shortest(std::round(share * 1000) / 10) + " %"; }

double mean_of(const std::vector<double>& series) {
  double sum = 0;
  for (const double value : series) sum += value;
  return series.empty() ? 0 : sum / static_cast<double>(series.size());
}

// Cancels a visit from another thread, once it has been sampling for a while, and keeps when that was.
class Canceller {
 public:
  explicit Canceller(worker::Interruption& interruption)
      : thread_([this, &interruption] { wait(interruption); }) {}
  ~Canceller() {
    finish();
    thread_.join();
  }
  Canceller(const Canceller&) = delete;  // owns a thread
  Canceller& operator=(const Canceller&) = delete;

  void finish() {
    const std::lock_guard lock(mutex_);
    finished_ = true;
    changed_.notify_one();
  }
  // 0 if the visit ended before the cancel.
  [[nodiscard]] std::int64_t at_ns() {
    const std::lock_guard lock(mutex_);
    return at_ns_;
  }

 private:
  void wait(worker::Interruption& interruption) {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, std::chrono::milliseconds(700), [this] { return finished_; })) return;
    at_ns_ = monotonic_ns();
    interruption.cancel(1);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool finished_ = false;
  std::int64_t at_ns_ = 0;
  std::thread thread_;
};

}  // namespace

CheckVerdict check_defaults(const Subject& subject) {
  return each_benchmark(subject, [&](const CheckedBenchmark& checked) {
    const result::Visit done = visit(checked, start_of(checked, default_parameters(checked.benchmark))).visit;
    if (done.outcome == result::Outcome::passed) return passed();
    if (done.outcome == result::Outcome::skipped)
      return not_checked("it cannot run here: " + done.reason.text);
    return failed(text_of(done));
  });
}

CheckVerdict check_declared(const Subject& subject) {
  return each_benchmark(subject, [&](const CheckedBenchmark& checked) {
    const result::Visit done = quick_visit(checked).visit;
    if (has_code(done, {"plugin.undeclared-metric", "plugin.protocol"})) return failed(done.reason.text);
    if (done.outcome != result::Outcome::passed) return did_not_run(done);
    if (has_rates(checked.benchmark) && done.work.empty())
      return failed("it has rates and declared no work for any; call work() in prepare");
    for (const auto& [metric, work] : done.work) {
      const catalog::MetricDeclaration* declared = checked.benchmark.metric(metric);
      if (declared == nullptr || declared->kind == catalog::MetricKind::value ||
          declared->kind == catalog::MetricKind::part)
        return failed("work was declared for '" + metric +
                      "', which is not a rate or duration of the manifest");
    }
    for (const result::Value& value : done.ranks.front().values) {
      const catalog::MetricDeclaration* declared = checked.benchmark.metric(value.metric);
      const bool is_timed = declared != nullptr && (declared->kind == catalog::MetricKind::rate ||
                                                    declared->kind == catalog::MetricKind::duration);
      if (is_timed)
        return failed("value() was called for '" + value.metric +
                      "', which the manifest declares as a rate or a duration: that comes from work() and "
                      "the time, and this number is left out; declare a metric of kind 'value' for it");
      if (declared != nullptr && static_cast<std::size_t>(declared->dimensions) != value.indices.size()) {
        return failed("'" + value.metric + "' was recorded with " + std::to_string(value.indices.size()) +
                      " indices, the manifest says " + std::to_string(declared->dimensions));
      }
    }
    return passed();
  });
}

CheckVerdict check_finite(const Subject& subject) {
  return each_benchmark(subject, [&](const CheckedBenchmark& checked) {
    const result::Visit done = quick_visit(checked).visit;
    if (has_code(done, {"plugin.non-finite", "plugin.bad-time", "guard.device-above-host"}))
      return failed(done.reason.text);
    if (done.outcome != result::Outcome::passed) return did_not_run(done);
    const result::Series& series = done.ranks.front().series;
    for (std::size_t i = 0; i < std::min(series.device_s.size(), series.host_s.size()); ++i) {
      if (series.device_s[i] > series.host_s[i] * kClockTolerance + 2 * done.measurement.tick_s) {
        return failed("sample " + std::to_string(i + 1) + " took " + shortest(series.device_s[i]) +
                      " s by the device's clock and " + shortest(series.host_s[i]) + " s by the host's");
      }
    }
    return passed();
  });
}

CheckVerdict check_conditions(const Subject& subject) {
  return each_benchmark(subject, [&](const CheckedBenchmark& checked) {
    const Json parameters = quick_parameters(checked);
    std::size_t tried = 0;
    for (const auto& [condition, values] : checked.benchmark.conditions) {
      for (const std::string& value : values) {
        wire::StartVisit start = start_of(checked, parameters);
        if (condition == "thermal") continue;  // the host's loop carries it out
        model::set_value(start.measure, *model::find_measure_key(condition), value);
        subject.enter(condition + ": " + value);
        const result::Visit done = visit(checked, start).visit;
        ++tried;
        if (done.outcome != result::Outcome::passed)
          return failed("it says that it supports " + condition + ": " + value + ", and then " +
                        text_of(done));
        const std::uint32_t bits = done.measurement.done;
        const bool lies = (value == "cold" && (bits & (model::kFlushed | model::kRotated)) == 0) ||
                          (value == "rotating" && (bits & model::kRotated) == 0) ||
                          (value == "gated" && (bits & model::kGated) == 0) ||
                          (value == "graph" && (bits & model::kGraph) == 0) ||
                          (value == "hot" && (bits & model::kHot) == 0);
        if (subject.rank().any(lies))
          return failed("it was asked for " + condition + ": " + value +
                        ", and its samples do not say that this was done");
      }
    }
    return tried == 0 ? skipped("it supports no condition") : passed(std::to_string(tried) + " conditions");
  });
}

CheckVerdict check_proportional(const Subject& subject) {
  return each_benchmark(subject, [&](const CheckedBenchmark& checked) {
    bool lied = false;
    for (int timing = 0; timing < kTimings; ++timing) {
      const result::Visit done = quick_visit(checked).visit;
      if (has_code(done, {"guard.time-not-proportional"})) {
        if (std::exchange(lied, true)) return failed(done.reason.text);
        continue;  // only a fault that shows twice is reported to a vendor
      }
      if (done.outcome != result::Outcome::passed) return did_not_run(done);
      const std::vector<std::string>& flags = done.measurement.flags;
      const auto has = [&](const char* flag) { return contains(flags, flag); };
      // A visit passes, too, if readings were too uneven to prove anything.
      if (has("uneven_time")) continue;
      if (has("proportion_untested"))
        return skipped("its samples are too long to take twice as many iterations in a quick visit");
      if (const double ratio = done.measurement.n_ratio; ratio > 0)
        return passed("2n iterations take " + shortest(std::round(ratio * 100) / 100) +
                      " times as long as n");
      return skipped("it cannot run twice as many iterations in one sample");
    }
    return not_checked("other programs disturbed every reading; check it where nothing else runs");
  });
}

CheckVerdict check_repeatable(const Subject& subject) {
  return each_benchmark(subject, [&](const CheckedBenchmark& checked) {
    const Json parameters = quick_parameters(checked);
    double fastest = std::numeric_limits<double>::infinity(), slowest = 0;
    result::Visit first;
    for (int run = 0; run < kRuns; ++run) {
      subject.enter("run " + std::to_string(run + 1) + " of " + std::to_string(kRuns));
      const result::Visit done = visit(checked, start_of(checked, parameters)).visit;
      if (done.outcome != result::Outcome::passed) {
        if (run == 0) return did_not_run(done);
        return failed("run " + std::to_string(run + 1) + " in the same process: " + text_of(done));
      }
      if (run == 0) first = done;
      if (subject.rank().any(done.work != first.work))
        return failed("run " + std::to_string(run + 1) + " declares other work than the first");
      const result::Series& series = done.ranks.front().series;
      const double time_s =
          mean_of(series.device_s) / static_cast<double>(std::max<std::uint64_t>(series.iterations, 1));
      fastest = std::min(fastest, time_s);
      slowest = std::max(slowest, time_s);
    }
    return passed(std::to_string(kRuns) + " runs, spread " +
                  percent(slowest > 0 ? (slowest - fastest) / slowest : 0));
  });
}

CheckVerdict check_verified(const Subject& subject) {
  return each_benchmark(subject, [&](const CheckedBenchmark& checked) {
    if (!has_rates(checked.benchmark)) return skipped("it has no rate");
    const result::Visit done = quick_visit(checked).visit;
    if (done.outcome != result::Outcome::passed) return did_not_run(done);
    const auto& verifications = done.ranks.front().verifications;
    if (verifications.empty()) return failed("it verifies nothing, so none of its rates is published");
    for (const result::Verification& seen : verifications) {
      if (seen.checked == 0)
        return failed("verify(" + seen.phase + ") compared nothing, so none of its rates is published");
    }
    return passed(std::to_string(verifications.front().checked) + " values, " +
                  (verifications.front().method.empty() ? "method not named" : verifications.front().method));
  });
}

CheckVerdict check_cancel(const Subject& subject) {
  return each_benchmark(subject, [&](const CheckedBenchmark& checked) {
    wire::StartVisit start = start_of(checked, quick_parameters(checked));
    start.measure.samples = 0;
    start.measure.hold_s = start.measure.max_time_s = 30;
    worker::Interruption interruption(subject.rank().group());
    // The cancel goes to one rank; the others learn of it from the segment.
    std::optional<Canceller> canceller;
    if (subject.rank().number() == 0) canceller.emplace(interruption);
    subject.enter("a visit that is cancelled");
    const result::Visit done = visit(checked, start, interruption).visit;
    const std::int64_t end_ns = monotonic_ns();
    if (canceller) canceller->finish();
    const std::int64_t cancelled_ns = canceller ? canceller->at_ns() : 0;
    if (!subject.rank().any(cancelled_ns != 0)) {
      if (done.outcome != result::Outcome::passed) return did_not_run(done);
      return skipped("it was over before it could be cancelled; its clock is " + done.measurement.clock);
    }
    if (done.outcome != result::Outcome::cancelled && done.outcome != result::Outcome::passed) {
      return failed("a cancelled visit ended as " + text_of(done));
    }
    if (!canceller) return passed();  // the visit ends for all ranks together
    const double took_s = static_cast<double>(end_ns - cancelled_ns) * 1e-9;
    const std::string took = shortest(std::round(took_s * 1e3) / 1e3) + " s";
    if (took_s > kCancelLimit_s)
      return failed("it ended " + took + " after the cancel; a run sends SIGTERM after 2 s");
    return passed("within " + took);
  });
}

}  // namespace assay::check
