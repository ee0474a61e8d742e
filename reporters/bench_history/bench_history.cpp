// SPDX-License-Identifier: Apache-2.0
#include "bench_history/bench_history.hpp"

#include "lib/numbers.hpp"
#include "lib/stable_name.hpp"
#include "lib/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace assay::reporters {
namespace {

void refuse_what_is_no_baseline(const Run& run) {
  const char* why = run.mode.quick                             ? "was made with --quick"
                    : run.mode.wrap && !run.mode.wrap->empty() ? "was made under --wrap"
                    : run.mode.simulated                       ? "was simulated"
                                                               : nullptr;
  if (why == nullptr) return;
  throw NoHistory(fmt::format(
      "this run {}, and a history would compare the next run with it; run the suite without that", why));
}

std::vector<const Metric*> shown_metrics(const Case& one) {
  std::vector<const Metric*> out;
  for (const Metric& metric : one.metrics)
    if (metric.headline && metric.value && metric.indices.empty()) out.push_back(&metric);
  const Metric* headline = one.headline();
  if (out.empty() && headline != nullptr && headline->value) out.push_back(headline);
  out.erase(std::remove_if(out.begin(), out.end(),
                           [](const Metric* metric) {
                             return metric->direction != "higher" && metric->direction != "lower";
                           }),
            out.end());
  return out;
}

// One unit for all runs: a unit that changed with the magnitude would look like a step.
Json entry_of(const Case& one, const std::string& name, const Metric& metric) {
  Json out = Json::object();
  out["name"] = name + " " + one_line(metric.name);
  out["unit"] = one_line(metric.unit.base);
  out["value"] = *metric.value;
  if (metric.interval) out["range"] = "± " + shortest(metric.interval->half_width());
  std::vector<std::string> extra;
  if (metric.interval) {
    extra.push_back(fmt::format("{:.0f} % interval [{}, {}]", metric.interval->level * 100,
                                shortest(metric.interval->low), shortest(metric.interval->high)));
  }
  if (!metric.rounds.empty()) extra.push_back(count_of(metric.rounds.size(), "round"));
  if (one.outcome != Outcome::passed) extra.push_back(outcome_text(one.outcome));
  for (const Flag& flag : one.flags)
    if (!is_note(flag)) extra.push_back("flag " + one_line(flag.code));
  if (!extra.empty()) out["extra"] = join(extra, "\n");
  return out;
}

}  // namespace

BenchHistory render_bench_history(const Document& document) {
  refuse_what_is_no_baseline(document.run);
  Json bencher = Json::object(), bigger = Json::array(), smaller = Json::array();
  const std::vector<std::string> names = unique_names(document);
  for (std::size_t i = 0; i < document.cases.size(); ++i) {
    const Case& one = document.cases[i];
    if (!one.has_values() || (one.outcome != Outcome::passed && one.outcome != Outcome::failed)) continue;
    for (const Metric* metric : shown_metrics(one)) {
      Json measure = Json::object();
      measure["value"] = *metric->value;
      if (metric->interval) {
        measure["lower_value"] = metric->interval->low;
        measure["upper_value"] = metric->interval->high;
      }
      bencher[names[i]][one_line(metric->name)] = std::move(measure);
      (metric->direction == "higher" ? bigger : smaller).push_back(entry_of(one, names[i], *metric));
    }
  }
  BenchHistory out{bencher.dump(1) + "\n", {}};
  if (!bigger.empty()) out.beside.emplace_back("bench-history.bigger.json", bigger.dump(1) + "\n");
  if (!smaller.empty()) out.beside.emplace_back("bench-history.smaller.json", smaller.dump(1) + "\n");
  return out;
}

}  // namespace assay::reporters
