// SPDX-License-Identifier: Apache-2.0
#include "csv/csv.hpp"

#include "lib/stable_name.hpp"
#include "lib/text.hpp"

#include <optional>
#include <vector>

namespace assay::reporters {
namespace {

constexpr const char* kColumns =
    "run,suite,case,benchmark,backend,device,parameters,outcome,reason,metric,index,unit,direction,statistic,headline,value,low,"
    "high,level,interval,rounds,samples,verdict,reference,change,change_low,change_high,change_verdict,of_peak,flags\n";

std::string number_field(std::optional<double> value) { return value ? shortest(*value) : std::string(); }

std::string pairs_text(const Case& one) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : scalars(one.parameters)) parts.push_back(name + "=" + value);
  return join(parts, ";");
}

std::string codes_text(const Case& one) {
  std::vector<std::string> codes;
  for (const Flag& flag : one.flags) codes.push_back(flag.code);
  return join(codes, ";");
}

// What the suite's limits on this metric came to, the worst of several.
std::string verdict_of(const Case& one, const Metric& metric) {
  std::string out;
  for (const Expectation& expectation : one.expectations) {
    if (!asks_of(expectation, metric.name)) continue;
    if (out.empty() || out == "passed" || expectation.status == ExpectationStatus::failed)
      out = to_text(expectation.status);
  }
  return out;
}

class CsvWriter {
 public:
  std::string write(const Document& document) {
    out_ = kColumns;
    for (const Case& one : document.cases) {
      if (one.metrics.empty()) row(document.run, one, nullptr);
      for (const Metric& metric : one.metrics) row(document.run, one, &metric);
    }
    return std::move(out_);
  }

 private:
  void add(const std::string& field) {
    if (!first_) out_ += ',';
    first_ = false;
    out_ += field;
  }
  void text(std::string_view field) { add(csv_text(field)); }
  void number(std::optional<double> value) { add(number_field(value)); }

  void row(const Run& run, const Case& one, const Metric* metric) {
    first_ = true;
    text(run.id);
    text(run.suite);
    text(stable_name(one));
    text(one.benchmark);
    text(one.backend);
    text(devices_text(one));
    text(pairs_text(one));
    text(to_text(one.outcome));
    text(one.reason ? one.reason->code : std::string());
    metric_fields(one, metric);
    text(codes_text(one));
    out_ += '\n';
  }

  void metric_fields(const Case& one, const Metric* metric) {
    static const Metric kNone;
    const bool any = metric != nullptr;
    const Metric& shown = any ? *metric : kNone;
    text(shown.name);
    text(index_text(shown));
    text(any ? shown.unit.base : std::string());
    text(shown.direction);
    text(shown.statistic);
    add(!any ? "" : shown.headline ? "true" : "false");
    number(shown.value);
    const auto& interval = shown.interval;
    number(interval ? std::optional(interval->low) : std::nullopt);
    number(interval ? std::optional(interval->high) : std::nullopt);
    number(interval ? std::optional(interval->level) : std::nullopt);
    text(interval ? interval->kind : shown.no_interval ? shown.no_interval->code : std::string());
    add(any ? std::to_string(shown.rounds.size()) : "");
    add(any ? std::to_string(shown.n) : "");
    text(any ? verdict_of(one, shown) : std::string());
    const auto& delta = shown.delta;
    text(delta ? delta->reference : std::string());
    number(delta ? delta->ratio : std::nullopt);
    const std::optional<Bounds> bounds = delta ? known(delta->bounds) : std::nullopt;
    number(bounds ? std::optional(bounds->low) : std::nullopt);
    number(bounds ? std::optional(bounds->high) : std::nullopt);
    text(delta ? std::string(to_text(delta->verdict)) : std::string());
    number(shown.peak ? shown.peak->share : std::nullopt);
  }

  std::string out_;
  bool first_ = true;
};

}  // namespace

std::string csv_text(std::string_view text) {
  std::string flat = one_line(text);
  if (!flat.empty() && std::string_view("=+-@").find(flat.front()) != std::string_view::npos)
    flat.insert(0, 1, '\'');
  if (flat.find_first_of(",\"") == std::string::npos) return flat;
  std::string out = "\"";
  for (const char c : flat) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string render_csv(const Document& document) { return CsvWriter().write(document); }

}  // namespace assay::reporters
