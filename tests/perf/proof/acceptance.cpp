// SPDX-License-Identifier: Apache-2.0
//
// Nodes whose health is known, held to their peers as the shipped acceptances do, and to a baseline.
#include "proof.hpp"
#include "statistics/band.hpp"
#include "statistics/summary.hpp"
#include "statistics/testing/random.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace assay::proof {
namespace {

using statistics::Random;

constexpr std::size_t kNodes = 2000;
constexpr double kFalseAlarms = 0.01;

// A row of gpu-acceptance: by how much healthy H200 differ, and the share of its peers that a device must reach.
struct Work {
  double chips = 0;
  double share = 1;
};
constexpr std::array<Work, 9> kRows{{
    {0.013, 0.91},   // gemm bf16
    {0.019, 0.87},   // fp8
    {0.016, 0.91},   // tf32
    {0.004, 0.975},  // fp32
    {0.006, 0.97},   // read
    {0.0015, 0.98},  // triad
    {0.0015, 0.98},  // copy
    {0.0015, 0.95},  // to the device
    {0.0015, 0.95},  // and back
}};

struct Setting {
  std::string text;
  double slower = 0;     // of the slow devices, in each row
  std::size_t slow = 0;  // this many; 0: none
  bool all = false;      // or every one
  double scatter = 1;    // times what H200 differ by
  bool half = false;
};

struct Found {
  bool failed = false, undecided = false;  // by peers
  bool blamed = false;                     // a healthy device failed
  std::array<bool, 2> below{};             // the band of 8, of 60
};

using Node = std::vector<std::vector<double>>;  // by row and device, logarithms

Node node_of(const Setting& setting, std::size_t devices, std::size_t slow, Random& random) {
  Node node;
  for (const Work& work : kRows) {
    std::vector<double>& values = node.emplace_back();
    for (std::size_t i = 0; i < devices; ++i)
      values.push_back(setting.scatter * work.chips * random.normal() +
                       (i < slow ? statistics::portable_log(1 - setting.slower) : 0));
  }
  return node;
}

constexpr std::array<std::size_t, 2> kMembers{8, 60};

double probability_of(std::size_t devices) {
  return kFalseAlarms / static_cast<double>(devices * kRows.size());
}

Found tried(const Setting& setting, std::size_t devices, const std::array<double, 2>& factors,
            std::uint64_t trial) {
  Random random(kSeed, trial);
  const std::size_t slow = setting.all ? devices : setting.half ? devices / 2 : setting.slow;
  const Node node = node_of(setting, devices, slow, random);
  const double probability = probability_of(devices);
  Found found;
  const std::array<Node, 2> healthy{node_of({"", 0, 0, false, setting.scatter}, kMembers[0], 0, random),
                                    node_of({"", 0, 0, false, setting.scatter}, kMembers[1], 0, random)};
  for (std::size_t row = 0; row < kRows.size(); ++row)
    for (std::size_t i = 0; i < devices; ++i) {
      std::vector<double> others = node[row];
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      const statistics::Chance chance = statistics::among_peers(others, probability);
      const double shift = node[row][i] - chance.middle;
      if (shift < statistics::portable_log(kRows[row].share)) {
        const bool fails = shift < -chance.reach;
        (fails ? found.failed : found.undecided) = true;
        found.blamed = found.blamed || (fails && i >= slow);
      }
      for (std::size_t band = 0; band < kMembers.size(); ++band) {
        const std::vector<double>& members = healthy[band][row];
        const double limit = statistics::mean(members) - factors[band] * statistics::stdev(members);
        found.below[band] = found.below[band] || node[row][i] < limit;
      }
    }
  return found;
}

struct Shares {
  double failed = 0, undecided = 0, passed = 0, blamed = 0;
  std::array<double, 2> below{};
};

Shares shares_of(const std::vector<Found>& trials) {
  Shares sum;
  const double one = 1 / static_cast<double>(trials.size());
  for (const Found& each : trials) {
    (each.failed ? sum.failed : each.undecided ? sum.undecided : sum.passed) += one;
    sum.blamed += each.blamed ? one : 0;
    for (std::size_t band = 0; band < sum.below.size(); ++band) sum.below[band] += each.below[band] ? one : 0;
  }
  return sum;
}

}  // namespace

Section acceptance() {
  const std::vector<Setting> settings = {
      {"all healthy"},
      {"one 3 % slow", 0.03, 1},
      {"one 5 % slow", 0.05, 1},
      {"one 10 % slow", 0.1, 1},
      {"two 5 % slow", 0.05, 2},
      {"half of them 5 % slow", 0.05, 0, false, 1, true},
      {"all 3 % slow", 0.03, 0, true},
      {"all healthy, of a model that differs three times as much", 0, 0, false, 3},
      {"one 5 % slow, of a model that differs three times as much", 0.05, 1, false, 3},
  };
  Section section;
  section.text = fmt::format(
      "## Acceptance: peers and bands\n\n"
      "Simulated nodes, {} a line, whose GPUs differ as H200 do: products by 1.3 to 1.9 % (without tensor cores 0.4 %), reads by 0.6 %, other copies by "
      "0.15 %. *Slow* is slow in every row. They are held to their peers as `gpu-acceptance` does, and to a band of healthy GPUs (`within band`), which have never "
      "been in that node. *Fails* names a GPU; what is undecided is not green there either. Shares of the peak are not in these figures.\n\n",
      kNodes);
  std::vector<std::vector<std::string>> rows;
  for (const std::size_t devices : {std::size_t{4}, std::size_t{8}}) {
    const std::array<double, 2> factors{statistics::band_factor(kMembers[0], probability_of(devices)),
                                        statistics::band_factor(kMembers[1], probability_of(devices))};
    for (std::size_t i = 0; i < settings.size(); ++i) {
      const Shares shares = shares_of(trials<Found>(kNodes, [&](std::size_t trial) {
        return tried(settings[i], devices, factors, (devices * 100 + i) * kNodes + trial);
      }));
      rows.push_back({std::to_string(devices), settings[i].text, percent(shares.failed),
                      percent(shares.undecided), percent(shares.passed), percent(shares.blamed),
                      percent(shares.below[0]), percent(shares.below[1])});
      const auto target = [&](const std::string& what, const std::string& limit, double reached, bool met) {
        section.targets.push_back(
            {fmt::format("acceptance of {} GPUs, {}", devices, what), limit, percent(reached), met});
      };
      const double caught = shares.failed + shares.undecided;
      if (i == 0)
        target("healthy ones pass cleanly, by peers alone", "≥ 98 %", shares.passed, shares.passed >= 0.98);
      if (i == 0)
        target("healthy ones pass a band of eight", "≥ 98 %", 1 - shares.below[0], shares.below[0] <= 0.02);
      if (i == 1 || i == 2)
        target(settings[i].text + " is not passed, by peers alone", "≥ 95 %", caught, caught >= 0.95);
      if (i == 1)
        target("one 3 % slow is found by a band of eight", "≥ 95 %", shares.below[0],
               shares.below[0] >= 0.95);
      if (i == 6) target("all 3 % slow are not passed, by peers alone", "≥ 95 %", caught, caught >= 0.95);
      if (i == 6)
        target("all 3 % slow are found by a band of eight", "≥ 95 %", shares.below[0],
               shares.below[0] >= 0.95);
    }
  }
  section.text += table({"GPUs", "node", "fails", "undecided", "passes its peers", "a healthy GPU is named",
                         "found by a band of 8", "by one of 60"},
                        rows);
  return section;
}

}  // namespace assay::proof
