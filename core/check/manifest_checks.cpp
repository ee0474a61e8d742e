// SPDX-License-Identifier: Apache-2.0
#include "base/pattern.hpp"
#include "catalog/contract.hpp"
#include "check/checks.hpp"
#include "text/text.hpp"

namespace assay::check {
namespace {

// Semantic Versioning 2.0.0, without its rules about leading zeros.
bool is_version(const std::string& text) {
  static const Pattern form(R"(\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?)");
  return text.size() < 200 && form.matches(text);
}

void look_at(const catalog::MetricDeclaration& metric, const std::string& of,
             std::vector<std::string>& missing) {
  const std::string what = of + " metric '" + metric.name + "'";
  if (metric.kind == catalog::MetricKind::rate) {
    if (!metric.unit.ends_with("/s"))
      missing.push_back(what + ": a rate's unit ends with '/s', and this is '" + metric.unit + "'");
    if (metric.counting.empty()) missing.push_back(what + ": what counts as work (counting)");
    if (metric.mechanism.empty()) missing.push_back(what + ": what does the work (mechanism)");
  } else if (metric.summary.empty()) {
    missing.push_back(what + ": summary");
  }
  if (metric.kind == catalog::MetricKind::duration && metric.unit != "s")
    missing.push_back(what + ": a duration's unit is 's', and this is '" + metric.unit + "'");
  if (metric.kind == catalog::MetricKind::rate && metric.direction == catalog::Direction::none)
    missing.push_back(what + ": whether higher or lower is better (direction)");
}

std::vector<std::string> missing_in(const catalog::Manifest& manifest) {
  std::vector<std::string> missing;
  if (manifest.vendor.empty()) missing.emplace_back("vendor");
  if (manifest.license.empty()) missing.emplace_back("license");
  if (manifest.summary.empty()) missing.emplace_back("summary");
  if (!is_version(manifest.version))
    missing.push_back("a version like 1.0.0, and this is '" + manifest.version + "'");
  for (const catalog::NeededLibrary& need : manifest.needs) {
    if (need.hint.empty()) missing.push_back("what to install for " + need.soname + " (hint)");
  }
  for (const catalog::Benchmark& benchmark : manifest.benchmarks) {
    const std::string of = "benchmark '" + benchmark.name + "'";
    if (benchmark.summary.empty()) missing.push_back(of + ": summary");
    for (const catalog::Parameter& parameter : benchmark.parameters) {
      if (parameter.help.empty()) missing.push_back(of + " parameter '" + parameter.name + "': help");
      const bool counts_bytes = parameter.name == "bytes" || parameter.name.ends_with("_bytes");
      if (counts_bytes && parameter.unit.empty())
        missing.push_back(of + " parameter '" + parameter.name + "': unit 'B'");
    }
    for (const catalog::MetricDeclaration& metric : benchmark.metrics) look_at(metric, of, missing);
    for (const catalog::Fact& fact : benchmark.facts) {
      if (fact.summary.empty()) missing.push_back(of + " fact '" + fact.name + "': summary");
    }
  }
  return missing;
}

}  // namespace

CheckVerdict check_manifest_valid(const Subject& subject) {
  return subject.manifest() && subject.problems().empty() ? passed() : failed(subject.problems());
}

CheckVerdict check_manifest_complete(const Subject& subject) {
  constexpr std::size_t kItemsNamed = 10;
  std::vector<std::string> missing = missing_in(*subject.manifest());
  if (const std::size_t count = missing.size(); count > kItemsNamed) {
    missing.resize(kItemsNamed);
    missing.push_back("and " + std::to_string(count - kItemsNamed) + " more");
  }
  return missing.empty() ? passed() : failed("it lacks " + join(missing, "; "));
}

CheckVerdict check_contract(const Subject& subject) {
  Diagnostics diagnostics;
  std::vector<std::string> followed;
  for (const catalog::Benchmark& benchmark : subject.described()) {
    if (benchmark.implements.empty()) continue;
    const catalog::Contract* contract = subject.contracts().contract(benchmark.implements);
    if (contract == nullptr) {
      std::vector<std::string> known;
      for (const catalog::Contract& each : subject.contracts().contracts()) known.push_back(each.id);
      return failed("'" + benchmark.name + "' implements '" + benchmark.implements +
                    "', which is not a contract of this program (" + join(known, ", ") + ")");
    }
    catalog::check_contract(subject.manifest_file().string(), benchmark, *contract, diagnostics);
    followed.push_back(benchmark.implements);
  }
  std::vector<std::string> deviations;
  for (const Diagnostic& diagnostic : diagnostics.sorted()) deviations.push_back(diagnostic.text);
  if (!deviations.empty()) return failed(join(deviations, "; "));
  if (followed.empty()) return skipped("none of its benchmarks implements a contract");
  return passed(join(followed, ", "));
}

}  // namespace assay::check
