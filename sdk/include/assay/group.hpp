// SPDX-License-Identifier: Apache-2.0
//
// The ranks of a visit, one process each. Without the host's group service there is one rank, and every call
// is trivial.
#pragma once

#include <assay/abi/v1.h>
#include <assay/case.hpp>
#include <assay/errors.hpp>

#include <cstdint>
#include <type_traits>
#include <vector>

namespace assay {

// Calls block until all ranks made them, send and receive until the other rank did. They throw Cancelled after a
// cancel, Failure with ASSAY_E_COMMUNICATION soon after another rank's death.
class Group {
 public:
  // All ranks of the visit.
  explicit Group(const Case& run) : Group(run.service<assay_group_v1>(ASSAY_SERVICE_GROUP)) {}

  std::uint32_t rank() const { return service_ ? service_->rank : 0; }
  std::uint32_t size() const { return service_ ? service_->rank_count : 1; }
  std::uint32_t local_rank() const { return service_ ? service_->local_rank : 0; }
  std::uint32_t node() const { return service_ ? service_->node : 0; }
  std::uint32_t node_count() const { return service_ ? service_->node_count : 1; }
  // Where a rank is and which devices it has; nullptr in a visit of a single rank.
  const assay_rank* placed(std::uint32_t rank) const { return service_ ? service_->ranks[rank] : nullptr; }

  void barrier() const {
    if (service_) require(service_->barrier(service_), "barrier");
  }

  // Gives every rank the root's value.
  template <class Value>
  void broadcast(Value& value, std::uint32_t root = 0) const {
    static_assert(std::is_trivially_copyable_v<Value>, "ranks are processes: only plain data travels");
    if (service_) require(service_->broadcast(service_, &value, sizeof(Value), root), "broadcast");
  }

  // Every rank's value, in rank order.
  template <class Value>
  std::vector<Value> allgather(const Value& mine) const {
    static_assert(std::is_trivially_copyable_v<Value>, "ranks are processes: only plain data travels");
    std::vector<Value> all(size(), mine);
    if (service_) require(service_->allgather(service_, &mine, all.data(), sizeof(Value)), "allgather");
    return all;
  }

  // Returns when the other rank has the data. Throws Failure: with ASSAY_E_TIMEOUT at deadline_ns of the case's
  // now_ns() (0: no deadline), with ASSAY_E_INVALID if there is no such rank, or it passes another size.
  template <class Value>
  void send(const Value& value, std::uint32_t to, std::int64_t deadline_ns = 0) const {
    static_assert(std::is_trivially_copyable_v<Value>, "ranks are processes: only plain data travels");
    require(service_ ? service_->send(service_, to, &value, sizeof(Value), deadline_ns) : ASSAY_E_INVALID,
            "send");
  }
  template <class Value>
  Value receive(std::uint32_t from, std::int64_t deadline_ns = 0) const {
    static_assert(std::is_trivially_copyable_v<Value>, "ranks are processes: only plain data travels");
    Value value{};
    require(
        service_ ? service_->receive(service_, from, &value, sizeof(Value), deadline_ns) : ASSAY_E_INVALID,
        "receive");
    return value;
  }

  // The ranks that pass the same color, in the order of their keys. All ranks of this group call it.
  Group split(std::uint32_t color, std::uint32_t key = 0) const {
    const assay_group_v1* part = nullptr;
    if (service_) require(service_->split(service_, color, key, &part), "split");
    return Group(part);
  }

 private:
  explicit Group(const assay_group_v1* service) : service_(service) {}

  static void require(assay_status status, const char* call) {
    if (status == ASSAY_OK) return;
    if (status == ASSAY_CANCELLED) throw Cancelled();
    throw Failure(std::string("the ranks' ") + call + " did not complete", status);
  }

  const assay_group_v1* service_;
};

}  // namespace assay
