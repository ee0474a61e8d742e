// SPDX-License-Identifier: Apache-2.0
//
// One visit as it was measured: what `run` writes to the journal and `judge` reads. Samples, no conclusions.
#pragma once

#include "base/json.hpp"
#include "model/processor_use.hpp"
#include "result/outcome.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace assay::result {

// Why an outcome is not `passed`: the first cause.
struct Reason {
  // Stable, from the table in result/reasons.hpp: "worker.signal", "plugin.error", "verify.wrong".
  std::string code;
  std::string text;    // one sentence
  std::string domain;  // of the plugin's own code: "errno", "cuda"; may be empty
  std::int64_t number = 0;
  std::string phase;   // create, probe, prepare, traits, verify, calibrate, warmup, sample, release; or empty
  int rank = -1;       // -1: not attributed to one rank
  std::string device;  // "cuda:1" or empty
  std::string parameter;  // the parameter that the plugin refused, or empty
};

// Times of one rank's samples. All arrays but laps_s have one entry per sample.
struct Series {
  std::uint64_t iterations = 0;  // per sample
  std::vector<double> device_s;  // per sample, for all its iterations
  std::vector<double> host_s;
  std::vector<double> begin_s;  // since rank 0's first sample, by the host's clock
  std::vector<double> laps_s;   // samples × iterations if the plugin gives laps, else empty
};

struct Value {
  std::string metric;
  std::vector<std::uint32_t> indices;
  double value = 0;
};

struct Check {
  std::string name;
  std::string subject;
  bool passed = false;
  std::string text;
};

struct Span {
  std::string track;
  std::string name;
  std::int64_t begin_ns = 0;  // by the host's monotonic clock
  std::int64_t end_ns = 0;
  std::uint64_t iteration = 0;  // of the traced sample
};

struct Verification {
  std::string phase;  // before, after, last
  std::string method;
  bool exact = false;
  std::uint64_t checked = 0;
  std::uint64_t wrong = 0;
  double largest_error = 0;
  double tolerance = 0;
};

struct RankRecord {
  int rank = 0;
  std::vector<std::string> devices;
  Series series;
  std::vector<Value> values;
  std::map<std::string, std::string> facts;
  std::vector<Check> checks;
  std::vector<Span> spans;
  std::vector<Verification> verifications;
  std::string log;  // tail of what it wrote and logged
};

// Among a measurement's flags: the plugin says that its ranks do different work in an iteration.
inline constexpr const char* kUnlikeRanks = "unlike_ranks";

// What the loop found out while it measured; the statistics of record are the judge's.
struct Measurement {
  std::string clock;  // host, device, simulated
  double tick_s = 0;
  std::uint64_t calibrated_n = 0;  // iterations per sample
  std::uint64_t warmup_iterations = 0;
  double warmup_s = 0;
  std::string stop;  // converged, resolution_limited, samples, max_samples, max_time, held, cancelled, error
  std::uint32_t done = 0;  // bits: model::kGated and so on that all samples have
  std::uint32_t launches_per_iteration = 0;
  // Codes that the loop raises: warmup_capped, resolution_limited, done_differs, …
  std::vector<std::string> flags;
  // By flag, what raised it in this visit, if its code does not say so.
  std::map<std::string, std::string> told;
  double n_ratio = 0;                   // time of 2n over time of n while calibrating; 0 if not tested
  std::vector<double> once_s, twice_s;  // of a sample's n iterations and of 2n, in turn, of the slowest rank
  bool judged = true;                   // false under --wrap
  double first_sample_at_s = 0;         // unix time of rank 0's; 0: there is none, or its clock is simulated
};

struct Reading {
  double at_s = 0;  // unix time
  std::string device;
  std::string quantity;
  double value = 0;
};

struct ThrottleReason {
  double at_s = 0;
  std::string device;
  std::string reason;
};

// Another run of assay that might use the same processors.
struct OtherRun {
  int pid = 0;
  std::string suite;
  double since_s = 0;  // unix time

  friend bool operator==(const OtherRun&, const OtherRun&) = default;
};

struct Visit {
  std::string case_id;
  int round = 1;    // from 1
  int attempt = 1;  // from 1
  Outcome outcome = Outcome::not_run;
  Reason reason;            // empty code when passed
  double started_at_s = 0;  // unix time
  double duration_s = 0;
  Measurement measurement;
  // Work per iteration, by rate metric; equal on all ranks, summed over them by judge.
  std::map<std::string, double> work;
  std::vector<RankRecord> ranks;
  std::vector<Reading> telemetry;
  std::vector<ThrottleReason> throttle;
  model::ProcessorUse processors;  // of those that the case may use; nothing available: not known
  std::vector<OtherRun> beside;    // that measured meanwhile
  std::string telemetry_problem;   // why readings are missing or were refused, or empty
  std::vector<std::string> notes;  // "worker replaced after signal 11", for the log

  // Raises a flag, with what of this visit raised it, which is a note as well.
  void raise(const std::string& flag, std::string why);
};

// Whether the moment (unix time) lies between the begin of rank 0's first sample and the end of its last one.
[[nodiscard]] bool is_during_samples(const Visit& visit, double at_s);

// Non-finite numbers become null and are read back as NaN. A time series alone is what interim samples on the
// wire are.
[[nodiscard]] Json to_json(const Series& series);
[[nodiscard]] Series series_from_json(const Json& json);
[[nodiscard]] Json to_json(const Visit& visit);
// Throws Error "journal.malformed" with the key that is missing or of the wrong type; ignores unknown keys.
[[nodiscard]] Visit visit_from_json(const Json& json);

}  // namespace assay::result
