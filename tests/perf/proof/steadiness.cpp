// SPDX-License-Identifier: Apache-2.0
#include "proof.hpp"
#include "statistics/stationarity.hpp"
#include "statistics/summary.hpp"
#include "statistics/testing/random.hpp"
#include "statistics/testing/simulation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace assay::proof {

using statistics::Process;

namespace {

constexpr std::size_t kTraces = 2000;
constexpr double kSample_s = 0.005;
constexpr double kNoise = 0.003;
constexpr double kWarmupCap_s = 10;
constexpr std::size_t kKept = 200;

struct Shape {
  const char* name;
  std::function<double(double)> level;  // of sample i, over the settled level
};

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {"steady from the start", [](double) { return 1.0; }},
      {"decays from + 30 %, time constant 100 samples",
       [](double i) { return 1 + 0.3 * statistics::portable_exp(-std::min(i, 5000.0) / 100); }},
      {"15 % slower for 60 samples", [](double i) { return i < 60 ? 1.15 : 1.0; }},
      {"swings by 1 % every 10 samples",
       [](double i) {
         const double phase = std::fmod(i, 10.0) / 10;  // a triangle
         return 1 + 0.01 * (4 * std::abs(phase - 0.5) - 1);
       }},
  };
  return all;
}

struct Warmup {
  double bias = 0;
  double samples = 0;
  bool steady = false;
};

Warmup warmed_up(const Shape& shape, std::size_t trace) {
  statistics::Random random(kSeed, trace);
  const auto most = static_cast<std::size_t>(kWarmupCap_s / kSample_s);
  std::vector<double> seconds(most + kKept);
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    seconds[i] = kSample_s * (shape.level(static_cast<double>(i)) + kNoise * random.normal());
  }
  const std::span<const double> all(seconds);
  std::size_t n = 10;
  const statistics::SteadyOptions options;
  while (n < most && !statistics::is_steady(all.first(n), options)) n += 10;
  Warmup result;
  result.steady = n < most;
  result.samples = static_cast<double>(n);
  result.bias = statistics::median(all.subspan(n, kKept)) / kSample_s - 1;
  return result;
}

struct Flagged {
  bool cut = false;
  bool drifting = false;
  bool not_steady = false;
  bool bimodal = false;
};

Flagged flagged(const std::vector<double>& values) {
  const auto drift = statistics::drift(values);
  const statistics::WarmupCut cut = statistics::mser5(values);
  return {cut.samples > 0 && cut.steady, drift && drift->drifting, !cut.steady,
          statistics::modes(values).bimodal};
}

struct Shares {
  double cut = 0;
  double drifting = 0;
  double not_steady = 0;
  double bimodal = 0;
};

template <class Make>
Shares shares(const Make& make) {
  Shares result;
  for (const Flagged& one : trials<Flagged>(kTraces, [&](std::size_t i) { return flagged(make(i)); })) {
    result.cut += one.cut / static_cast<double>(kTraces);
    result.drifting += one.drifting / static_cast<double>(kTraces);
    result.not_steady += one.not_steady / static_cast<double>(kTraces);
    result.bimodal += one.bimodal / static_cast<double>(kTraces);
  }
  return result;
}

std::vector<double> drifting(std::size_t n, double over_series, std::size_t trace) {
  std::vector<double> values = statistics::simulate(Process::iid, n, kSeed, trace);
  for (std::size_t i = 0; i < n; ++i)
    values[i] += over_series * static_cast<double>(i) / static_cast<double>(n);
  return values;
}

}  // namespace

Section warm_up() {
  Section section;
  std::vector<std::vector<std::string>> rows;
  for (const Shape& shape : shapes()) {
    std::vector<double> biases;
    double samples = 0;
    double steady = 0;
    for (const Warmup& one : trials<Warmup>(kTraces, [&](std::size_t i) { return warmed_up(shape, i); })) {
      biases.push_back(std::abs(one.bias));
      samples += one.samples / static_cast<double>(kTraces);
      steady += one.steady / static_cast<double>(kTraces);
    }
    const double bias = statistics::mean(biases);
    rows.push_back({shape.name, fmt::format("{:.0f}", samples), percent(steady), percent(bias, 2),
                    percent(statistics::quantile_of_sorted(statistics::sorted(biases), 0.95), 2)});
    section.targets.push_back({fmt::format("bias left by the warm-up: {}", shape.name), "at most 0.30 %",
                               percent(bias, 2), bias <= 0.003});
  }
  section.text =
      fmt::format(R"(## Warm-up

Samples of 5 ms with 0.3 % of noise, warmed up until the last four windows agree within 0.25 % (or 10 s have passed); then {} samples are
kept. The bias is the distance of their median from the settled level, in {} series each.

)",
                  kKept, kTraces) +
      table({"series", "warm-up samples (mean)", "found steady", "bias (mean)", "bias (95 % are below)"},
            rows);
  return section;
}

