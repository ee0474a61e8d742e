// SPDX-License-Identifier: Apache-2.0
//
// What is checked: a plugin's files, and where its benchmarks can run.
#pragma once

#include "base/json.hpp"
#include "catalog/catalog.hpp"
#include "check/check_verdict.hpp"
#include "check/rank.hpp"
#include "wire/messages.hpp"
#include "worker/plugin.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay::check {

// Where the benchmarks of the plugin can run.
struct TestDevices {
  std::vector<wire::VisitDevice> list;
  std::string lacking;  // why there is none, if there is none
};

// Values of parameters, as text, that stand in for their defaults: "64MiB", "true". A required parameter
// whose value cannot be guessed needs one.
using Given = std::map<std::string, std::string>;

// The files, as one check sees them. Reads the manifest anew, so that a check depends on nothing but its own
// process.
class Subject {
 public:
  // Tells the parent how far it came: what a process did when it died.
  using StageCallback = std::function<void(const std::string& stage, bool may_die)>;
  // Checks one benchmark in as many processes as it needs ranks.
  using InRanks = std::function<CheckVerdict(const catalog::Benchmark& benchmark)>;

  // `contracts` is a folder. Never throws for what is wrong with the files: see problems(). Throws Error
  // "usage.parameter" if no benchmark has a parameter that is given, or its value is none of the parameter's.
  Subject(std::filesystem::path library, std::filesystem::path manifest,
          const std::filesystem::path& contracts, TestDevices devices, StageCallback progress,
          const Given& given = {}, InRanks in_ranks = {});

  [[nodiscard]] const std::filesystem::path& library() const { return library_; }
  [[nodiscard]] const std::filesystem::path& manifest_file() const { return manifest_file_; }
  // Empty if the manifest is missing or invalid; problems() then says why, and of a valid one what it warns of.
  [[nodiscard]] const std::optional<catalog::Manifest>& manifest() const { return manifest_; }
  [[nodiscard]] const std::string& problems() const { return problems_; }
  // Its benchmarks with their own defaults, whatever was given.
  [[nodiscard]] const std::vector<catalog::Benchmark>& described() const { return described_; }
  [[nodiscard]] const catalog::Catalog& contracts() const { return contracts_; }
  [[nodiscard]] const TestDevices& devices() const { return devices_; }

  // Names what is under way. `may_die`: a death in this stage is not a fault.
  void enter(const std::string& stage, bool may_die = false) const {
    if (rank_.number() == 0) progress_(stage, may_die);
    rank_.may_die(may_die);
  }

  // This process's place among those that run the same check; the only one, unless it became another, which
  // checks one benchmark only.
  [[nodiscard]] const CheckedRank& rank() const { return rank_; }
  [[nodiscard]] const std::string& only_benchmark() const { return only_benchmark_; }
  void set_rank(const CheckedRank& rank, std::string benchmark) {
    rank_ = rank;
    only_benchmark_ = std::move(benchmark);
  }
  [[nodiscard]] CheckVerdict in_ranks(const catalog::Benchmark& benchmark) const {
    return in_ranks_(benchmark);
  }

 private:
  std::filesystem::path library_, manifest_file_;
  catalog::Catalog contracts_;
  std::optional<catalog::Manifest> manifest_;
  std::vector<catalog::Benchmark> described_;
  std::string problems_;
  TestDevices devices_;
  StageCallback progress_;
  InRanks in_ranks_;
  CheckedRank rank_;
  std::string only_benchmark_;
};

// One of its benchmarks, with the plugin open.
struct CheckedBenchmark {
  const Subject& subject;
  const worker::LoadedPlugin& plugin;
  const catalog::Benchmark& benchmark;
};

// One that a parameter without a default may have.
[[nodiscard]] Json legal_value(const catalog::Parameter& parameter);

// Every parameter at its default; required ones at a small legal value.
[[nodiscard]] Json default_parameters(const catalog::Benchmark& benchmark);
// The same with integers of at most 2^16 where limits allow, so that a check is quick.
[[nodiscard]] Json small_parameters(const catalog::Benchmark& benchmark);

}  // namespace assay::check
