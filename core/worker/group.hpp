// SPDX-License-Identifier: Apache-2.0
//
// The host's side of assay.group/1: the ranks of one visit, and the groups that plugins make of them.
#pragma once

#include "wire/messages.hpp"
#include "worker/rank_position.hpp"

#include <assay/abi/v1.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace assay::worker {

class RankGroup {
 public:
  // All ranks of the visit, which are more than one. Both arguments outlive it. Throws Error "wire.malformed" if the
  // start tells of another number of ranks.
  RankGroup(const wire::StartVisit& start, const RankPosition& place);
  RankGroup(const RankGroup&) = delete;  // the plugin holds its address
  RankGroup& operator=(const RankGroup&) = delete;

  [[nodiscard]] const assay_group_v1* abi() const { return &abi_; }

 private:
  struct Callbacks;  // the C functions
  // Some of another group's ranks, in this order of theirs.
  RankGroup(const RankGroup& parent, const std::vector<std::uint32_t>& members);

  void set_up(const std::vector<assay_rank>& table, std::uint32_t mine);
  [[nodiscard]] bool is_whole() const { return parts_of_visit_.empty(); }
  [[nodiscard]] int visit_rank(std::uint32_t rank) const;
  assay_status send(std::uint32_t to, const void* data, std::uint64_t bytes, std::int64_t deadline_ns) const;
  assay_status receive(std::uint32_t from, void* data, std::uint64_t bytes, std::int64_t deadline_ns) const;
  assay_status broadcast(void* data, std::uint64_t bytes, std::uint32_t root) const;
  assay_status allgather(const void* mine, void* all, std::uint64_t bytes) const;
  assay_status split(std::uint32_t color, std::uint32_t key, const assay_group_v1** out);

  const RankPosition& place_;
  std::vector<std::vector<assay_device>> devices_;
  std::vector<std::vector<const assay_device*>> device_pointers_;
  std::vector<assay_rank> ranks_;
  std::vector<const assay_rank*> rank_pointers_;
  std::vector<int> parts_of_visit_;  // of a group of some ranks: their ranks in the visit
  std::deque<std::unique_ptr<RankGroup>> made_;
  assay_group_v1 abi_{};
};

}  // namespace assay::worker
