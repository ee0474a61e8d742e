// SPDX-License-Identifier: Apache-2.0
#include "cli/pairs.hpp"

#include "base/error.hpp"
#include "base/suggest.hpp"
#include "cli/amounts.hpp"
#include "cli/command.hpp"
#include "cli/setting_words.hpp"
#include "engine/plugin_search.hpp"
#include "engine/preparation.hpp"
#include "model/document.hpp"
#include "model/variants.hpp"
#include "result/reasons.hpp"
#include "suite/fields.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <utility>

namespace assay::cli {
namespace {

constexpr const char* kAsItIs = "as-is";
constexpr const char* kPlugin = "plugin";
const std::vector<std::string> kKinds = {"env", "with", kPlugin};

[[noreturn]] void refuse_pairs(const std::string& why) { throw Error("usage.pairs", why); }

using WrittenPairs = std::vector<std::pair<std::string, std::string>>;  // as they are written

std::string map_text(const std::string& kind, const WrittenPairs& values) {
  if (kind == kPlugin) return kind + ": " + yaml_text(values.front().second);
  std::string text;
  for (const auto& [name, value] : values) {
    const bool is_plain =
        kind == "env" ? value == "~" : value == "true" || value == "false";  // else no boolean could be given
    text += (text.empty() ? "" : ", ") + name + ": " +
            (is_plain        ? value
             : kind == "env" ? yaml_text(value)
                             : yaml_scalar(value));
  }
  return kind + ": {" + text + "}";
}

// What a side sets, by "env", "with" and "plugin".
std::map<std::string, WrittenPairs> parts_of(const std::string& side) {
  std::map<std::string, WrittenPairs> parts;
  if (side == kAsItIs) return parts;
  std::string kind;
  for (std::string& word : split(side, ',')) {
    const std::size_t colon = word.find(':'), equals = word.find('=');
    const std::string said = colon < equals ? word.substr(0, colon) : std::string();
    if (contains(kKinds, said)) {
      kind = said;
      word.erase(0, colon + 1);
    } else if (kind.empty()) {
      std::string hint = said.empty() ? "" : suggestion(said, kKinds);
      if (hint.empty() && equals != std::string::npos) hint = "did you mean 'env:" + printable(word) + "'?";
      refuse_pairs("--pairs cannot be '" + printable(side) +
                   "': a side is env:NAME=VALUE, with:NAME=VALUE, plugin:FILE, or " + kAsItIs +
                   (hint.empty() ? "" : " (" + hint + ")"));
    }
    const std::size_t sign = word.find('=');
    WrittenPairs& values = parts[kind];
    if (kind == kPlugin && !said.empty()) {
      if (!values.empty()) refuse_pairs("--pairs has two plugins in '" + printable(side) + "'; name one");
      // As the catalog will call its library or its manifest, wherever a journal of it is read.
      std::error_code missing;
      const std::filesystem::path file = std::filesystem::canonical(word, missing);
      if (missing) refuse_pairs("--pairs: there is no file '" + printable(word) + "'");
      values.emplace_back("", file.string());
    } else if (sign == std::string::npos && !values.empty()) {
      values.back().second += "," + word;
    } else if (sign == std::string::npos || sign == 0 || !suite::is_identifier(word.substr(0, sign))) {
      refuse_pairs("--pairs: '" + printable(word) + "' is not NAME=VALUE; write " + kind + ":NAME=VALUE" +
                   (kind == "env" ? ", or env:NAME=~ to remove a variable" : ""));
    } else {
      values.emplace_back(word.substr(0, sign), word.substr(sign + 1));
    }
  }
  return parts;
}

// The cases of the suite that the filters choose, as far as that can be told without devices; all, if that tells nothing.
std::set<std::size_t> chosen_cases(const engine::Checked& checked) {
  std::set<std::size_t> chosen;
  for (const plan::PlannedCase& planned : checked.plan.cases) chosen.insert(planned.suite_case);
  for (std::size_t i = 0; chosen.empty() && i < checked.suite.cases.size(); ++i) chosen.insert(i);
  return chosen;
}

void require_parameters(const engine::Checked& checked, const std::set<std::size_t>& chosen,
                        const std::map<std::string, WrittenPairs>& parts) {
  const auto with = parts.find("with");
  if (with == parts.end()) return;
  for (const plan::PlannedCase& planned : checked.plan.cases) {
    if (!chosen.contains(planned.suite_case) || planned.benchmark == nullptr) continue;
    for (const auto& [name, value] : with->second) {
      if (planned.benchmark->parameter(name) != nullptr) continue;
      std::vector<std::string> known;
      for (const catalog::Parameter& each : planned.benchmark->parameters) known.push_back(each.name);
      const std::string hint = suggestion(name, known);
      refuse_pairs("--pairs: case '" + checked.suite.cases[planned.suite_case].id.value + "' (" +
                   planned.benchmark->name + ") has no parameter '" + printable(name) + "'" +
                   (hint.empty() ? "; choose the cases that have it with --filter" : " (" + hint + ")"));
    }
  }
}

// Two axes cannot set the same; the variants are one.
void refuse_axes(const suite::SuiteCase& one, const std::map<std::string, WrittenPairs>& parts) {
  for (const auto& [kind, values] : parts) {
    for (const auto& [name, value] : values) {
      const std::string set = kind == "env" ? "env." + name : name;
      if (std::none_of(one.matrix.axes.begin(), one.matrix.axes.end(),
                       [&](const suite::SuiteAxis& axis) { return axis.name.value == set; }))
        continue;
      refuse_pairs("--pairs: '" + printable(set) + "' is an axis of case '" + one.id.value +
                   "'; pair another " + (kind == "env" ? "variable" : "parameter") +
                   ", leave the case out with --filter, or give it one value instead of the axis");
    }
  }
}

}  // namespace

void add_pair_options(CLI::App& command, PairOptions& options) {
  value_option(
      command, "--pairs", "BEFORE AFTER", options.sides,
      "two variants in which every case is measured, in turn: env:NAME=VALUE, with:NAME=VALUE (a parameter), "
      "several with commas, plugin:FILE, or as-is; exit code 1 if the second is shown to be slower")
      ->expected(2)
      ->allow_extra_args(false);  // what follows both is another word of the command
  value_option(command, "--theta", "SHARE", options.theta,
               "margin of --pairs: rows within it count as the same (2%)");
  value_option(command, "--no-worse-than", "SHARE", options.no_worse_than,
               "largest loss that --pairs accepts: a row fails unless it is shown to lose less");
}

std::string variant_text(const std::string& side) {
  std::string text;
  for (const auto& [kind, values] : parts_of(side))
    text += (text.empty() ? "" : ", ") + map_text(kind, values);
  return "{" + text + "}";
}

comparison::Question question_of(const PairOptions& options) {
  comparison::Question question;
  if (!options.is_asked() && (!options.theta.empty() || !options.no_worse_than.empty()))
    refuse_pairs("--theta and --no-worse-than go with --pairs, or with 'assay compare'");
  if (!options.theta.empty()) question.theta = share_of("--theta", options.theta);
  if (!options.no_worse_than.empty())
    question.no_worse_than = share_of("--no-worse-than", options.no_worse_than);
  return question;
}

engine::Request with_pairs(const engine::Request& request, const PairOptions& options,
                           const engine::SuiteText& suite) {
  const std::string variants = "{" + std::string(kBefore) + ": " + variant_text(options.sides.at(0)) + ", " +
                               kAfter + ": " + variant_text(options.sides.at(1)) + "}";
  const auto refuse_with = [](bool is_given, const std::string& option, const std::string& why) {
    if (is_given) refuse_pairs("--pairs and " + option + " do not go together: " + why);
  };
  refuse_with(request.quick, "--quick", "one round tells nothing of how much rounds differ");
  refuse_with(!request.wrap.empty(), "--wrap", "its tool is in all times, and nothing is judged under it");
  refuse_with(request.budget_s.has_value(), "--budget",
              "both variants need the same rounds; set 'processes'");
  refuse_with(!request.extend.empty(), "--extend", "take more rounds with --set CASE.processes=N");
  refuse_with(!request.failed.empty(), "--failed", "name the cases with --filter");
  if (options.sides[0] == options.sides[1])
    refuse_pairs("--pairs has '" + printable(options.sides[0]) + "' twice: nothing would differ");
  engine::Request paired = request;
  for (const std::string& side : options.sides) {
    const auto parts = parts_of(side);
    const auto plugin = parts.find(kPlugin);
    if (plugin != parts.end()) paired.plugins.plugins.push_back(plugin->second.front().second);
  }
  const catalog::Catalog catalog =
      engine::load_catalog(paired.surroundings, paired.plugins, engine::SameIds::kept);
  const engine::Checked checked =
      engine::check_suite(catalog, suite, request.overrides,
                          engine::plan_options(engine::recorded_options(request)), request.made_by);
  if (checked.diagnostics.has_errors()) return paired;
  const std::set<std::size_t> chosen = chosen_cases(checked);
  for (const std::string& side : options.sides) require_parameters(checked, chosen, parts_of(side));
  for (const std::size_t i : chosen) {
    const suite::SuiteCase& one = checked.suite.cases[i];
    if (std::any_of(one.matrix.axes.begin(), one.matrix.axes.end(), [](const suite::SuiteAxis& axis) {
          return axis.of_variants || axis.name.value == suite::kVariant;
        }))
      refuse_pairs("--pairs: case '" + one.id.value +
                   "' has an axis 'variant' of its own; leave it out with --filter");
    for (const std::string& side : options.sides) refuse_axes(one, parts_of(side));
    paired.overrides.push_back(one.id.value + ".variants=" + variants);
    paired.made_by.emplace(paired.overrides.back(), "--pairs");
  }
  return paired;
}

void require_pairs(const plan::Plan& plan) {
  std::map<std::string, std::set<std::string>> sides;  // by id without its variant
  for (const plan::PlannedCase& planned : plan.cases)
    for (const plan::AxisPoint& point : planned.axes)
      if (model::is_variant(point.name, point.value))
        sides[model::id_without(planned.id, point.name, point.text)].insert(point.text);
  if (plan.cases.empty() ||
      std::any_of(sides.begin(), sides.end(), [](const auto& side) { return side.second.size() == 2; }))
    return;
  refuse_pairs("--pairs: --filter and --only leave no case with both variants; choose cases by other axes");
}

judge::Judgement with_verdict_of_pairs(const judge::Judgement& judged, const model::Comparison& found) {
  model::Document document = model::read_document(judged.document);
  judge::Judgement out = judged;
  const bool is_worse = found.verdict.exit_code == 1;
  const result::ReasonRow& row = *result::find_reason(is_worse ? "run.slower" : "run.not-compared");
  document.verdict.outcome = is_worse ? model::RunOutcome::failed : model::RunOutcome::unmet;
  document.verdict.exit_code = out.exit_code = found.verdict.exit_code;
  document.verdict.reasons.insert(document.verdict.reasons.begin(), {std::string(row.code),
                                                                     row.severity,
                                                                     std::string(kAfter),
                                                                     found.verdict.text,
                                                                     std::string(row.next),
                                                                     {}});
  Json json = model::to_json(document);
  model::make_printable(json);
  out.document = json.dump(1) + "\n";
  return out;
}

}  // namespace assay::cli