Section flags() {
  struct Steady {
    Process process;
    const char* name;
  };
  constexpr Steady kSteady[] = {{Process::iid, "independent"},
                                {Process::spiky, "spiky"},
                                {Process::lognormal, "log-normal"},
                                {Process::correlated, "autoregressive 0.5"},
                                {Process::very_correlated, "autoregressive 0.9"},
                                {Process::two_state, "two clocks"}};
  Section section;
  std::vector<std::vector<std::string>> rows;
  const auto row = [&rows](const std::string& name, std::size_t n, const Shares& found) {
    rows.push_back({name, std::to_string(n), percent(found.cut), percent(found.drifting),
                    percent(found.not_steady), percent(found.bimodal)});
  };
  double worst = 0;
  for (const Steady& steady : kSteady) {
    for (const std::size_t n : {std::size_t{200}, std::size_t{1000}}) {
      const Shares found =
          shares([&](std::size_t i) { return statistics::simulate(steady.process, n, kSeed, i); });
      row(std::string(steady.name) + ", steady", n, found);
      worst = std::max({worst, found.cut, found.drifting, found.not_steady});
      if (steady.process != Process::two_state) worst = std::max(worst, found.bimodal);
    }
  }
  const auto with_start = [](std::size_t n, auto level, std::size_t trace) {
    std::vector<double> values = statistics::simulate(Process::correlated, n, kSeed, trace);
    for (std::size_t i = 0; i < n; ++i) values[i] += level(static_cast<double>(i));
    return values;
  };
  row("starts 30 % slower, decays with 20 samples, autoregressive 0.5", 200, shares([&](std::size_t i) {
        return with_start(
            200, [](double at) { return 0.3 * statistics::portable_exp(-at / 20); }, i);
      }));
  row("starts 10 % slower for 30 samples, autoregressive 0.5", 200, shares([&](std::size_t i) {
        return with_start(
            200, [](double at) { return at < 30 ? 0.1 : 0.0; }, i);
      }));
  row("10 % slower for 700 samples, autoregressive 0.5", 1000, shares([&](std::size_t i) {
        return with_start(
            1000, [](double at) { return at < 700 ? 0.1 : 0.0; }, i);
      }));
  // Short series, which are looked at only if warm-up ended at its cap.
  constexpr std::size_t kShort[] = {15, 34};
  double worst_short = 0;
  for (const Steady& steady : kSteady) {
    for (const std::size_t n : kShort) {
      const Shares found =
          shares([&](std::size_t i) { return statistics::simulate(steady.process, n, kSeed, i); });
      row(std::string(steady.name) + ", steady", n, found);
      if (n == kShort[1] && steady.process != Process::two_state)
        worst_short = std::max(worst_short, found.cut + found.not_steady);
    }
  }
  const auto quiet_start = [](std::size_t n, auto level, std::size_t trace) {
    std::vector<double> values = statistics::simulate(Process::correlated, n, kSeed, trace);
    for (std::size_t i = 0; i < n; ++i) values[i] = 1 + (values[i] - 1) / 4 + level(static_cast<double>(i));
    return values;
  };
  for (const std::size_t n : kShort) {
    const double fifth = static_cast<double>(n) / 5;
    row("starts 10 % slower for a fifth, autoregressive 0.5, 0.5 % of noise", n, shares([&](std::size_t i) {
          return quiet_start(
              n, [&](double at) { return at < fifth ? 0.1 : 0.0; }, i);
        }));
    row("starts 30 % slower, decays with a tenth, autoregressive 0.5, 0.5 % of noise", n,
        shares([&](std::size_t i) {
          return quiet_start(
              n, [&](double at) { return 0.3 * statistics::portable_exp(-at * 2 / fifth); }, i);
        }));
  }
  const Shares slow = shares([](std::size_t i) { return drifting(1000, 0.02, i); });
  row("drifts by 2 % over the series", 1000, slow);
  const Shares slower = shares([](std::size_t i) { return drifting(1000, 0.01, i); });
  row("drifts by 1 % over the series", 1000, slower);
  const Shares halves = shares([](std::size_t i) {
    std::vector<double> values = statistics::simulate(Process::iid, 200, kSeed, i);
    statistics::Random random(kSeed + 1, i);
    for (double& value : values) value = 1 + (value - 1) / 4 + (random.chance(0.4) ? 0.04 : 0.0);
    return values;
  });
  row("two levels 4 % apart, 60 : 40, 0.5 % of noise", 200, halves);
  section.targets.push_back({"a drift of 2 % over 1000 samples is flagged", "at least 95 %",
                             percent(slow.drifting), slow.drifting >= 0.95});
  section.targets.push_back(
      {"false flags on steady series (worst kind)", "at most 5 %", percent(worst), worst <= 0.05});
  section.targets.push_back({"a transient seen in steady series of 34 samples (worst kind of one level)",
                             "at most 5 %", percent(worst_short), worst_short <= 0.05});
  section.text = fmt::format(R"(## Flags after sampling

Share of {} series each that are flagged. `transient`: a start that differs, in the first half; `not steady`: in more than that. Only the
two-clocks series has two levels, so `bimodal` is not false there. Below 50 samples a transient is looked for only if warm-up ended at its cap,
by a rule that is blunter.

)",
                             kTraces) +
                 table({"series", "n", "transient", "drifting", "not steady", "bimodal"}, rows);
  return section;
}

}  // namespace assay::proof
