// SPDX-License-Identifier: Apache-2.0
#include "engine/rule_files.hpp"

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/suggest.hpp"
#include "engine/suite_search.hpp"
#include "model/field_json.hpp"
#include "suite/expression.hpp"
#include "suite/rule.hpp"
#include "text/lookup.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace assay::engine {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestRuleFile = std::size_t{1} << 20;

std::vector<fs::path> rule_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// What evidence about a benchmark may name, whichever backend runs it.
std::vector<std::string> names_of(const catalog::Catalog& catalog, const std::string& benchmark) {
  std::vector<std::string> names;
  const auto add = [&](const auto& list) {
    for (const auto& each : list) names.push_back(each.name);
  };
  for (const catalog::Manifest& manifest : catalog.manifests())
    if (const catalog::Benchmark* found = manifest.benchmark(benchmark)) {
      add(found->metrics);
      add(found->facts);
      add(found->parameters);
    }
  if (names.empty()) return names;
  for (const catalog::Manifest& manifest : catalog.manifests()) add(manifest.telemetry);
  names.insert(names.end(), {"time", "energy_per_iteration", "peak"});
  return names;
}

void check_names(const suite::Expression& expression, const suite::Rule& rule,
                 const std::vector<std::string>& known, const std::string& file, Diagnostics& diagnostics) {
  using Kind = suite::Expression::Kind;
  for (const suite::ExpressionPtr& operand : expression.operands)
    check_names(*operand, rule, known, file, diagnostics);
  if (expression.kind != Kind::name && expression.kind != Kind::percent_of) return;
  if (contains(known, expression.name)) return;
  diagnostics.warning("rules.unknown-name", {file},
                      "the evidence of rule '" + rule.id + "' names '" + expression.name + "', which '" +
                          rule.uses + "' does not have",
                      suggestion(expression.name, known));
}

// A rule that names what nobody has is never told, and its writer should hear so. One whose benchmark no plugin has
// is for another machine; so may one of Assay's own be, whose names a test holds.
void check_evidence(const suite::Rule& rule, const catalog::Catalog& catalog, const std::string& file,
                    Diagnostics& diagnostics) {
  const std::vector<std::string> known = names_of(catalog, rule.uses);
  if (known.empty()) return;
  for (const std::string& text : rule.evidence) {
    Diagnostics read_before;
    if (const auto expression = suite::parse_expression(text, Position{}, read_before))
      check_names(*expression, rule, known, file, diagnostics);
  }
}

}  // namespace

Json load_rules(const Surroundings& surroundings, const catalog::Catalog& catalog, Diagnostics& diagnostics) {
  const fs::path shipped = prefix_of(surroundings) / "share/assay/suites";
  Json rules = Json::array();
  std::set<std::string> known;
  for (const fs::path& folder : suite_folders(surroundings))
    for (const fs::path& file : rule_files(folder / "rules")) {
      std::string text;
      try {
        text = read_file(file.string(), kLargestRuleFile);
      } catch (const Error& problem) {
        diagnostics.error("rules.unreadable", {file.string()}, problem.what());
        continue;
      }
      for (const suite::Rule& rule : suite::parse_rules(file.string(), text, diagnostics))
        if (known.insert(rule.id).second) {
          if (folder != shipped) check_evidence(rule, catalog, file.string(), diagnostics);
          rules.push_back(model::to_json(rule));
        }
    }
  return rules;
}

}  // namespace assay::engine
