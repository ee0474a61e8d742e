// SPDX-License-Identifier: Apache-2.0
#include "engine/confirm.hpp"

#include "base/error.hpp"
#include "engine/recorded_environment.hpp"
#include "engine/rejudge.hpp"
#include "engine/resume.hpp"
#include "engine/run_journal.hpp"
#include "model/variants.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

namespace assay::engine {
namespace {

using Variables = std::map<std::string, std::optional<std::string>>;  // none: not set

constexpr std::string_view kOfEnvironment = "environment ";

std::optional<std::string> value_in(const Json& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found != environment.end() && found->is_string() ? std::optional(found->get<std::string>())
                                                          : std::nullopt;
}

// A result may come from anywhere: only what tunes a library is set from one, to a value that no shell and no library takes for a
// command, a file or an address.
bool may_be_set(const std::string& name, const std::optional<std::string>& value) {
  constexpr std::array<std::string_view, 10> kTuning = {"OMP_",  "GOMP_", "KMP_",    "OPENBLAS_", "MKL_",
                                                        "BLIS_", "NCCL_", "CUBLAS_", "CUDA_",     "NVIDIA_"};
  constexpr std::array<std::string_view, 15> kNotTuning = {
      "PATH", "PLUGIN", "PRELOAD", "INJECTION", "LIBRAR", "FILE", "CONF",    "TOOL",
      "LOG",  "DUMP",   "DIR",     "PIPE",      "TRACE",  "COMM", "NCCL_NET"};
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,:;+=^@%{}- ";
  const bool tunes = std::any_of(kTuning.begin(), kTuning.end(),
                                 [&](std::string_view family) { return name.starts_with(family); }) &&
                     std::none_of(kNotTuning.begin(), kNotTuning.end(), [&](std::string_view part) {
                       return name.find(part) != std::string::npos;
                     });
  return tunes && (!value || value->find_first_not_of(kPlain) == std::string::npos);
}

// The variables by which alone both sides differ; none if anything else does.
std::optional<std::vector<std::string>> differing_variables(const ConfirmationRequest& asked,
                                                            std::string& why) {
  std::vector<std::string> names;
  for (const model::Difference& each : asked.differences) {
    const std::string name =
        each.what.starts_with(kOfEnvironment) ? each.what.substr(kOfEnvironment.size()) : "";
    const bool is_variable = !name.empty() && name.find(' ') == std::string::npos;
    if (!is_variable || !may_be_set(name, value_in(asked.old_environment, name)) ||
        !may_be_set(name, value_in(asked.new_environment, name))) {
      why = "'" + each.what + "' differs, which cannot be set back here";
      return std::nullopt;
    }
    names.push_back(name);
  }
  if (!names.empty()) return names;
  why = "nothing is known to differ that could be set back";
  return std::nullopt;
}

std::string variables_text(const std::vector<std::string>& names, const Json& environment) {
  std::string text;
  for (const std::string& name : names) {
    const auto value = value_in(environment, name);
    text += (text.empty() ? "" : ", ") + name + ": " + (value ? Json(*value).dump() : "~");
  }
  return "{env: {" + text + "}}";
}

// What the new side was run with; why not, if it may not be taken from a journal.
std::string adopt_new_side(Request& request, const result::JournalHeader& header) {
  const auto executing =
      std::find_if(header.overrides.begin(), header.overrides.end(), sets_what_is_executed);
  if (executing != header.overrides.end())
    return "it was run with --set " + *executing + ", and what a journal names is not executed";
  if (!header.options.wrap.value_or("").empty())
    return "it was run with --wrap, and what a journal names is not executed";
  request.overrides = header.overrides;
  request.made_by = header.options.made_by;
  request.seed = header.options.seed;
  request.quick = header.options.quick;
  request.isolation = header.options.isolation;
  return "";
}

// Sets the variables of this process as they were on the new side; why not, if one may not be set.
std::string adopt_environment(Request& request, const Json& then) {
  auto& environment = request.surroundings.environment;
  const Json now = recorded_environment(environment);
  std::set<std::string> names;
  for (const Json* side : {&then, &now})
    for (const auto& [name, value] : side->items()) names.insert(name);
  for (const std::string& name : names) {
    const auto value = value_in(then, name);
    if (value == value_in(now, name) || is_of_location(name)) continue;
    // Of a name that only a plugin declares, nothing is known of now.
    const auto here = environment.find(name);
    if (here != environment.end() && value && here->second == *value) continue;
    if (!may_be_set(name, value)) return "the variable " + printable(name) + " is another one here";
    if (value) {
      environment[name] = *value;
    } else {
      environment.erase(name);
    }
  }
  return "";
}

// Every suite's case of which a row is among the ids gets the variants, unless it has such an axis.
bool add_variants(Request& request, const plan::Plan& plan, const suite::Suite& suite,
                  const std::set<std::string>& ids, const std::vector<std::string>& names,
                  const ConfirmationRequest& asked) {
  std::set<std::size_t> chosen;
  for (const plan::PlannedCase& planned : plan.cases)
    if (ids.contains(planned.id)) chosen.insert(planned.suite_case);
  std::vector<std::string> overrides;
  for (const std::size_t i : chosen) {
    const suite::SuiteCase& one = suite.cases[i];
    const auto is_in_the_way = [&](const suite::SuiteAxis& axis) {
      return axis.of_variants || axis.name.value == suite::kVariant || axis.name.value.starts_with("env.");
    };
    if (std::any_of(one.matrix.axes.begin(), one.matrix.axes.end(), is_in_the_way)) return false;
    overrides.push_back(one.id.value + ".variants={before: " + variables_text(names, asked.old_environment) +
                        ", after: " + variables_text(names, asked.new_environment) + "}");
  }
  request.overrides.insert(request.overrides.end(), overrides.begin(), overrides.end());
  for (const std::string& each : overrides) request.made_by.emplace(each, "--confirm");
  return true;
}

std::set<std::string> chosen_ids(const plan::Plan& plan, const std::set<std::string>& ids) {
  std::set<std::string> chosen;
  for (const plan::PlannedCase& planned : plan.cases) {
    std::string id = planned.id;
    for (const plan::AxisPoint& point : planned.axes)
      if (model::is_variant(point.name, point.value)) id = model::id_without(id, point.name, point.text);
    if (ids.contains(id) || ids.contains(planned.id)) chosen.insert(planned.id);
  }
  return chosen;
}

}  // namespace

PreparedConfirmation prepare_confirmation(Request request, const SuiteText& suite,
                                          const ConfirmationRequest& asked) {
  const std::filesystem::path file = journal_of(asked.result);
  const result::JournalHeader header = result::read_journal(file).header;
  return reading_header(file, [&]() -> PreparedConfirmation {
    PreparedConfirmation prepared;
    if (header.suite_text != suite.text)
      throw Error("usage.confirm", "'" + printable(suite.file) + "' is not the suite that '" +
                                       printable(asked.result.string()) + "' was run with: it was " +
                                       printable(header.suite_file) + ", or it was changed since");
    prepared.why = adopt_new_side(request, header);
    if (prepared.why.empty()) prepared.why = adopt_environment(request, asked.new_environment);
    if (!prepared.why.empty()) return prepared;
    std::string why;
    const auto names = differing_variables(asked, why);
    Session session{request};
    if (!prepare(request, suite, {}, session.prepared))
      throw Error("usage.confirm", "the suite cannot be run here; the lines above say why");
    std::vector<result::NamedText> includes;
    for (const auto& [path, text] : session.prepared.suite.includes) includes.push_back({path, text});
    if (includes != header.includes)
      throw Error("usage.confirm", "a file that '" + printable(suite.file) + "' includes was changed since");
    prepared.why =
        why_other_machine(header.inventory.at("backends"), header.system,
                          system::to_json(session.prepared.inventory).at("backends"), session.prepared.host);
    if (!prepared.why.empty()) return prepared;
    prepared.in_turn = names && add_variants(session.request, session.prepared.plan, session.prepared.suite,
                                             asked.ids, *names, asked);
    if (names && !prepared.in_turn) why = "a case has axes of its own that do not go with it";
    result::RunOptions& options = session.header.options;
    if (prepared.in_turn) {
      session.prepared = {};
      if (!prepare(session.request, suite, {}, session.prepared))
        throw Error("usage.confirm", "both sides cannot be run here; the lines above say why");
    } else {
      for (const auto& [id, rounds] : plan_options(header.options).rounds)
        if (asked.ids.contains(id)) options.rounds[id] = rounds;
    }
    options.only = chosen_ids(session.prepared.plan, asked.ids);
    if (options.only->empty()) {
      prepared.why = "no case of the suite is among them here";
      return prepared;
    }
    plan_again(session.request, options, session.prepared);
    if (!session.prepared.plan.unmet.empty()) {
      prepared.why = session.prepared.plan.unmet.front().text;
      return prepared;
    }
    prepared.why = std::move(why);
    prepared.session = std::move(session);
    return prepared;
  });
}

}  // namespace assay::engine
