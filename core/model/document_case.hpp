// SPDX-License-Identifier: Apache-2.0
//
// A case of the result document. How it stands in JSON: document_case_fields.hpp.
#pragma once

#include "base/diagnostics.hpp"
#include "base/json.hpp"
#include "model/document_timeline.hpp"
#include "model/vocabulary.hpp"
#include "text/lookup.hpp"
#include "text/quantity_text.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay {

// {"file", "line", "column"}, or null if unknown.
inline bool is_absent(const Position& position) { return !position.known() && position.file.empty(); }

namespace model {

template <class T>
using Pairs = std::vector<std::pair<std::string, T>>;

// A row of a matrix, or what it puts in one.
struct Axis {
  std::string name;  // "dtype", "env.NCCL_ALGO", "device"
  std::string text;  // as identifiers show it: "bf16", "64MiB", "~"
  Json value = "";   // in base units; null for ~
};

struct Placement {
  int ranks = 1;
  std::vector<std::string> devices;
  std::string bind, load;
  int nodes = 0;
};

struct Reason {
  std::string code, text, phase;
  int rank = -1;
  std::string device, domain;
  std::int64_t number = 0;
  Position position;
};

struct Bounds {
  double low = 0, high = 0;
  [[nodiscard]] double half_width() const { return (high - low) / 2; }
};
// Nothing if an end is unknown.
[[nodiscard]] inline std::optional<Bounds> known(const Bounds& bounds) {
  return bounds.low <= bounds.high ? std::optional(bounds) : std::nullopt;
}

struct Interval {
  double low = 0, high = 0, level = 0.95;
  std::string kind{};
  [[nodiscard]] double half_width() const { return (high - low) / 2; }
};

// Why a metric has no interval: a code that `assay explain` knows, and a sentence.
struct NoInterval {
  std::string code, text;
};

struct Spread {
  double minimum = 0, p5 = 0, p95 = 0, maximum = 0;
};

struct Peak {
  double value = 0;
  std::optional<double> share;
  std::string name, source;
  std::optional<Bounds> interval{};
};

struct Delta {
  std::string reference;
  std::optional<double> ratio;
  Bounds bounds = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
  DeltaVerdict verdict = DeltaVerdict::other;
};

struct Metric {
  std::string name;
  UnitText unit = "";
  std::string direction, kind;
  bool headline = false;
  std::vector<std::uint64_t> indices;
  std::string statistic;
  std::optional<double> value;
  std::uint64_t n = 0;
  std::optional<double> mean;
  std::vector<double> rounds, whole;
  std::optional<Interval> interval;
  std::optional<NoInterval> no_interval;
  std::optional<Bounds> verdict_interval;
  std::optional<Spread> spread;
  std::string counting, flow, mechanism;
  std::optional<Peak> peak;
  std::optional<Delta> delta;
};

// What of a sample does not grow with its iterations: 2 T(n) - T(2n).
struct FixedCost {
  double value = 0;
  std::string unit = "s";
  Interval interval;
  double share = 0;
};

struct Measurement {
  std::uint64_t samples = 0, iterations_per_sample = 0, warmup_iterations = 0;
  std::optional<double> warmup_s;
  std::string stop;
  std::optional<double> autocorrelation_time, effective_samples;
  std::string clock;
  std::optional<double> tick_s;
  std::vector<std::string> done;
  std::optional<FixedCost> fixed_cost;
};

// Of single iterations, in seconds, with the interval that limits on it are judged by. No `high`: too little was seen beyond the value.
struct Percentile {
  double share = 0, value = 0, low = 0;
  std::optional<double> high;
};

// Of an iteration, in seconds.
struct TimeSummary {
  double median = 0, mean = 0, minimum = 0, p5 = 0, p25 = 0, p75 = 0, p95 = 0;
  std::optional<double> p99;  // of at least 500
  double maximum = 0, mad = 0, stdev = 0, first = 0;
  std::vector<Percentile> tail{};  // of at least 500 iterations that were timed one by one
};

struct Verification {
  bool verified = false;
  std::string method;
  bool exact = false;
  std::uint64_t checked = 0, wrong = 0;
  std::optional<double> largest_error, tolerance;
};

struct Flag {
  std::string code, text, severity{};
};
// The flag with this code, or nullptr.
template <class Flags>
[[nodiscard]] auto* find_flag(Flags& flags, std::string_view code) {
  return find_in(flags, [&](const Flag& flag) { return flag.code == code; });
}

struct Check {
  std::string name, subject;
  bool passed = false;
  std::string text;
  friend bool operator==(const Check&, const Check&) = default;
};

struct Expectation {
  std::string text;
  ExpectationStatus status = ExpectationStatus::other;
  Json value;  // a text where texts are compared
  UnitText unit = "";
  Json limit;
  std::string op, say, why;
  Position position;
  std::optional<bool> post_hoc;
};

struct Rank {
  int rank = 0;
  std::vector<std::string> devices;
  std::optional<double> median_s, share_slowest;
};

struct StartSkew {
  std::optional<double> median, maximum;
};

// How several ranks went together.
struct RankComparison {
  std::optional<double> mean_over_ranks_s;
  std::optional<StartSkew> start_skew_s;
};

struct Telemetry {
  std::string device, quantity, unit, kind;
  std::optional<double> minimum, mean, maximum;
  std::optional<double> added;  // of a counter only; not finite where it is unknown
  std::string during;
};

struct Throttled {
  std::string device, reason;
  std::optional<double> share;
};

struct Samples {
  std::uint64_t iterations = 0;
  std::vector<double> time_s;
  bool thinned = false;
};

struct Visit {
  int round = 1, attempt = 1;
  Outcome outcome = Outcome::other;
  std::optional<double> duration_s, value;
};

// What was measured and is not published.
struct UnpublishedMetric {
  std::string name, unit;
  std::vector<std::uint64_t> indices;
  std::optional<double> value;
  std::uint64_t n = 0;
};

struct Unpublished {
  std::string why;
  std::vector<UnpublishedMetric> metrics;
};

// The metric that every case has: how long an iteration took.
inline constexpr const char* kTime = "time";
// What Assay makes of a counter of energy and of a case's samples.
inline constexpr const char* kEnergyPerIteration = "energy_per_iteration";

struct Case {
  Case();
  Case(const Case&);
  Case(Case&&) noexcept;
  Case& operator=(const Case&);
  Case& operator=(Case&&) noexcept;
  ~Case();

