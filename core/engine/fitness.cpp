// SPDX-License-Identifier: Apache-2.0
#include "engine/fitness.hpp"

#include "text/quantity_text.hpp"
#include "text/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace assay::engine {
namespace {

constexpr int kFewestRounds = 3;
// Below it the doctor's own fixed work keeps its time; above, one of two processors is half taken.
constexpr double kShareOfOthers = 0.25;
// What breaks machines halves them: a link at half of its lanes, half of the memory's channels, a power limit.
// Where even that could be chance nothing can be told.
constexpr double kLargestEffect = 0.5;
constexpr const char* kCommand = "command";

std::optional<double> number(const system::Device& device, const char* fact) {
  const auto found = device.facts.find(fact);
  if (found == device.facts.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

bool is(const system::Device& device, const char* fact, const Json& value) {
  const auto found = device.facts.find(fact);
  return found != device.facts.end() && *found == value;
}

void look_at(const system::Device& device, std::vector<UnfitSetting>& unfit) {
  const auto say = [&](std::string text, std::string advice) {
    unfit.push_back({device.name, std::move(text), std::move(advice)});
  };
  const auto below = [&](const char* now, const char* standard) {
    const auto value = number(device, now), whole = number(device, standard);
    return value && whole && *value < *whole;
  };
  if (const auto governor = device.facts.find("governor"); governor != device.facts.end() &&
                                                           governor->is_string() && *governor != "" &&
                                                           *governor != "performance") {
    say("the frequency governor is '" + printable(governor->get<std::string>()) + "': clocks follow the load",
        "cpupower frequency-set -g performance");
  }
  if (below("power_limit_w", "standard_power_limit_w")) {
    say("the power limit is " + quantity_text(*number(device, "power_limit_w"), "W") + " instead of " +
            quantity_text(*number(device, "standard_power_limit_w"), "W"),
        "compare it with machines of the same limit only");
  }
  if (const auto clock = number(device, "application_clock_hz")) {
    say("its clock is set to " + quantity_text(*clock, "Hz"), "nvidia-smi --reset-applications-clocks");
  }
  if (is(device, "persistence", false)) {
    say("persistence mode is off: its driver starts anew for every process",
        "run the driver's persistence daemon");
  }
  if (is(device, "ecc", false))
    say("error correction of its memory is off", "compare it with such devices only");
  if (is(device, "compute_mode", "prohibited"))
    say("its mode prohibits computing", "nvidia-smi --compute-mode=DEFAULT");
  if (below("pcie_width", "largest_pcie_width")) {
    say(fmt::format("its link has {} lanes of {}", *number(device, "pcie_width"),
                    *number(device, "largest_pcie_width")),
        "look at the slot, the riser and the machine's error log");
  }
  if (const auto down = number(device, "nvlinks_down"); down && *down > 0)
    say(fmt::format("{} of its links to other devices are down", *down),
        "look at 'nvidia-smi nvlink --status'");
}

std::string doctors_work(const model::Case& one) {
  const model::Axis* axis = one.axis("work");
  if (axis != nullptr) return axis->text;
  return one.command.empty() ? "" : kCommand;
}

double deviation_of_logarithms(const std::vector<double>& values) {
  double mean = 0, squares = 0;
  for (const double value : values) mean += std::log(value) / static_cast<double>(values.size());
  for (const double value : values) squares += (std::log(value) - mean) * (std::log(value) - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

// A clock that is wrong, work that failed: nothing that this machine measures can be trusted.
std::string first_failure(const model::Document& document) {
  for (const model::Case& one : document.cases) {
    if (one.outcome != Outcome::passed && one.outcome != Outcome::skipped)
      return "the doctor's own work '" + one.id + "' ended as '" + std::string(to_text(one.outcome)) + "'";
  }
  return {};
}

}  // namespace

std::string percent(double share) {
  return share < 0.1 ? fmt::format("{:.2g} %", 100 * share) : fmt::format("{:.0f} %", 100 * share);
}

std::vector<UnfitSetting> unfit_settings(const system::Inventory& inventory) {
  std::vector<UnfitSetting> unfit;
  for (const system::Backend& backend : inventory.backends)
    for (const system::Device& device : backend.devices) look_at(device, unfit);
  return unfit;
}

std::vector<UnfitSetting> unfit_load(std::optional<double> load_average, int processors) {
  if (!load_average || *load_average <= kShareOfOthers * processors) return {};
  return {{"host",
           fmt::format("other processes kept {:.1f} of its {} processors busy in the last minute",
                       *load_average, processors),
           "wait until they have ended, or stop them"}};
}

std::vector<UnfitSetting> disturbances(const model::Document& document) {
  std::string text;
  std::size_t disturbed = 0;
  for (const model::Case& one : document.cases) {
    const model::Flag* const flag = model::find_flag(one.flags, "disturbed");
    if (flag == nullptr) continue;
    if (text.empty()) text = flag->text;
    ++disturbed;
  }
  if (disturbed == 0) return {};
  return {{"host", fmt::format("{} (in {} of {} cases)", text, disturbed, document.cases.size()),
           "measure while the machine has nothing else to do"}};
}

std::string doctor_suite(const catalog::Catalog& catalog, const system::Inventory& inventory, int processes) {
  std::string cases;
  for (const catalog::Manifest& manifest : catalog.manifests()) {
    const catalog::Benchmark* benchmark = manifest.benchmark("doctor");
    const system::Backend* backend = inventory.find(manifest.backend);
    if (benchmark == nullptr || backend == nullptr || backend->devices.empty()) continue;
    cases +=
        "  - id: " + manifest.backend + "\n    uses: doctor@" + manifest.backend + "\n    devices: each\n";
    for (const catalog::Parameter& parameter : benchmark->parameters) {
      if (parameter.name == "work") cases += "    matrix: {work: [" + join(parameter.values, ", ") + "]}\n";
    }
    const auto states = [&](const char* metric) {
      return std::any_of(benchmark->metrics.begin(), benchmark->metrics.end(),
                         [&](const catalog::MetricDeclaration& known) { return known.name == metric; });
    };
    std::string expected;
    const auto expect_one = [&](const std::string& metric, const std::string& say) {
      if (!states(metric.c_str())) return;
      for (const char* limit : {" >= 0.999", " <= 1.001"})
        expected += "      - {that: " + metric + limit + ", where: {work: delay}, say: " + say + "}\n";
    };
    expect_one("delay_slope", "The clock of its events is wrong; use another driver.");
    expect_one("host_slope",
               "The device's clock and the host's disagree; look at the host's clock source and the driver.");
    if (!expected.empty()) cases += "    expect:\n" + expected;
  }
  if (cases.empty()) return {};
  if (std::any_of(
          catalog.manifests().begin(), catalog.manifests().end(),
          [](const catalog::Manifest& manifest) { return manifest.benchmark("external") != nullptr; }))
    cases += "  - {id: command, uses: external, command: [\"true\"]}\n";
  return fmt::format(
      "version: 1\n"
      "suite: doctor\n"
      "description: Is this machine fit to measure on, and how well does it repeat itself?\n"
      "defaults:\n"
      "  timeout: 1min\n"
      "  processes: {}\n"
      "  measure: {{precision: 1%, max_time: {}s}}\n"
      "cases:\n{}",
      processes, processes, cases);
}

std::vector<Deviation> deviations(const model::Document& document) {
  std::vector<Deviation> found;
  for (const model::Case& one : document.cases) {
    for (const model::Metric& metric : one.metrics) {
      if (!metric.headline || metric.kind == "value") continue;
      std::vector<double> values;
      for (const double value : metric.rounds)
        if (value > 0) values.push_back(value);
      const int rounds = static_cast<int>(values.size());
      if (rounds < kFewestRounds) continue;
      found.push_back({one.id, one.backend, rounds, deviation_of_logarithms(values), doctors_work(one)});
    }
  }
  return found;
}

Fitness fitness(const std::vector<UnfitSetting>& unfit, const model::Document& document) {
  if (!unfit.empty()) {
    const std::string others =
        unfit.size() == 1 ? "" : fmt::format(" (and {} more, below)", unfit.size() - 1);
    return {false, "not fit: " + unfit.front().device + ": " + unfit.front().text + others};
  }
  if (const std::string failure = first_failure(document); !failure.empty())
    return {false, "not fit: " + failure};
  const std::vector<Deviation> between_processes = deviations(document);
  if (between_processes.empty()) {
    return {true, fmt::format("fit by its settings; how well it repeats itself takes --processes {} or more",
                              kFewestRounds)};
  }
  std::map<std::pair<std::string, std::string>, double> largest;  // by backend and kind of work
  for (const Deviation& deviation : between_processes) {
    double& share = largest[{deviation.backend, deviation.work}];
    share = std::max(share, deviation.share);
  }
  std::vector<std::string> effects, unsteady;
  for (const auto& [kind, share] : largest) {
    const auto& [backend, work] = kind;
    const double effect = kDeviationsOfADifference * share;
    if (effect > kLargestEffect) {
      unsteady.push_back((work.empty() ? "the same work" : work) + " on " + backend + " varies by " +
                         percent(share));
    } else {
      effects.push_back(percent(effect) + (work.empty() ? "" : " in " + work) +
                        (largest.size() > 1 ? " on " + backend : std::string()));
    }
  }
  const std::string told = join(effects, ", ");
  if (unsteady.empty()) return {true, "fit for effects above " + told};
  std::string cause;
  for (const UnfitSetting& each : disturbances(document)) cause = ", while " + each.text;
  return {false, "not fit: " + join(unsteady, ", ") + " from process to process" + cause +
                     (told.empty() ? "" : "; effects above " + told + " are told all the same")};
}

}  // namespace assay::engine
