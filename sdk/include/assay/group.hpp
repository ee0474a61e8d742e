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

// Calls block until all ranks made them. They throw Cancelled after a cancel, Failure with
// ASSAY_E_COMMUNICATION within 10 ms of another rank's death.
class Group {
 public:
  explicit Group(const Case& run)
      : host_(run.host()), service_(run.service<assay_group_v1>(ASSAY_SERVICE_GROUP)) {}

  std::uint32_t rank() const { return service_ ? service_->rank : 0; }
  std::uint32_t size() const { return service_ ? service_->rank_count : 1; }
  std::uint32_t local_rank() const { return service_ ? service_->local_rank : 0; }
  std::uint32_t node() const { return service_ ? service_->node : 0; }
  std::uint32_t node_count() const { return service_ ? service_->node_count : 1; }

  void barrier() const {
    if (service_) require(service_->barrier(host_), "barrier");
  }

  // Gives every rank the root's value.
  template <class Value>
  void broadcast(Value& value, std::uint32_t root = 0) const {
    static_assert(std::is_trivially_copyable_v<Value>, "ranks are processes: only plain data travels");
    if (service_) require(service_->broadcast(host_, &value, sizeof(Value), root), "broadcast");
  }

  // Every rank's value, in rank order.
  template <class Value>
  std::vector<Value> allgather(const Value& mine) const {
    static_assert(std::is_trivially_copyable_v<Value>, "ranks are processes: only plain data travels");
    std::vector<Value> all(size(), mine);
    if (service_) require(service_->allgather(host_, &mine, all.data(), sizeof(Value)), "allgather");
    return all;
  }

 private:
  static void require(assay_status status, const char* call) {
    if (status == ASSAY_OK) return;
    if (status == ASSAY_CANCELLED) throw Cancelled();
    throw Failure(std::string("the ranks' ") + call + " did not complete", status);
  }

  const assay_case* host_;
  const assay_group_v1* service_;
};

}  // namespace assay
