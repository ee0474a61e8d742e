// SPDX-License-Identifier: Apache-2.0
//
// Runs plans whose workers are testing/test_worker.cpp: real processes and signals, with short limits.
#pragma once

#include "catalog/catalog.hpp"
#include "run/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace assay::run {

struct CaseOptions {
  Json parameters = Json::object();
  std::vector<std::vector<std::string>> ranks = {{}};  // devices of each
  double timeout_s = 30;
  std::string key = "key";
  int round = 1;
};

inline CaseOptions on(const std::string& device, double timeout_s = 30) {
  CaseOptions options;
  options.ranks = {{device}};
  options.timeout_s = timeout_s;
  return options;
}

// A run and its visits: those of `done` that counted, then those that it finished.
struct Recorded : Record {
  std::vector<result::Visit> visits;
};

class RunTest : public ::testing::Test {
 protected:
  void SetUp() override;
  // No test may leave processes, descriptors or files behind.
  void TearDown() override;

  // Adds a case of the benchmark whose name says what the worker does, and a visit of it.
  plan::PlannedCase& add(const std::string& id, const std::string& behaviour,
                         const CaseOptions& options = {});
  void add_visit(const std::string& id, int round);
  // Two devices of a backend whose plugin behaves as `how` says; "" for one without a plugin.
  void add_devices(const std::string& how = "backend");
  Recorded run(const std::vector<result::Visit>& done = {});
  // Runs one case alone.
  result::Visit visit_of(const std::string& behaviour, const CaseOptions& options = {});

  [[nodiscard]] catalog::Manifest& manifest() { return manifest_; }

  RunSettings settings_;
  catalog::Catalog catalog_;
  system::Inventory inventory_;
  plan::Plan plan_;
  std::function<StopRequest()> stop_;
  Finished finished_;
  RunWatch watch_;
  std::filesystem::path folder_;

 private:
  catalog::Manifest manifest_;
  std::vector<std::unique_ptr<catalog::Benchmark>> benchmarks_;
  std::string descriptors_;
};

}  // namespace assay::run
