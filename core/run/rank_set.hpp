// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/manifest.hpp"
#include "wire/child.hpp"
#include "wire/segment.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace assay::run {

// How the worker of one rank is started.
struct RankSetup {
  process::Launch launch;
  int node = 0;
  std::vector<std::string> visible;  // its devices, in the order in which it numbers them
  bool renumbered = false;           // the environment hides all others, so that they count from 0
};

// The workers of all ranks of one worker key, and the memory that they share.
class RankSet {
 public:
  // Throws Error "worker.start" or "segment.unavailable".
  RankSet(std::vector<RankSetup> setups, const catalog::Manifest& manifest);

  [[nodiscard]] int size() const { return static_cast<int>(workers_.size()); }
  [[nodiscard]] wire::Child& worker(int rank) { return *workers_.at(static_cast<std::size_t>(rank)); }
  [[nodiscard]] const RankSetup& setup(int rank) const { return setups_.at(static_cast<std::size_t>(rank)); }
  [[nodiscard]] wire::Segment& segment() { return segment_; }
  [[nodiscard]] std::uint64_t next_number() { return ++number_; }
  [[nodiscard]] std::uint64_t visits() const { return number_; }
  // Whether the rank's worker has said that its plugin is loaded.
  [[nodiscard]] bool ready(int rank) const { return ready_.at(static_cast<std::size_t>(rank)); }
  void set_ready(int rank) { ready_.at(static_cast<std::size_t>(rank)) = true; }

  void collect(std::vector<pollfd>& polled);
  void pump(const std::vector<pollfd>& polled);
  // Why the set cannot serve another visit because a worker ended meanwhile, or "".
  [[nodiscard]] std::string lost();
  // Asks all workers to end, and kills those that still live after limit_s.
  void close(double limit_s);

 private:
  std::vector<RankSetup> setups_;
  wire::Segment segment_;
  std::vector<std::unique_ptr<wire::Child>> workers_;
  std::vector<bool> ready_;
  std::uint64_t number_ = 0;
};

}  // namespace assay::run
