// SPDX-License-Identifier: Apache-2.0
#include "gbench/gbench.hpp"

#include "lib/stable_name.hpp"
#include "lib/text.hpp"
#include "lib/wording.hpp"
#include "text/lookup.hpp"

#include <cstddef>
#include <set>
#include <string_view>

namespace assay::reporters {
namespace {

constexpr double kNs = 1e9;  // the format's unit of time; compare.py compares what has the same one only

// Keys that the format has taken; a metric of such a name gets "metric." in front.
const std::set<std::string_view>& taken_keys() {
  static const std::set<std::string_view> kKeys{
      "name",           "family_index",   "per_family_instance_index",
      "run_name",       "run_type",       "repetitions",
      "threads",        "iterations",     "repetition_index",
      "real_time",      "cpu_time",       "time_unit",
      "aggregate_name", "aggregate_unit", "error_occurred",
      "error_message",  "label",          "skipped"};
  return kKeys;
}

const Metric* time_of(const Case& one) {
  return find_in(one.metrics, [](const Metric& metric) {
    return metric.name == kTime && metric.indices.empty() && metric.value;
  });
}

class Benchmarks {
 public:
  Json write(const Document& document) {
    const std::vector<std::string> names = unique_names(document);
    for (std::size_t i = 0; i < document.cases.size(); ++i) {
      family_ = i;
      name_ = names[i];
      write_case(document.cases[i]);
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] Json entry(const std::string& suffix) const {
    Json out = Json::object();
    out["name"] = name_ + suffix;
    out["family_index"] = family_;
    out["per_family_instance_index"] = 0;
    out["run_name"] = name_;
    return out;
  }

  void write_case(const Case& one) {
    const Metric* time = time_of(one);
    const std::optional<double> median = time != nullptr                ? time->value
                                         : one.time && one.has_values() ? std::optional(one.time->median)
                                                                        : std::nullopt;
    if (!median || !one.has_values()) {
      without_result(one);
      return;
    }
    const std::size_t rounds = time != nullptr ? time->rounds.size() : 0;
    for (std::size_t i = 0; i < rounds; ++i) {
      Json out = entry("");
      out["run_type"] = "iteration";
      out["repetitions"] = rounds;
      out["repetition_index"] = i;
      times(out, one, time->rounds[i]);
      for (const Metric& metric : one.metrics)
        if (metric.rounds.size() == rounds) counter(out, metric, "", metric.rounds[i]);
      out_.push_back(std::move(out));
    }
    if (rounds == 0) {
      Json out = entry("");
      out["run_type"] = "iteration";
      out["repetitions"] = 1;
      out["repetition_index"] = 0;
      times(out, one, *median);
      counters(out, one);
      out_.push_back(std::move(out));
    } else {
      aggregate(one, *median, rounds);
    }
  }

  // What is published of the case, with its interval.
  void aggregate(const Case& one, double median, std::size_t rounds) {
    Json out = entry("_median");
    out["run_type"] = "aggregate";
    out["repetitions"] = rounds;
    out["aggregate_name"] = "median";
    out["aggregate_unit"] = "time";
    times(out, one, median);
    counters(out, one);
    out_.push_back(std::move(out));
  }

  static void times(Json& out, const Case& one, double seconds) {
    out["threads"] = one.placement.ranks;
    out["iterations"] =
        one.measurement ? one.measurement->iterations_per_sample * one.measurement->samples : 1;
    out["real_time"] = seconds * kNs;
    // The time of a processor is not measured; readers refuse a file without it.
    out["cpu_time"] = seconds * kNs;
    out["time_unit"] = "ns";
    if (one.outcome != Outcome::passed)
      out["label"] =
          outcome_text(one.outcome) + (one.reason ? ": " + one_line(one.reason->text) : std::string());
  }

  static void counter(Json& out, const Metric& metric, const char* suffix, double value) {
    if (metric.name == kTime && metric.indices.empty() && *suffix == '\0') return;
    std::string key = one_line(metric.name) + index_text(metric) + suffix;
    if (taken_keys().count(key) > 0) key = "metric." + key;
    out[key] = value;
  }

  static void counters(Json& out, const Case& one) {
    for (const Metric& metric : one.metrics) {
      if (!metric.value) continue;
      counter(out, metric, "", *metric.value);
      if (!metric.interval) continue;
      counter(out, metric, ".low", metric.interval->low);
      counter(out, metric, ".high", metric.interval->high);
    }
  }

  // An aggregate, so that compare.py, which needs a time of everything else, passes over it.
  void without_result(const Case& one) {
    Json out = entry("");
    out["run_type"] = "aggregate";
    out["aggregate_name"] = "none";
    out["error_occurred"] = true;
    out["error_message"] =
        outcome_text(one.outcome) + (one.reason ? ": " + one_line(one.reason->text) : std::string());
    out_.push_back(std::move(out));
  }

  Json out_ = Json::array();
  std::size_t family_ = 0;
  std::string name_;
};

}  // namespace

std::string render_gbench(const Document& document) {
  const Run& run = document.run;
  Json context = Json::object();
  context["date"] = run.started_at;
  context["host_name"] = scalar(run.host, "hostname");
  context["executable"] = "assay";
  context["num_cpus"] = model::host_of(run).threads;
  context["mhz_per_cpu"] = 0;
  context["cpu_scaling_enabled"] = false;
  context["caches"] = Json::array();  // read by Bencher, which refuses a file without it
  context["load_avg"] = Json::array();
  context["library_version"] = "assay " + scalar(run.tool, "version");
  context["library_build_type"] = "release";
  context["json_schema_version"] = 1;
  context["assay.suite"] = one_line(run.suite);
  context["assay.run"] = run.id;
  context["assay.outcome"] = to_text(document.verdict.outcome);
  context["assay.exit_code"] = document.verdict.exit_code;
  std::vector<std::string> notes = run_notes(document);
  if (!notes.empty()) context["assay.notes"] = join(notes, "; ");
  Json out = Json::object();
  out["context"] = std::move(context);
  out["benchmarks"] = Benchmarks().write(document);
  return out.dump(1) + "\n";
}

}  // namespace assay::reporters
