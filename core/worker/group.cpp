// SPDX-License-Identifier: Apache-2.0
#include "worker/group.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <string>

namespace assay::worker {
namespace {

assay_status status_of(wire::Segment::Wait wait) {
  switch (wait) {
    case wire::Segment::Wait::done:
      return ASSAY_OK;
    case wire::Segment::Wait::dead:
      return ASSAY_E_COMMUNICATION;
    case wire::Segment::Wait::cancelled:
      return ASSAY_CANCELLED;
  }
  return ASSAY_E_INTERNAL;
}

assay_status status_of(wire::TransferStatus passed) {
  switch (passed) {
    case wire::TransferStatus::done:
      return ASSAY_OK;
    case wire::TransferStatus::dead:
      return ASSAY_E_COMMUNICATION;
    case wire::TransferStatus::cancelled:
      return ASSAY_CANCELLED;
    case wire::TransferStatus::timed_out:
      return ASSAY_E_TIMEOUT;
    case wire::TransferStatus::refused:
      return ASSAY_E_INVALID;
  }
  return ASSAY_E_INTERNAL;
}

bool is_missing(const void* data, std::uint64_t bytes) { return data == nullptr && bytes > 0; }

}  // namespace

// An exception must not enter the plugin. The only ones possible are of memory.
struct RankGroup::Callbacks {
  static RankGroup& group(const assay_group_v1* g) { return *static_cast<RankGroup*>(g->host); }

