// SPDX-License-Identifier: Apache-2.0
//
// The runs of assay on this machine that may use the same processors. Processors are shared, unlike devices
// with an identity (device_lock.hpp): what two runs measure at the same time is said, not forbidden, unless
// one of them wants to be alone.
#pragma once

#include "base/descriptor.hpp"
#include "result/visit.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace assay::run {

// What a run tells the others of itself.
struct RunNotice {
  int pid = 0;
  std::string suite;
  double since_s = 0;     // unix time
  std::vector<int> cpus;  // that it may use, ascending; empty: unknown, any of them
  bool alone = false;     // it wants no other on these processors
};

// This run is known to the others for as long as it lives: one file per run, locked with flock, so that the
// file of a run that was killed counts for nothing.
class RunRegistry {
 public:
  // Throws Error "run.not-alone" if this run or another one on overlapping processors wants them for itself,
  // or if this one does and cannot know.
  RunRegistry(std::filesystem::path folder, RunNotice mine);
  RunRegistry(const RunRegistry&) = delete;  // owns a file
  RunRegistry& operator=(const RunRegistry&) = delete;
  ~RunRegistry();

  // The other runs that measure now and may use one of the same processors.
  [[nodiscard]] std::vector<result::OtherRun> others() const;
  // Why other runs cannot be seen; empty if they can.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  struct RegisteredRun {
    RunNotice notice;
    bool measures = false;  // it was let in
  };
  void announce();
  void write(bool measures) const;
  [[nodiscard]] std::vector<RegisteredRun> look() const;

  std::filesystem::path folder_, path_;
  RunNotice mine_;
  Descriptor file_;
  std::string problem_;
};

// Whether the two may use the same processor.
[[nodiscard]] bool overlap(const std::vector<int>& a, const std::vector<int>& b);

}  // namespace assay::run
