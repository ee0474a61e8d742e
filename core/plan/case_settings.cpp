// SPDX-License-Identifier: Apache-2.0
#include "plan/case_settings.hpp"

#include "model/measure_keys.hpp"
#include "plan/value.hpp"
#include "result/run_options.hpp"
#include "suite/external.hpp"
#include "text/lookup.hpp"

#include <algorithm>

namespace assay::plan {
namespace {

constexpr int kRounds = 3;  // the fewest rounds that give an interval over rounds
// For a case that is compared with another one round by round, where a few percent decide.
constexpr int kRoundsOfCompared = 5;
// For variants, which exist to be compared. An even number lets each variant run first as often as last.
constexpr int kRoundsOfVariants = 6;

bool has_variants(const suite::SuiteCase& one) {
  return std::any_of(one.matrix.axes.begin(), one.matrix.axes.end(),
                     [](const suite::SuiteAxis& axis) { return axis.of_variants; });
}

// True if a claim uses the case, or if one of its limits is a share of another row.
bool is_compared(const suite::Suite& suite, const suite::SuiteCase& one) {
  const auto of_reference = [](const suite::SuiteExpectation& each) {
    return each.that && suite::has_share_of(*each.that, "reference");
  };
  if (std::any_of(one.expect.begin(), one.expect.end(), of_reference)) return true;
  for (const suite::SuiteFinding& finding : suite.findings)
    for (const auto& [name, expression] : finding.let) {
      const std::vector<const suite::Expression*> used = suite::names(*expression);
      if (std::any_of(used.begin(), used.end(), [&](const suite::Expression* each) {
            return each->kind == suite::Expression::Kind::selector && each->name == one.id.value;
          }))
        return true;
    }
  return false;
}

// Only the suite knows how often to repeat a command.
std::uint64_t executions_in_round(const suite::SuiteCase& one) {
  return suite::runs_command(one) ? std::max<std::uint64_t>(1, one.measure.values.samples) : 1;
}

// Rounds as the suite counts them, where 'samples' is how often each of them executes a command.
int written_rounds(const suite::Suite& suite, const suite::SuiteCase& one) {
  if (one.processes) return one.processes->value;
  if (has_variants(one)) return kRoundsOfVariants;
  const bool once =
      suite::runs_command(one) || one.measure.values.hold_s > 0 || one.measure.values.samples > 0;
  if (once) return 1;
  return is_compared(suite, one) ? kRoundsOfCompared : kRounds;
}

constexpr double kTimeout = 600;
// Preparation and verification may together take as long as sampling, and a minute more.
constexpr double kTimeoutShare = 2;
constexpr double kTimeoutSlack = 60;

constexpr std::uint64_t kQuickSamples = 20;
constexpr double kQuickTime = 1;

model::MeasureOptions measure_of(const suite::Suite& suite, const suite::SuiteCase& one, bool quick) {
  model::MeasureOptions measure = one.measure.values;
  const bool states_time = one.measure.where(&model::MeasureOptions::max_time_s) != nullptr;
  // `max_time` is for the whole case, and its rounds share it. Without a stated time, a case whose number of rounds the suite chose
  // (`processes`, variants) shares the default time among three rounds at most; each further round takes as long as these.
  const int rounds = rounds_of(suite, one, quick);
  const bool by_default = !one.processes && !has_variants(one);
  measure.max_time_s /= states_time || by_default ? rounds : std::min(rounds, kRounds);
  if (!states_time && one.timeout_s) {
    // A short timeout says that visits are short; the default time must fit into it.
    measure.max_time_s = std::min(measure.max_time_s, one.timeout_s->value / kTimeoutShare);
  }
  if (suite::runs_command(one)) {
    // Of a quick run alone, which has one round; else each execution is a round.
    measure.samples = quick ? executions_in_round(one) : 1;
    if (measure.warmup < 0) measure.warmup = 0;
    if (!states_time) measure.max_time_s = one.timeout_s ? one.timeout_s->value : kTimeout;
  }
  if (quick) {
    measure.samples = measure.samples == 0 ? kQuickSamples : std::min(measure.samples, kQuickSamples);
    measure.max_time_s = std::min(measure.max_time_s, kQuickTime);
    measure.hold_s = std::min(measure.hold_s, kQuickTime);
  }
  return measure;
}

// `max_time` ends the samples of a visit, and a visit of one execution has no more.
void check_executions(const suite::Suite& suite, const suite::SuiteCase& one, int rounds,
                      Diagnostics& diagnostics) {
  const Position* const limit = one.measure.where(&model::MeasureOptions::max_time_s);
  if (limit != nullptr && rounds > 1 && executions_in_round(one) > 1)
    diagnostics.warning("suite.no-effect", *limit,
                        "'max_time' ends no executions of a command: each is a round, and all " +
                            std::to_string(rounds) + " of '" + one.id.value + "' are run",
                        "write fewer 'samples', and 'timeout' for the longest time of one execution");
  if (rounds <= result::kMostRoundsOfACase) return;
  const Position* const stated = one.measure.where(&model::MeasureOptions::samples);
  diagnostics.error(
      "suite.limit", stated ? *stated : one.id.position,
      "'" + one.id.value + "' would be executed more than " + std::to_string(result::kMostRoundsOfACase) +
          " times; each execution is a round, and a case has no more",
      "write 'samples: " + std::to_string(result::kMostRoundsOfACase / written_rounds(suite, one)) +
          "' or fewer");
}

std::optional<std::string> text_or_nothing(const Json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<std::string>());
}

}  // namespace