  static assay_status barrier(const assay_group_v1* g) {
    const RankGroup& self = group(g);
    if (self.is_whole()) return status_of(self.place_.segment->barrier(self.place_.rank));
    return self.allgather(nullptr, nullptr, 0);
  }
  static assay_status broadcast(const assay_group_v1* g, void* data, std::uint64_t bytes,
                                std::uint32_t root) {
    if (root >= g->rank_count || is_missing(data, bytes)) return ASSAY_E_INVALID;
    return group(g).broadcast(data, bytes, root);
  }
  static assay_status allgather(const assay_group_v1* g, const void* mine, void* all, std::uint64_t bytes) {
    if (is_missing(mine, bytes) || is_missing(all, bytes)) return ASSAY_E_INVALID;
    return group(g).allgather(mine, all, bytes);
  }
  static assay_status send(const assay_group_v1* g, std::uint32_t to, const void* data, std::uint64_t bytes,
                           std::int64_t deadline_ns) {
    if (to >= g->rank_count || to == g->rank || is_missing(data, bytes)) return ASSAY_E_INVALID;
    return group(g).send(to, data, bytes, deadline_ns);
  }
  static assay_status receive(const assay_group_v1* g, std::uint32_t from, void* data, std::uint64_t bytes,
                              std::int64_t deadline_ns) {
    if (from >= g->rank_count || from == g->rank || is_missing(data, bytes)) return ASSAY_E_INVALID;
    return group(g).receive(from, data, bytes, deadline_ns);
  }
  static assay_status split(const assay_group_v1* g, std::uint32_t color, std::uint32_t key,
                            const assay_group_v1** out) {
    if (out == nullptr) return ASSAY_E_INVALID;
    *out = nullptr;
    try {
      return group(g).split(color, key, out);
    } catch (const std::exception&) {
      return ASSAY_E_RESOURCE;
    }
  }
};

RankGroup::RankGroup(const wire::StartVisit& start, const RankPosition& place) : place_(place) {
  if (start.ranks.size() != static_cast<std::size_t>(place.rank_count))
    throw Error("wire.malformed", "the visit tells of " + std::to_string(start.ranks.size()) +
                                      " ranks, and there are " + std::to_string(place.rank_count));
  std::vector<assay_rank> table;
  devices_.reserve(start.ranks.size());
  for (std::size_t rank = 0; rank < start.ranks.size(); ++rank) {
    const wire::VisitRank& of = start.ranks[rank];
    std::vector<assay_device>& devices = devices_.emplace_back();
    for (const wire::VisitDevice& device : of.devices)
      devices.push_back({sizeof(assay_device), device.ordinal, device.name.c_str(), device.uuid.c_str(),
                         device.numa_node, 0});
    std::vector<const assay_device*>& pointers = device_pointers_.emplace_back();
    for (const assay_device& device : devices) pointers.push_back(&device);
    const auto number = static_cast<std::uint32_t>(rank);
    table.push_back({sizeof(assay_rank), number, number, static_cast<std::uint32_t>(of.local_rank),
                     static_cast<std::uint32_t>(of.node), static_cast<std::uint32_t>(devices.size()),
                     nullptr});
  }
  for (std::size_t rank = 0; rank < table.size(); ++rank) table[rank].devices = device_pointers_[rank].data();
  set_up(table, static_cast<std::uint32_t>(place.rank));
  abi_.node_count = static_cast<std::uint32_t>(place.node_count);
}

RankGroup::RankGroup(const RankGroup& parent, const std::vector<std::uint32_t>& members)
    : place_(parent.place_) {
  std::vector<assay_rank> table;
  std::uint32_t mine = 0;
  std::vector<std::uint32_t> nodes;
  for (const std::uint32_t member : members) {
    if (member == parent.abi_.rank) mine = static_cast<std::uint32_t>(table.size());
    table.push_back(parent.ranks_[member]);
    table.back().rank = static_cast<std::uint32_t>(table.size()) - 1;
    parts_of_visit_.push_back(static_cast<int>(table.back().visit_rank));
    nodes.push_back(table.back().node);
  }
  set_up(table, mine);
  std::sort(nodes.begin(), nodes.end());
  abi_.node_count = static_cast<std::uint32_t>(std::unique(nodes.begin(), nodes.end()) - nodes.begin());
}

void RankGroup::set_up(const std::vector<assay_rank>& table, std::uint32_t mine) {
  ranks_ = table;
  for (const assay_rank& rank : ranks_) rank_pointers_.push_back(&rank);
  abi_.size = sizeof abi_;
  abi_.rank = mine;
  abi_.rank_count = static_cast<std::uint32_t>(ranks_.size());
  abi_.local_rank = ranks_[mine].local_rank;
  abi_.node = ranks_[mine].node;
  abi_.ranks = rank_pointers_.data();
  abi_.host = this;
  abi_.barrier = Callbacks::barrier;
  abi_.broadcast = Callbacks::broadcast;
  abi_.allgather = Callbacks::allgather;
  abi_.send = Callbacks::send;
  abi_.receive = Callbacks::receive;
  abi_.split = Callbacks::split;
}

int RankGroup::visit_rank(std::uint32_t rank) const { return static_cast<int>(ranks_[rank].visit_rank); }

assay_status RankGroup::send(std::uint32_t to, const void* data, std::uint64_t bytes,
                             std::int64_t deadline_ns) const {
  return status_of(place_.segment->send(place_.rank, visit_rank(to), data, bytes, deadline_ns));
}

assay_status RankGroup::receive(std::uint32_t from, void* data, std::uint64_t bytes,
                                std::int64_t deadline_ns) const {
  return status_of(place_.segment->receive(place_.rank, visit_rank(from), data, bytes, deadline_ns));
}

// Ranks of a part of the visit have no barrier of their own: they send what they have to say.
assay_status RankGroup::broadcast(void* data, std::uint64_t bytes, std::uint32_t root) const {
  if (is_whole())
    return status_of(place_.segment->broadcast(place_.rank, data, bytes, static_cast<int>(root)));
  if (abi_.rank != root) return receive(root, data, bytes, 0);
  for (std::uint32_t to = 0; to < abi_.rank_count; ++to) {
    if (to == root) continue;
    if (const assay_status status = send(to, data, bytes, 0); status != ASSAY_OK) return status;
  }
  return ASSAY_OK;
}

assay_status RankGroup::allgather(const void* mine, void* all, std::uint64_t bytes) const {
  if (is_whole()) return status_of(place_.segment->allgather(place_.rank, mine, all, bytes));
  auto* const at = static_cast<char*>(all);
  if (abi_.rank != 0) {
    if (const assay_status status = send(0, mine, bytes, 0); status != ASSAY_OK) return status;
  } else {
    if (bytes > 0) std::memcpy(at, mine, bytes);
    for (std::uint32_t from = 1; from < abi_.rank_count; ++from)
      if (const assay_status status = receive(from, at + from * bytes, bytes, 0); status != ASSAY_OK)
        return status;
  }
  return broadcast(all, bytes * abi_.rank_count, 0);
}

assay_status RankGroup::split(std::uint32_t color, std::uint32_t key, const assay_group_v1** out) {
  struct SplitChoice {
    std::uint32_t color, key;
  };
  const SplitChoice mine{color, key};
  std::vector<SplitChoice> all(abi_.rank_count);
  if (const assay_status status = allgather(&mine, all.data(), sizeof mine); status != ASSAY_OK)
    return status;
  std::vector<std::uint32_t> members;
  for (std::uint32_t rank = 0; rank < abi_.rank_count; ++rank)
    if (all[rank].color == color) members.push_back(rank);
  std::stable_sort(members.begin(), members.end(),
                   [&](std::uint32_t one, std::uint32_t other) { return all[one].key < all[other].key; });
  made_.push_back(std::unique_ptr<RankGroup>(new RankGroup(*this, members)));
  *out = made_.back()->abi();
  return ASSAY_OK;
}

}  // namespace assay::worker
