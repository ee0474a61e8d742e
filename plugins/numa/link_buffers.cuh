// SPDX-License-Identifier: Apache-2.0
//
// The two ends of every link: memory of a node, placed and proved to lie there, and memory of a GPU.
#pragma once

#include "lib/copied_words.cuh"
#include "lib/copied_words.hpp"
#include "numa/crew.hpp"
#include "numa/links.hpp"
#include "numa/placed_memory.hpp"
#include "numa/plan.hpp"

#include <assay/case.hpp>
#include <assay/cuda.hpp>
#include <assay/verification.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace assay::plugins::numa {

// Page-locks memory that lies where it belongs already; it stays there. Neither copied nor moved.
class PageLock {
 public:
  PageLock(void* memory, std::size_t bytes) : memory_(memory) {
    ASSAY_CUDA_CHECK(cudaHostRegister(memory, bytes, cudaHostRegisterPortable));
  }
  PageLock(const PageLock&) = delete;
  PageLock& operator=(const PageLock&) = delete;
  ~PageLock() { cudaHostUnregister(memory_); }

 private:
  void* memory_;
};

// For every node and device a buffer of `words` on each.
class LinkBuffers {
 public:
  // Throws Skip where pages do not come to lie on their node, Failure, Cancelled.
  LinkBuffers(const Case& run, Crew& crew, const std::vector<Node>& nodes,
              const std::vector<cuda::Device>& devices, std::size_t words, CopyWay way, bool page_locked,
              bool several_nodes)
      : run_(run), crew_(crew), devices_(devices), words_(words), way_(way) {
    const std::size_t bytes = words * sizeof(CopiedWord);
    regions_.reserve(nodes.size());  // memory points at them
    for (std::size_t node = 0; node < nodes.size(); ++node) {
      Region& region = regions_.emplace_back();
      region.policy = Region::Policy::bind;
      region.policy_nodes = region.expected = {nodes[node].number};
      region.toucher = node;
      for (const cuda::Device& device : devices) {
        device.make_current();
        on_host_.emplace_back(run, crew, region, bytes, several_nodes);
        on_device_.emplace_back(device, words);
        if (page_locked)
          locks_.push_back(std::make_unique<PageLock>(on_host_.back().data(), on_host_.back().bytes()));
      }
    }
  }
  LinkBuffers(const LinkBuffers&) = delete;
  LinkBuffers& operator=(const LinkBuffers&) = delete;

  [[nodiscard]] bool is_known() const { return on_host_.front().is_known(); }

  // Queues one copy over the link in the stream of its device, which is the calling thread's current one.
  // With memory that is not page-locked it returns when the library has read, or written, that.
  void copy(const Link& link, cudaStream_t stream) {
    CopiedWord* const host = host_words(link);
    CopiedWord* const device = device_words(link);
    const bool to_device = way_ == CopyWay::to_device;
    ASSAY_CUDA_CHECK(cudaMemcpyAsync(to_device ? device : host, to_device ? host : device,
                                     words_ * sizeof(CopiedWord),
                                     to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, stream));
  }

  // Sources have the seed's words, of each link others, and destinations none. Waits for it.
  void restore(const std::vector<cudaStream_t>& streams) {
    each([&](const Link& link) {
      if (way_ == CopyWay::to_device) {
        on_node(link.node, [&](std::size_t first, std::size_t last) {
          write_words(host_words(link), first, last, pattern(link));
        });
      } else {
        write_words(streams[link.device], device_words(link), words_, pattern(link));
        cuda::wait(run_, streams[link.device]);
      }
    });
    destroy_results(streams);
  }

  void destroy_results(const std::vector<cudaStream_t>& streams) {
    each([&](const Link& link) {
      if (way_ == CopyWay::to_device) {
        cuda::poison(streams[link.device], on_device_[place(link)]);
        cuda::wait(run_, streams[link.device]);
      } else {
        on_node(link.node, [&](std::size_t first, std::size_t last) {
          std::memset(host_words(link) + first, 0xFF, (last - first) * sizeof(CopiedWord));
        });
      }
    });
  }

  // Compares every word where it arrived, and asks the kernel where every page lies. Returns the share of the
  // pages that lie where they belong, of the buffer with the least.
  double check(const std::vector<cudaStream_t>& streams, Verification& seen) {
    double placed = 1;
    each([&](const Link& link) {
      placed = std::min(placed, on_host_[place(link)].check(seen));
      if (way_ == CopyWay::to_device) {
        cuda::compare(run_, devices_[link.device], streams[link.device], device_words(link), words_,
                      pattern(link), seen);
      } else {
        check_on_host(link, seen);
      }
    });
    return placed;
  }

 private:
  [[nodiscard]] std::size_t place(const Link& link) const {
    return link.node * devices_.size() + link.device;
  }
  CopiedWord* host_words(const Link& link) {
    return reinterpret_cast<CopiedWord*>(on_host_[place(link)].data());
  }
  CopiedWord* device_words(const Link& link) { return on_device_[place(link)].data(); }
  [[nodiscard]] CopiedWords pattern(const Link& link) const {
    return {way_, run_.seed() + 0x9E3779B97F4A7C15ull * (place(link) + 1)};
  }

  template <class Visit>
  void each(const Visit& visit) {
    for (std::size_t node = 0; node < regions_.size(); ++node) {
      for (std::size_t device = 0; device < devices_.size(); ++device) {
        devices_[device].make_current();
        visit(Link{node, device});
      }
    }
  }

  // Calls work(first, last) on the threads of a node for pieces of a buffer, until the case is cancelled.
  template <class Work>
  void on_node(std::size_t node, const Work& work) {
    constexpr std::size_t kPiece = std::size_t{1} << 20;  // words between two looks for a cancel
    crew_.run([&](std::size_t member) {
      if (crew_.node_of(member) != node) return;
      const auto [first, last] = crew_.share(member, words_, 16);
      for (std::size_t at = first; at < last && !run_.cancelled(); at += kPiece)
        work(at, std::min(last, at + kPiece));
    });
    run_.throw_if_cancelled();
  }

  void check_on_host(const Link& link, Verification& seen) {
    std::vector<CopyMisses> of_member(crew_.size());
    crew_.run([&](std::size_t member) {
      if (crew_.node_of(member) != link.node) return;
      const auto [first, last] = crew_.share(member, words_, 16);
      check_words(host_words(link), first, last, pattern(link), of_member[member]);
    });
    std::uint64_t wrong = 0, first = words_;
    for (const CopyMisses& misses : of_member) {
      wrong += misses.wrong;
      if (misses.wrong > 0) first = std::min(first, misses.first);
    }
    seen.count(words_, wrong,
               wrong == 0 ? "" : "word " + std::to_string(first) + " on the host is not what was expected");
  }

  const Case& run_;
  Crew& crew_;
  const std::vector<cuda::Device>& devices_;
  const std::size_t words_;
  const CopyWay way_;
  std::vector<Region> regions_;  // by node
  std::vector<PlacedMemory> on_host_;
  std::vector<cuda::DeviceBuffer<CopiedWord>> on_device_;
  std::vector<std::unique_ptr<PageLock>> locks_;  // after the memory that they lock
};

}  // namespace assay::plugins::numa
