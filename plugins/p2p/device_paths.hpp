// SPDX-License-Identifier: Apache-2.0
//
// The ways between the devices of a case: which there are, and holding them open or shut.
#pragma once

#include "p2p/links.hpp"
#include "p2p/peer_access.hpp"
#include "p2p/schedule.hpp"

#include <assay/cuda/device.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace assay::plugins::p2p {

class DevicePaths {
 public:
  // Between every two devices that any phase has a transfer for, from either side.
  DevicePaths(const std::vector<cuda::Device>& devices, const std::vector<Phase>& phases) {
    for (std::size_t from = 0; from < devices.size(); ++from) {
      for (std::size_t to = 0; to < devices.size(); ++to) {
        const auto between = [&](const Transfer& transfer) {
          return (transfer.from == from && transfer.to == to) || (transfer.from == to && transfer.to == from);
        };
        const bool measured = std::any_of(phases.begin(), phases.end(), [&](const Phase& phase) {
          return std::any_of(phase.begin(), phase.end(), between);
        });
        if (!measured) continue;
        paths_.push_back({devices[from], devices[to]});
        links_.push_back(link_between(devices[from], devices[to]));
      }
    }
  }

  // The first that does not reach the other's memory, if there is one.
  std::optional<Link> first_without_access() const {
    const auto found =
        std::find_if(links_.begin(), links_.end(), [](const Link& link) { return !link.access; });
    return found == links_.end() ? std::nullopt : std::optional<Link>(*found);
  }

  // From here on, and for as long as this lives, devices reach each other's memory where they can, or do not.
  void open(bool wanted) {
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      if (links_[i].access) open_.emplace_back(paths_[i].from, paths_[i].to, wanted);
    }
  }

  std::string links_text() const { return text_of(links_); }

  // How copies go between devices that reach each other, or were to. Those that cannot are named.
  std::string way_text(bool wanted) const {
    if (!wanted) return "through the host";
    std::string staged;
    for (const Link& link : links_) {
      if (!link.access) staged += (staged.empty() ? "" : ", ") + link.from + "-" + link.to;
    }
    return staged.empty() ? "direct" : "through the host: " + staged;
  }

 private:
  struct Path {
    const cuda::Device &from, &to;
  };

  std::vector<Path> paths_;
  std::vector<Link> links_;  // of each path
  std::deque<PeerAccess> open_;
};

}  // namespace assay::plugins::p2p