  std::string id, name, benchmark, backend, plugin;
  std::vector<Axis> axes;
  std::string comparison_key, reference;
  bool is_reference = false;
  std::optional<std::uint64_t> revision, looks;
  Json parameters = Json::object();
  std::vector<std::string> command;
  Pairs<std::string> units, written;
  std::vector<std::string> defaults;
  Pairs<std::optional<std::string>> environment;
  Placement placement;
  Json conditions = Json::object();
  Position position;
  Outcome outcome = Outcome::other;
  std::optional<Reason> reason;
  std::optional<double> duration_s;
  std::vector<Metric> metrics;
  std::optional<Measurement> measurement;
  std::optional<TimeSummary> time;
  std::optional<Verification> verification;
  std::vector<Flag> flags;
  Pairs<std::string> facts;
  std::vector<Check> checks;
  std::vector<Expectation> expectations;
  std::vector<Rank> ranks;
  std::optional<RankComparison> team;
  std::vector<Telemetry> telemetry;
  std::string telemetry_problem;
  std::vector<Throttled> throttle;
  std::optional<Samples> samples;
  std::optional<Timeline> timeline;
  std::vector<Visit> visits;
  std::string log;
  Json diagnostics;  // Unpublished, or what other versions wrote; or null
  std::string reproduce;

  // The first headline; time, where the case has none. Null if that is not one value, of a matrix say.
  [[nodiscard]] const Metric* headline() const;
  [[nodiscard]] bool has_values() const;  // it has a result, with a headline or without
  [[nodiscard]] bool undecided() const;   // any expectation
  [[nodiscard]] const Axis* axis(std::string_view name) const;
};

}  // namespace model
}  // namespace assay
