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

using statistics::SimulatedProcess;

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

}  // namespace assay::proof
