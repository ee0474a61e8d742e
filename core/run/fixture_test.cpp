// SPDX-License-Identifier: Apache-2.0
#include "run/testing/fixture.hpp"

#include "base/testing/temporary_folder.hpp"
#include "text/testing/folders.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

namespace assay::run {
namespace {

std::string open_descriptors() {
  std::vector<std::string> targets;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const auto target = std::filesystem::read_symlink(entry.path(), gone);
    if (!gone && target.string().find("/proc/") == std::string::npos)
      targets.push_back(entry.path().filename());
  }
  std::sort(targets.begin(), targets.end());
  std::string list;
  for (const std::string& target : targets) list += target + " ";
  return list;
}

}  // namespace

void RunTest::SetUp() {
  folder_ = make_temporary_folder("run");
  settings_.program = build_folder() / "bin/assay_run_test_worker";
  settings_.grace_s = 0.05;
  settings_.rank_grace_s = 0.05;
  settings_.lock_folder = folder_ / "locks";
  manifest_.id = "org.test.worker";
  manifest_.library = "none";
  manifest_.backend = "fake";
  descriptors_ = open_descriptors();
}

void RunTest::TearDown() {
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a process is left";
  EXPECT_EQ(errno, ECHILD);
  EXPECT_EQ(open_descriptors(), descriptors_);
  if (std::filesystem::exists(settings_.lock_folder)) {
    EXPECT_TRUE(std::filesystem::is_empty(settings_.lock_folder));
  }
  std::filesystem::remove_all(folder_);
}

plan::PlannedCase& RunTest::add(const std::string& id, const std::string& behaviour,
                                const CaseOptions& options) {
  auto benchmark = std::make_unique<catalog::Benchmark>();
  benchmark->name = behaviour;
  plan::PlannedCase planned;
  planned.id = id;
  planned.manifest = &manifest_;
  planned.benchmark = benchmark.get();
  planned.parameters = options.parameters;
  planned.timeout_s = options.timeout_s;
  planned.worker_key = options.key;
  for (const auto& devices : options.ranks) {
    plan::RankPlacement placement;
    placement.devices = devices;
    planned.placement.ranks.push_back(placement);
  }
  benchmarks_.push_back(std::move(benchmark));
  plan_.cases.push_back(std::move(planned));
  plan_.order.push_back({plan_.cases.size() - 1, options.round});
  return plan_.cases.back();
}

void RunTest::add_visit(const std::string& id, int round) {
  const auto found = std::find_if(plan_.cases.begin(), plan_.cases.end(),
                                  [&](const plan::PlannedCase& planned) { return planned.id == id; });
  plan_.order.push_back({static_cast<std::size_t>(found - plan_.cases.begin()), round});
}

void RunTest::add_devices(const std::string& how) {
  system::Backend backend;
  backend.name = "fake";
  for (const char* number : {"0", "1"}) {
    system::Device device;
    device.name = std::string("fake:") + number;
    device.uuid = std::string("uuid/") + number;
    backend.devices.push_back(device);
  }
  inventory_.backends.push_back(backend);
  if (how.empty()) return;
  catalog::Manifest manifest;
  manifest.id = "org.test.backend";
  manifest.library = how;
  manifest.provides_backend = "fake";
  manifest.telemetry = {{"power", "W", catalog::QuantityKind::gauge, catalog::AboveZero::is_normal, ""},
                        {"temperature", "C", catalog::QuantityKind::gauge, catalog::AboveZero::is_normal, ""},
                        {"energy", "J", catalog::QuantityKind::counter, catalog::AboveZero::is_normal, ""},
                        {"errors", "1", catalog::QuantityKind::counter, catalog::AboveZero::fails, ""}};
  manifest.reasons = {{"power_cap", catalog::kPowerCapped, ""},
                      {"hw_thermal", catalog::kThrottled, ""},
                      {"xid_79", catalog::kFault, ""}};
  catalog_.add(std::move(manifest));
}

Recorded RunTest::run(const std::vector<result::Visit>& done) {
  for (plan::PlannedCase& planned : plan_.cases)
    planned.device_backend = catalog_.backend(plan::backend_of(planned));
  const auto held = hold_devices(plan_, inventory_, settings_);
  Recorded recorded;
  for (const result::Visit& visit : done) {
    if (visit.outcome != result::Outcome::cancelled) recorded.visits.push_back(visit);
  }
  const auto finished = [&](const result::Visit& visit) {
    if (finished_) finished_(visit);
    recorded.visits.push_back(visit);
  };
  static_cast<Record&>(recorded) =
      run::run(plan_, inventory_, catalog_, settings_, done, stop_, finished, watch_);
  return recorded;
}

result::Visit RunTest::visit_of(const std::string& behaviour, const CaseOptions& options) {
  add("case", behaviour, options);
  Recorded record = run();
  EXPECT_EQ(record.visits.size(), 1u);
  return record.visits.empty() ? result::Visit{} : record.visits.front();
}

}  // namespace assay::run
