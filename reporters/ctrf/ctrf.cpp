// SPDX-License-Identifier: Apache-2.0
#include "ctrf/ctrf.hpp"

#include "junit/model.hpp"
#include "lib/epoch.hpp"
#include "lib/stable_name.hpp"
#include "lib/text.hpp"
#include "lib/wording.hpp"

#include <cmath>
#include <cstdint>
#include <map>

namespace assay::reporters {
namespace {

std::int64_t milliseconds(double seconds) {
  return std::isfinite(seconds) && seconds > 0 && seconds < 1e12 ? std::llround(seconds * 1000) : 0;
}

std::string name_or(const std::string& text, const char* fallback) { return text.empty() ? fallback : text; }

Json lines_of(const std::string& text) {
  std::vector<std::string> lines = split(text, '\n');
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

// The format has no place for numbers but `extra`, which it leaves to its writer.
Json metrics_json(const Case& one) {
  Json out = Json::array();
  for (const Metric& metric : one.metrics) {
    if (!metric.value) continue;
    Json each = Json::object();
    each["name"] = one_line(metric.name) + index_text(metric);
    each["value"] = *metric.value;
    each["unit"] = one_line(metric.unit.base);
    if (metric.interval) {
      each["low"] = metric.interval->low;
      each["high"] = metric.interval->high;
      each["level"] = metric.interval->level;
    }
    each["rounds"] = metric.rounds.size();
    out.push_back(std::move(each));
  }
  return out;
}

class CtrfWriter {
 public:
  explicit CtrfWriter(const Document& document) : document_(document) {}

  std::string write() {
    const std::vector<TestSuite> suites = test_suites(document_);
    Json tests = Json::array();
    for (const TestSuite& suite : suites)
      for (const TestCase& one : suite.cases) tests.push_back(test(suite, one));
    for (const char* status : {"passed", "failed", "skipped", "pending", "other"})
      counts_.try_emplace(status, 0);
    Json tool = Json::object();
    tool["name"] = "assay";
    tool["version"] = scalar(document_.run.tool, "version");
    Json results = Json::object();
    results["tool"] = std::move(tool);
    results["summary"] = summary(tests.size(), suites.size());
    results["tests"] = std::move(tests);
    results["environment"] = environment();
    Json out = Json::object();
    out["reportFormat"] = "CTRF";
    out["specVersion"] = "0.0.0";
    out["generatedBy"] = "assay";
    out["results"] = std::move(results);
    return out.dump(1) + "\n";
  }

 private:
  Json summary(std::size_t tests, std::size_t suites) const {
    const Run& run = document_.run;
    const std::int64_t start = epoch_ms(run.started_at).value_or(0);
    const std::int64_t took = milliseconds(run.duration_s.value_or(0));
    Json out = Json::object();
    out["tests"] = tests;
    for (const char* status : {"passed", "failed", "skipped", "pending", "other"})
      out[status] = counts_.at(status);
    out["flaky"] = flaky_;
    out["suites"] = suites;
    out["start"] = start;
    out["stop"] = start + took;
    out["duration"] = took;
    return out;
  }

  // CTRF has one word for what failed; the outcome itself is the raw status.
  Json test(const TestSuite& suite, const TestCase& one) {
    const char* status = one.element == Element::none      ? "passed"
                         : one.element == Element::skipped ? "skipped"
                                                           : "failed";
    ++counts_[status];
    Json out = Json::object();
    out["name"] = name_or(one.name, "unnamed");
    out["status"] = status;
    out["duration"] = milliseconds(one.time_s);
    out["suite"] = Json::array();
    out["suite"].push_back(name_or(suite.name, "suite"));
    if (one.element != Element::none) {
      out["message"] = one.message;
      out["trace"] = one.text;
      out["rawStatus"] = one.type.empty() ? "skipped" : one.type;
    }
    if (!one.position.file.empty()) out["filePath"] = one_line(one.position.file);
    if (one.position.line > 0) out["line"] = one.position.line;
    if (!one.flaky.empty()) {
      out["flaky"] = true;
      ++flaky_;
    }
    if (!one.output.empty()) out["stdout"] = lines_of(one.output);
    if (one.source != nullptr) details(out, *one.source);
    return out;
  }

  static void details(Json& out, const Case& one) {
    out["type"] = "benchmark";
    if (const std::string devices = devices_text(one); !devices.empty()) out["device"] = devices;
    out["parameters"] = one.parameters;
    Json tags = Json::array();
    for (const Flag& flag : one.flags) tags.push_back(one_line(flag.code));
    if (!tags.empty()) out["tags"] = std::move(tags);
    const auto retries = std::count_if(one.visits.begin(), one.visits.end(),
                                       [](const auto& visit) { return visit.attempt > 1; });
    if (retries > 0) out["retries"] = retries;
    Json extra = Json::object();
    extra["outcome"] = to_text(one.outcome);
    extra["undecided"] = one.undecided();
    extra["metrics"] = metrics_json(one);
    out["extra"] = std::move(extra);
  }

  Json environment() const {
    const Run& run = document_.run;
    Json out = Json::object();
    if (const std::string name = scalar(run.host, "kernel"); !name.empty()) out["osRelease"] = name;
    if (const std::string name = scalar(run.host, "os"); !name.empty()) out["osPlatform"] = name;
    Json extra = Json::object();
    extra["run"] = run.id;
    extra["suite"] = one_line(run.suite);
    extra["host"] = scalar(run.host, "hostname");
    extra["outcome"] = to_text(document_.verdict.outcome);
    extra["exit_code"] = document_.verdict.exit_code;
    Json notes = Json::array();
    for (const std::string& note : run_notes(document_)) notes.push_back(note);
    extra["notes"] = std::move(notes);
    out["extra"] = std::move(extra);
    return out;
  }

  const Document& document_;
  std::map<std::string, std::size_t> counts_;
  std::size_t flaky_ = 0;
};

}  // namespace

std::string render_ctrf(const Document& document) { return CtrfWriter(document).write(); }

}  // namespace assay::reporters
