// SPDX-License-Identifier: Apache-2.0
//
// direction: latency. Dependent loads of one device from the memory of another, one pair after the other.
#pragma once

#include "lib/device_chase.cuh"
#include "p2p/exchange.hpp"
#include "p2p/schedule.hpp"

#include <assay/case.hpp>
#include <assay/cuda/device.hpp>
#include <assay/cuda/memory.hpp>
#include <assay/cuda/stream.hpp>
#include <assay/verification.hpp>

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <memory>
#include <string>
#include <vector>

namespace assay::plugins::p2p {

class DeviceChases final : public Exchange {
 public:
  static constexpr std::uint64_t kLoads = 1024;  // of one pair in an iteration

  // Each pair's chain lies on the device `from`, and `to` follows it. `walkers` as walkers_of() says.
  DeviceChases(const Case& run, const std::vector<cuda::Device>& devices, const std::vector<Phase>& phases,
               std::uint64_t bytes, std::uint64_t walkers)
      : run_(run), devices_(devices), walkers_(walkers) {
    for (const cuda::Device& device : devices_) {
      device.make_current();
      streams_.emplace_back();
    }
    for (const Phase& phase : phases) {
      const Transfer& pair = phase.front();
      cuda::DeviceBuffer<ChaseNode> nodes(devices_[pair.from], bytes / sizeof(ChaseNode));
      const cuda::Device& loader = devices_[pair.to];
      loader.make_current();
      DeviceChase chase(loader, streams_[pair.to], nodes.data(), nodes.size(), run_.seed());
      chases_.push_back(std::make_unique<Chain>(Chain{pair, std::move(nodes), std::move(chase)}));
    }
  }

  std::vector<Group> groups() override {
    std::vector<Group> groups;
    for (const std::unique_ptr<Chain>& chain : chases_) {
      const Chain* const one = chain.get();
      const auto multiprocessors = static_cast<unsigned>(devices_[one->pair.to].sm_count());
      Group& group = groups.emplace_back();
      group.tasks_of = {0};
      group.tasks.push_back(
          {one->pair.to, [this, one, multiprocessors](cudaStream_t stream, std::uint64_t i) {
             one->chase.follow<ChaseLoad::uncached>(stream, kLoads, walker(i, multiprocessors, walkers_),
                                                    multiprocessors);
           }});
    }
    return groups;
  }

  void restore() override {
    for (const std::unique_ptr<Chain>& chain : chases_) {
      devices_[chain->pair.to].make_current();
      chain->chase.begin(streams_[chain->pair.to]);
    }
  }

  void check(Verification& seen) override {
    for (const std::unique_ptr<Chain>& chain : chases_) {
      run_.throw_if_cancelled();
      devices_[chain->pair.to].make_current();
      Verification one;
      chain->chase.verify(run_, streams_[chain->pair.to], one);
      seen.method(one.method());
      seen.count(one.checked(), one.wrong(),
                 devices_[chain->pair.to].name() + " in memory of " + devices_[chain->pair.from].name() +
                     ": " + one.reason());
    }
  }

 private:
  struct Chain {
    Transfer pair;
    cuda::DeviceBuffer<ChaseNode> nodes;
    DeviceChase chase;
  };

  const Case& run_;
  const std::vector<cuda::Device>& devices_;
  std::uint64_t walkers_;
  std::vector<cuda::Stream> streams_;  // by device: of what is not measured
  std::vector<std::unique_ptr<Chain>> chases_;
};

}  // namespace assay::plugins::p2p
