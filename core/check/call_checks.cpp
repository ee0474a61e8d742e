// SPDX-License-Identifier: Apache-2.0
#include "check/checked_visit.hpp"
#include "check/checks.hpp"
#include "check/resources.hpp"
#include "check/tested_case.hpp"
#include "text/text.hpp"
#include "worker/process_state.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

namespace assay::check {
namespace {

constexpr std::size_t kProbeMemory = std::size_t{1} << 20;

// A value of a parameter that a suite may or may not write.
struct TriedValue {
  std::string parameter;
  Json value;
  bool prepare = true;  // cheap enough to go on with

  [[nodiscard]] std::string text() const { return parameter + ": " + printable(value.dump()); }
};

Json number_of(const catalog::Parameter& parameter, double value) {
  if (parameter.type == catalog::ParameterType::integer) return static_cast<std::int64_t>(value);
  return value;
}

// Integers beyond this cannot be told apart as doubles.
bool exact(const catalog::Parameter& parameter, double value) {
  return parameter.type == catalog::ParameterType::number || std::fabs(value) < 0x1p53;
}

std::vector<TriedValue> limits_of(const catalog::Benchmark& benchmark) {
  std::vector<TriedValue> values;
  for (const catalog::Parameter& parameter : benchmark.parameters) {
    for (const std::string& text : parameter.values) values.push_back({parameter.name, text});
    if (parameter.type == catalog::ParameterType::boolean) {
      values.push_back({parameter.name, false});
      values.push_back({parameter.name, true});
    }
    if (parameter.minimum && exact(parameter, *parameter.minimum))
      values.push_back({parameter.name, number_of(parameter, *parameter.minimum)});
    // The largest would take all memory, or hours.
    if (parameter.maximum && exact(parameter, *parameter.maximum))
      values.push_back({parameter.name, number_of(parameter, *parameter.maximum), false});
  }
  return values;
}

std::vector<TriedValue> impossible_values_of(const catalog::Benchmark& benchmark) {
  std::vector<TriedValue> values;
  for (const catalog::Parameter& parameter : benchmark.parameters) {
    if (parameter.minimum && exact(parameter, *parameter.minimum - 1))
      values.push_back({parameter.name, number_of(parameter, *parameter.minimum - 1), false});
    if (parameter.maximum && exact(parameter, *parameter.maximum + 1))
      values.push_back({parameter.name, number_of(parameter, *parameter.maximum + 1), false});
    if (parameter.type == catalog::ParameterType::integer) {
      values.push_back({parameter.name, std::numeric_limits<std::int64_t>::min(), false});
      values.push_back({parameter.name, std::numeric_limits<std::int64_t>::max(), false});
    }
    if (parameter.type == catalog::ParameterType::text) {
      values.push_back({parameter.name, "no such value", false});
      values.push_back({parameter.name, "", false});
    }
  }
  return values;
}

// Creates a case for each of the values. `problem` says what is wrong with the last answer, or nothing.
template <typename Problem>
CheckVerdict each_value(const CheckedBenchmark& checked, const Json& start,
                        const std::vector<TriedValue>& values, Problem problem) {
  for (const TriedValue& value : values) {
    checked.subject.enter(value.text());
    Json parameters = start;
    parameters[value.parameter] = value.value;
    TestedCase tested(checked, std::move(parameters));
    Answer answer = tested.create();
    if (answer.ok()) answer = tested.probe();
    if (answer.ok() && value.prepare) answer = tested.prepare();
    // Another rank may be fine, or have ended this one's call.
    const std::string text = problem(value, tested.own().status == ASSAY_CANCELLED ? answer : tested.own());
    if (checked.subject.rank().any(!text.empty())) return text.empty() ? passed() : failed(text);
  }
  return passed(std::to_string(values.size()) + " values");
}

}  // namespace

CheckVerdict check_unknown_benchmark(const Subject& subject) {
  return each_benchmark(subject, [&](const CheckedBenchmark& checked) {
    TestedCase tested(checked, default_parameters(checked.benchmark));
    (void)tested.create("no_such_benchmark");
    const Answer& answer = tested.own();
    if (answer.status == ASSAY_E_UNSUPPORTED && !answer.threw) return passed();
    return failed("create(\"no_such_benchmark\") gave " + (answer.ok() ? "an instance" : answer.text()) +
                  "; it must give ASSAY_E_UNSUPPORTED");
  });
}

namespace {

bool is_refused(const Answer& answer) {
  return answer.threw || answer.status == ASSAY_E_INVALID || answer.status == ASSAY_E_UNSUPPORTED;
}

bool is_created(const CheckedBenchmark& checked, Json parameters) {
  TestedCase tested(checked, std::move(parameters));
  const Answer answer = tested.create();
  return !checked.subject.rank().any(
      is_refused(tested.own().status == ASSAY_CANCELLED ? answer : tested.own()));
}

// A manifest has the limits of each parameter, and not which values go together: a value may need one of another
// parameter, which may need one of a third.
bool goes_with_others(const CheckedBenchmark& checked, const Json& start, const TriedValue& value,
                      const std::vector<TriedValue>& limits) {
  Json parameters = start;
  parameters[value.parameter] = value.value;
  for (const TriedValue& second : limits) {
    if (second.parameter == value.parameter) continue;
    Json of_two = parameters;
    of_two[second.parameter] = second.value;
    if (is_created(checked, of_two)) return true;
  }
  for (const TriedValue& second : limits) {
    for (const TriedValue& third : limits) {
      if (second.parameter >= third.parameter || second.parameter == value.parameter ||
          third.parameter == value.parameter)
        continue;
      Json of_three = parameters;
      of_three[second.parameter] = second.value;
      of_three[third.parameter] = third.value;
      if (is_created(checked, of_three)) return true;
    }
  }
  return false;
}

}  // namespace

CheckVerdict check_limits(const Subject& subject) {
  return each_benchmark(subject, [&](const CheckedBenchmark& checked) {
    const std::vector<TriedValue> limits = limits_of(checked.benchmark);
    if (limits.empty()) return skipped("it has no parameter with limits");
    const Json start = quick_parameters(checked);
    return each_value(checked, start, limits,
                      [&](const TriedValue& limit, const Answer& answer) -> std::string {
                        const bool refused = is_refused(answer);
                        const bool threw = subject.rank().any(answer.threw);
                        if (!subject.rank().any(refused) ||
                            (!threw && goes_with_others(checked, start, limit, limits)) || !refused)
                          return {};
                        return limit.text() +
                               " is within the limits of the manifest and is refused, whatever the other "
                               "parameters are: " +
                               answer.text();
                      });
  });
}

CheckVerdict check_bad_parameters(const Subject& subject) {
  return each_benchmark(subject, [&](const CheckedBenchmark& checked) {
    const std::vector<TriedValue> values = impossible_values_of(checked.benchmark);
    if (values.empty()) return skipped("it has no parameter that could be impossible");
    return each_value(checked, small_parameters(checked.benchmark), values,
                      [](const TriedValue& value, const Answer& answer) -> std::string {
                        if (answer.threw) return "an exception left it for " + value.text();
                        if (answer.status >= 0 || !answer.reason.empty()) return {};
                        return "it refuses " + value.text() + " without a reason; call fail_parameter first";
                      });
  });
}

CheckVerdict check_contained(const Subject& subject) {
  return each_benchmark(subject, [&](const CheckedBenchmark& checked) {
    if (!checked.benchmark.parameters.empty()) {
      subject.enter("create, while Assay knows no parameter");
      TestedCase tested(checked, small_parameters(checked.benchmark));
      tested.refuse.parameters = true;
      (void)tested.create();
      const Answer& answer = tested.own();
      const bool any = subject.rank().any(answer.threw || answer.ok());
      if (answer.threw) return failed("an exception left create when Assay knew no parameter");
      if (answer.ok())
        return failed(
            "create goes on although Assay knows none of its parameters; look at what get_… gives back");
      if (any) return passed();  // another rank says what
    }
    subject.enter("prepare, while Assay has no memory left");
    TestedCase tested(checked, small_parameters(checked.benchmark));
    tested.refuse.memory = true;
    if (tested.get_ready().threw) return failed("an exception left it when there was no memory");
    return passed();
  });
}

CheckVerdict check_release(const Subject& subject) {
  return each_benchmark(subject, [&](const CheckedBenchmark& checked) {
    const Json parameters = quick_parameters(checked);
    // How far the case comes before it is released.
    for (const std::string stop :
         {"create", "probe", "prepare", "a prepare without memory", "a cancelled prepare"}) {
      subject.enter("release after " + stop);
      TestedCase tested(checked, parameters);
      tested.refuse.memory = stop == "a prepare without memory";
      if (stop == "a cancelled prepare") tested.cancel();
      if (!tested.create().ok()) return not_checked("it cannot be created; see defaults-accepted");
      if (stop != "create") (void)tested.probe();
      if (stop != "create" && stop != "probe") (void)tested.prepare();
    }
    return passed();
  });
}

namespace {

// What a probe leaves behind: what no case may, and what the first in a process may set up for all of them,
// such as a device's context.
struct Effects {
  std::vector<std::string> always, once;
};

Effects effects_of_probe(TestedCase& tested, Answer& probed) {
  const auto state = worker::ProcessState::read();
  const Resources before = resources();
  probed = tested.probe();
  const Resources after = resources();
  Effects effects;
  if (tested.memory_bytes() > 0)
    effects.always.push_back("it takes " + std::to_string(tested.memory_bytes()) +
                             " bytes of counted memory");
  for (const std::string& change : worker::ProcessState::read().changes_since(state))
    effects.always.push_back(change);
  if (after.heap_bytes > before.heap_bytes + kProbeMemory ||
      after.mapped_bytes > before.mapped_bytes + kProbeMemory)
    effects.once.emplace_back("it takes more than 1 MiB of memory");
  if (after.threads > before.threads) effects.once.emplace_back("it starts threads");
  if (after.descriptors.size() > before.descriptors.size())
    effects.once.emplace_back("it leaves descriptors open");
  return effects;
}

}  // namespace

CheckVerdict check_probe(const Subject& subject) {
  return each_benchmark(subject, [&](const CheckedBenchmark& checked) {
    for (const bool first : {true, false}) {
      subject.enter(first ? "the first probe" : "the second probe");
      TestedCase tested(checked, default_parameters(checked.benchmark));
      const Answer created = tested.create();
      if (!created.ok()) return not_checked("create gave " + created.text());
      Answer probed;
      Effects effects = effects_of_probe(tested, probed);
      if (probed.threw) return failed("an exception left probe");
      if (probed.status == ASSAY_SKIPPED && probed.reason.empty())
        return failed("probe says that it cannot run here, and not why; call fail first");
      if (!first) effects.always.insert(effects.always.end(), effects.once.begin(), effects.once.end());
      if (!effects.always.empty()) {
        (void)subject.rank().any(true);
        return failed("after probe " + join(effects.always, ", ") +
                      "; it only asks whether the case can run");
      }
      // What another rank found ends the check, too.
      if (subject.rank().any(false) || !subject.rank().any(!effects.once.empty())) break;
    }
    return passed();
  });
}

CheckVerdict check_unknown_modes(const Subject& subject) {
  return each_benchmark(subject, [&](const CheckedBenchmark& checked) {
    constexpr std::int32_t kUnknown = 1000;
    TestedCase tested(checked, quick_parameters(checked));
    assay_traits traits{};
    const Answer answer = tested.get_ready(&traits);
    if (!answer.ok()) return not_checked("it did not get ready: " + answer.text());
    const auto wrong = [&](const std::string& call) -> std::string {
      if (tested.own().status == ASSAY_E_UNSUPPORTED && !tested.own().threw) return {};
      return call + " gave " + (tested.own().ok() ? "ASSAY_OK" : tested.own().text()) +
             "; what it does not know it answers with ASSAY_E_UNSUPPORTED";
    };
    subject.enter("iterate, in a mode that does not exist");
    (void)tested.iterate(traits.quantum, kUnknown);
    std::string text = wrong("iterate in mode " + std::to_string(kUnknown));
    if (!subject.rank().any(!text.empty()) && tested.can_verify()) {
      subject.enter("verify, in a phase that does not exist");
      assay_verification seen{};
      (void)tested.verify(kUnknown, seen);
      text = wrong("verify in phase " + std::to_string(kUnknown));
    }
    (void)subject.rank().any(!text.empty());
    return text.empty() ? passed() : failed(text);
  });
}

}  // namespace assay::check
