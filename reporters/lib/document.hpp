// SPDX-License-Identifier: Apache-2.0
//
// The result document as reporters read it (docs/reference/result.md): typed, every text clean, what is
// missing or of another type at its default. Unknown keys are ignored, so that a reporter reads documents of
// later minor versions.
#pragma once

#include "lib/numbers.hpp"

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::reporters {

// The text is no result document; what() says why.
class Unreadable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Place {
  std::string file;
  int line = 0, column = 0;  // 0: unknown

  // "a.yaml:12:7", "a.yaml", or "".
  [[nodiscard]] std::string text() const;
};

struct Bounds {
  double low = 0, high = 0;

  [[nodiscard]] double half_width() const { return (high - low) / 2; }
};

// How a case, a group check or a run stands. `other` is a word that a later version added.
// In assay's order, from best to worst, and what a newer document may say.
enum class Outcome { passed, skipped, not_run, cancelled, other, invalid, failed, error, timeout, crashed };
[[nodiscard]] std::string_view to_text(Outcome outcome);  // for people: "not run"

struct ReasonLine {  // of the verdict
  std::string code, severity, subject, text, next;
  Place place;
};

// Tells devices or pairs of them apart: its text is not the same on another machine.
[[nodiscard]] bool is_device_axis(std::string_view name);

struct Axis {
  std::string name, text;
  bool unset = false;  // the value is null: a variable that is removed
  bool number = false;

  [[nodiscard]] bool is_device() const { return is_device_axis(name); }
};

struct Parameter {
  std::string name;
  std::string text;  // for people, with unit
  std::optional<double> number;
  bool is_default = false;  // the suite left it out
};

struct Peak {
  double value = 0;
  std::optional<double> share;
  std::string name, source;
};

struct Delta {
  std::string reference, verdict;  // verdict: same | better | worse | undecided
  std::optional<double> ratio;
  std::optional<Bounds> bounds;
};

// Why a metric has no interval: a code and a sentence.
struct NoInterval {
  std::string code, text;
};

struct Metric {
  Unit unit;
  std::string name, direction, kind, statistic, counting, flow, mechanism;
  bool headline = false;
  std::vector<std::uint64_t> indices;
  std::optional<double> value;
  std::uint64_t n = 0;
  std::size_t rounds = 0;
  std::optional<Bounds> interval;
  std::string interval_kind;              // within_process | between_process
  std::optional<Bounds> samples;          // 5 % of them are below, 5 % above
  std::optional<NoInterval> no_interval;  // nothing in documents that do not say why
  std::optional<Peak> peak;
  std::optional<Delta> delta;

  [[nodiscard]] std::optional<double> half_width() const;
};

// Of what an interval is that says nothing of another run.
inline constexpr const char* kWithinProcess = "within_process";
// A metric's statistic, and the code of the flag that comes with it: a command's own number.
inline constexpr const char* kReported = "reported";
// The benchmark of a case that runs a command.
inline constexpr const char* kExternal = "external";
// The metric that every case has: how long an iteration took.
inline constexpr const char* kTime = "time";
// A metric's statistic: the suite computes it from others.
inline constexpr const char* kDerived = "derived";

struct Flag {
  std::string code, text;
  bool note = false;  // only to be told: nobody has to act on it, or to doubt the figure
};

struct Check {
  std::string name, subject, text;
  bool passed = false;
};

struct Expectation {
  std::string text, status;
  Unit unit;
  std::string op, say, why;
  std::optional<double> value, limit;
  Place place;

  // A limit on this metric itself, not on something that is computed from it.
  [[nodiscard]] bool is_about(std::string_view metric) const;
};

struct Reason {
  std::string code, text, phase, device;
  int rank = -1;
  Place place;
};

struct Visit {
  int round = 1, attempt = 1;
  Outcome outcome = Outcome::not_run;
};

struct Throttle {
  std::string device, reason;
  std::optional<double> share;
};

struct Rank {
  int rank = 0;
  std::vector<std::string> devices;
  std::optional<double> median_s;
  std::optional<double> share_slowest;
};

// How several ranks went together.
struct Team {
  std::vector<Rank> ranks;
  std::optional<double> mean_over_ranks_s, median_skew_s, largest_skew_s;
};

// One thing that went on during an extra iteration, from its first span's begin.
struct Span {
  std::string name;
  double begin_s = 0, end_s = 0;
  std::optional<std::uint64_t> iteration = std::nullopt;  // of the sample, where it has several
};

struct Track {
  int rank = 0;
  std::string name;
  std::vector<Span> spans;  // by begin
};

struct Timeline {
  std::vector<Track> tracks;
  std::uint64_t left_out = 0;  // later spans that the document does not have
};

struct Case {
  std::string id, name, benchmark, backend, plugin, comparison_key, reference, bind, load, reproduce, log,
      diagnostics;
  bool is_reference = false;
  std::vector<Axis> axes;
  std::vector<Parameter> parameters;
  std::vector<std::pair<std::string, std::optional<std::string>>> environment;  // no text: removed
  std::vector<std::string> devices;
  int ranks = 1;
  std::vector<std::pair<std::string, std::string>> conditions;  // without `seed`
  Place place;
  Outcome outcome = Outcome::not_run;
  std::optional<Reason> reason;
  double duration_s = 0;
  std::vector<Metric> metrics;
  std::optional<bool> verified;  // nothing: unknown
  std::string verification_method;
  std::vector<Flag> flags;
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<Check> checks;
  std::vector<Expectation> expectations;
  std::vector<Throttle> throttle;
  std::vector<Visit> visits;
  std::optional<Timeline> timeline;  // if it was asked for, and the benchmark tells one
  std::optional<Team> team;          // of several ranks that took samples
  bool thinned = false;              // the document has a share of its samples

  // The first headline; time, where the case has none. Null if that is not one value, of a matrix say.
  [[nodiscard]] const Metric* headline() const;
  [[nodiscard]] bool has_values() const;  // it has a result, with a headline or without
  [[nodiscard]] bool undecided() const;   // any expectation
  [[nodiscard]] const Axis* axis(std::string_view name) const;
};

struct Member {
  std::string id, label;
  Unit unit;
  std::optional<double> value;
};

struct Group {
  std::string id, case_name, text, status, op, over, say, why;
  Unit unit;
  Outcome outcome = Outcome::not_run;
  std::vector<std::pair<std::string, std::string>> where;
  std::optional<double> value, limit;
  std::vector<Member> members;
  Place place;
};

struct Operand {
  std::string id, metric;
  Unit unit;
  std::optional<double> value;
};

struct FindingRow {
  std::string label, verdict, why;
  std::optional<double> effect;
  std::optional<Bounds> bounds;
  std::uint64_t n = 0;
  std::uint64_t more_rounds = 0;  // that should decide it; 0 if it is decided, or none would
  Operand left, right;
};

// What left over right is held against: `factor`, within a share of it.
struct Asks {
  std::string op;
  double factor = 1, tolerance = 0;
};

struct Finding {
  std::string id, question, claim, verdict, why, say, act;
  bool asserted = false;  // the suite insists on "confirmed"
  std::optional<double> theta;
  std::optional<Asks> asks;
  std::vector<FindingRow> rows;
  Place place;
};

struct Guard {
  std::string code, severity, subject, text;
};

struct Device {
  std::string name, uuid, model;
  int numa_node = -1;
  std::vector<std::pair<std::string, std::string>> facts;  // scalars only
};

struct Backend {
  std::string name, plugin, unavailable;
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<Device> devices;
};

struct Host {
  std::string hostname, os, kernel, cpu, container, governor, virtualization;
  std::uint64_t cores = 0, threads = 0, sockets = 0;
  double memory_bytes = 0;
  struct Numa {
    int node = 0;
    std::string cpus;
    double memory_bytes = 0;
  };
  std::vector<Numa> numa_nodes;
};

struct Run {
  std::string id, suite, description, suite_file, suite_sha256, started_at, tool_version, tool_commit, wrap,
      interrupted_by;
  struct Include {
    std::string file, text;
  };
  std::string suite_text;  // empty in documents of tools that did not keep it
  std::vector<Include> suite_includes;
  std::vector<std::string> command;
  std::string seed;
  std::uint64_t rounds = 1;
  double duration_s = 0;
  bool quick = false, strict = false, resumed = false, simulated = false;
  std::string failed_of;            // --failed: the id of the run whose cases were measured again
  std::size_t failed_of_cases = 0;  // that it had
  std::string others_unseen;        // why other runs could not be seen; "" if they could
  std::vector<std::string> beside;  // other runs that measured on the same processors meanwhile
  Host host;
  std::vector<Backend> backends;
  std::vector<std::pair<std::string, std::string>> plugins;  // id, version
  std::vector<std::pair<std::string, std::string>> environment;
};

struct Document {
  std::string verdict;  // passed | failed | error | interrupted | unmet | nothing_ran
  int exit_code = 0;
  std::uint64_t undecided = 0;
  std::vector<ReasonLine> reasons;
  std::vector<std::string> devices;  // of an acceptance: "8 GPUs, as PCI, driver, NVML and CUDA know them"
  Run run;
  std::vector<Case> cases;
  std::vector<Group> groups;
  std::vector<Finding> findings;
  std::vector<Guard> guards;

  [[nodiscard]] const Case* find(std::string_view id) const;
};

// Throws Unreadable: not JSON, not an object, or of another major version than 1.
[[nodiscard]] Document read_document(std::string_view json);

}  // namespace assay::reporters
