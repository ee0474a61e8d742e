// SPDX-License-Identifier: Apache-2.0
//
// What the sections of the proof share: trials on all cores, tables, targets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace assay::proof {

inline constexpr std::uint64_t kSeed = 20261121;

// result[i] = trial(i), the trials shared among the cores: the same result however many there are.
template <class Result, class Trial>
std::vector<Result> trials(std::size_t count, const Trial& trial) {
  std::vector<Result> results(count);
  const std::size_t workers = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> threads;
  for (std::size_t worker = 0; worker < workers; ++worker) {
    threads.emplace_back([&, worker] {
      for (std::size_t i = worker; i < count; i += workers) results[i] = trial(i);
    });
  }
  threads.clear();
  return results;
}

// A target of the design, and what was reached.
struct Target {
  std::string claim;
  std::string limit;
  std::string reached;
  bool met = false;
};

struct Section {
  std::string text;  // Markdown, with its heading
  std::vector<Target> targets;
};

// "95.3 %".
std::string percent(double share, int digits = 1);

// A Markdown table.
std::string table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows);

Section fixed_length();
Section under_the_stopping_rule();
Section on_recorded_series();
Section cold_starts();
Section correlation_times();
Section warm_up();
Section marks();
Section pooled_variance();
Section trends();
Section between_processes();
Section comparisons();
Section two_runs();
Section real_pairs();
Section shipped_suites();
Section acceptance();

}  // namespace assay::proof