int rounds_of(const suite::Suite& suite, const suite::SuiteCase& one, bool quick) {
  if (quick) return 1;
  const std::uint64_t rounds =
      static_cast<std::uint64_t>(written_rounds(suite, one)) * executions_in_round(one);
  return static_cast<int>(std::min<std::uint64_t>(rounds, result::kMostRoundsOfACase + 1));
}

CaseSettings base_settings(const suite::Suite& suite, const suite::SuiteCase& one,
                           const catalog::Benchmark& benchmark, const Points& points, bool quick,
                           Diagnostics& diagnostics) {
  CaseSettings settings;
  for (const catalog::Parameter& parameter : benchmark.parameters)
    settings.parameters[parameter.name] = parameter.default_value;
  std::vector<std::string> wrong;
  for (const auto& [name, scalar] : one.with) {
    const catalog::Parameter* parameter = benchmark.parameter(name.value);
    if (parameter == nullptr) {
      report_unknown_parameter(name.value, name.position, benchmark, diagnostics);
      continue;
    }
    if (auto typed = type_value(*parameter, scalar, diagnostics)) {
      settings.parameters[name.value] = std::move(typed->value);
      if (!typed->written.empty()) settings.written[name.value] = std::move(typed->written);
    } else {
      wrong.push_back(name.value);
    }
    settings.parameter_positions[name.value] = scalar.position;
  }
  const auto swept = [&](const std::string& name) {
    return std::any_of(points.axes().begin(), points.axes().end(),
                       [&](const MatrixAxis& axis) { return axis.name == name; }) ||
           points.sets_parameter(name);
  };
  for (const catalog::Parameter& parameter : benchmark.parameters) {
    const bool reported = contains(wrong, parameter.name);
    if (reported || !settings.parameters[parameter.name].is_null() || swept(parameter.name)) continue;
    diagnostics.error(
        "suite.parameter", one.uses.position,
        "'" + benchmark.name + "' needs a value for parameter '" + parameter.name + "'",
        "write it under 'with' or 'matrix'" + (parameter.help.empty() ? "" : ": " + parameter.help));
  }
  for (const auto& [name, scalar] : one.env) {
    const bool removed = scalar.kind == suite::Scalar::Kind::null;
    entry_of(settings.environment, name.value) = removed ? std::nullopt : std::optional(scalar.text);
  }
  if (one.bind) settings.bind = *one.bind;
  settings.devices = one.devices;
  if (one.ranks) settings.ranks = one.ranks->value;
  settings.together = one.load.value == "together";
  settings.placement_position = one.devices.position.known() ? one.devices.position
                                : one.ranks                  ? one.ranks->position
                                                             : one.uses.position;
  settings.measure = measure_of(suite, one, quick);
  settings.timeout_s =
      one.timeout_s ? one.timeout_s->value
      : suite::runs_command(one)
          ? std::max(kTimeout, settings.measure.max_time_s)
          : std::max(kTimeout,
                     kTimeoutShare * (settings.measure.max_time_s + settings.measure.hold_s) + kTimeoutSlack);
  settings.rounds = rounds_of(suite, one, quick);
  check_executions(suite, one, settings.rounds, diagnostics);
  return settings;
}

void apply_point(const Point& point, CaseSettings& settings) {
  using Target = AxisSetting::Target;
  for (const Choice* choice : point) {
    for (const AxisSetting& setting : choice->settings) {
      switch (setting.target) {
        case Target::parameter:
          settings.parameters[setting.name] = setting.value;
          settings.parameter_positions[setting.name] = setting.position;
          settings.written.erase(setting.name);
          if (!setting.written.empty()) settings.written[setting.name] = setting.written;
          break;
        case Target::environment:
          entry_of(settings.environment, setting.name) = text_or_nothing(setting.value);
          break;
        case Target::bind:
          settings.bind = setting.bind;
          break;
        case Target::load:
          settings.together = setting.value == "together";
          break;
        case Target::ranks:
          settings.ranks = setting.value.get<int>();
          settings.placement_position = setting.position;
          break;
        case Target::devices:
          settings.devices = setting.devices;
          settings.placement_position = setting.position;
          break;
        case Target::plugin:
          settings.plugin = {setting.name, setting.position};
          break;
        case Target::measure:
          model::set_value(settings.measure, *model::find_measure_key(setting.name), setting.value);
          break;
      }
    }
  }
}

std::string to_text(const suite::Bind& bind) {
  switch (bind.kind) {
    case suite::Bind::Kind::none:
      return "none";
    case suite::Bind::Kind::inherit:
      return "inherit";
    case suite::Bind::Kind::local:
      return "local";
    case suite::Bind::Kind::remote:
      return "remote";
    case suite::Bind::Kind::explicit_nodes:
      return "cpu:" + bind.cpu + "/memory:" + bind.memory;
  }
  return "";
}

}  // namespace assay::plan
