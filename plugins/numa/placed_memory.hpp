// SPDX-License-Identifier: Apache-2.0
//
// Memory whose pages lie on the nodes that a region of the plan names, and the check that they do.
#pragma once

#include "lib/memory_policy.hpp"
#include "lib/pages.hpp"
#include "numa/crew.hpp"
#include "numa/plan.hpp"

#include <assay/case.hpp>
#include <assay/errors.hpp>
#include <assay/memory.hpp>
#include <assay/verification.hpp>

#include <linux/mempolicy.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace assay::plugins::numa {

// Pages that come together: how unevenly an interleaved range may end.
inline std::size_t granule_bytes() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
  std::size_t huge = 0;
  return file >> huge && huge > 0 ? huge : page_bytes();
}

// So much of a range may lie elsewhere (a node's last free pages): the rate is still that of the node.
inline constexpr double kTolerated = 0.01;

// How many pages are not where the region has them, beyond what is tolerated; `where` says where they are.
// `granule` is in pages.
struct Misplaced {
  std::uint64_t pages = 0;
  std::string where;
};
inline Misplaced misplaced_of(const PageCount& count, const Region& region, std::uint64_t granule) {
  const double tolerated = kTolerated * static_cast<double>(count.pages);
  std::uint64_t right = 0;
  for (const int node : region.expected) right += count.on(node);
  const std::uint64_t elsewhere = count.pages - std::min(right, count.pages);
  if (static_cast<double>(elsewhere) > tolerated) {
    std::string where = std::to_string(elsewhere) + " of " + std::to_string(count.pages) + " pages for node";
    where += region.expected.size() > 1 ? "s " + list_of(region.expected) : " " + list_of(region.expected);
    std::vector<int> others;
    for (const auto& [node, pages] : count.by_node) {
      if (std::find(region.expected.begin(), region.expected.end(), node) == region.expected.end())
        others.push_back(node);
    }
    where += others.empty() ? " are nowhere"
                            : (others.size() > 1 ? " lie on nodes " : " lie on node ") + list_of(others);
    return {elsewhere, where};
  }
  if (region.policy != Region::Policy::interleave) return {};
  const double fair = static_cast<double>(count.pages) / static_cast<double>(region.expected.size());
  for (const int node : region.expected) {
    const double off = static_cast<double>(count.on(node)) - fair;
    if (std::max(off, -off) <= tolerated + 2 * static_cast<double>(granule)) continue;
    return {static_cast<std::uint64_t>(std::max(off, -off)),
            "of " + std::to_string(count.pages) + " interleaved pages " + std::to_string(count.on(node)) +
                " lie on node " + std::to_string(node)};
  }
  return {};
}

// Move-only; a new one only can be moved to.
class PlacedMemory {
 public:
  // Takes the pages as the region says and looks where they came to lie. Throws Skip if elsewhere, or if the
  // kernel does not say and there is another node where they could be (`several_nodes`).
  PlacedMemory(const Case& run, Crew& crew, const Region& region, std::size_t bytes, bool several_nodes)
      : run_(&run),
        region_(&region),
        buffer_(run, (bytes + page_bytes() - 1) / page_bytes() * page_bytes(), page_bytes()) {
    ask_for_huge_pages(data(), this->bytes());
    // The allocator may have used these pages before, wherever they were; now they are touched first.
    ::madvise(data(), this->bytes(), MADV_DONTNEED);
    int refused = 0;
    if (region.policy != Region::Policy::none) {
      refused =
          policy(region.policy == Region::Policy::bind ? MPOL_BIND : MPOL_INTERLEAVE, region.policy_nodes);
    }
    touch(crew);
    if (region.moved_to) {
      const std::int64_t begin = run.now_ns();
      const int error = move_pages_to(data(), this->bytes(), *region.moved_to);
      moving_s_ = 1e-9 * static_cast<double>(std::max<std::int64_t>(run.now_ns() - begin, 1));
      if (error != 0) refused = error;
    }
    // The kernel makes pages that are bound nowhere inaccessible now and then, and moves them to those who use
    // them (kernel.numa_balancing).
    if (region.policy != Region::Policy::interleave) policy(MPOL_BIND, region.expected);
    look(refused, several_nodes);
  }
  PlacedMemory(PlacedMemory&&) = default;
  PlacedMemory& operator=(PlacedMemory&&) = delete;
  ~PlacedMemory() {
    if (data() != nullptr) policy(MPOL_DEFAULT, {});  // the allocator may give the pages to somebody else
  }

  std::byte* data() { return buffer_.data(); }
  std::size_t bytes() const { return buffer_.bytes(); }
  // How long it took to move all pages, in seconds; 0 if they were not.
  double moving_s() const { return moving_s_; }

  // False: there is but one node where its pages can be, and the kernel does not show them.
  bool is_known() const { return is_known_; }

  // Counts all pages, and as wrong those that are elsewhere by now. Returns the share that is where it belongs.
  // Pages that the kernel does not show are not counted, and taken as they must be.
  double check(Verification& seen) {
    const PageCount count = count_pages(data(), bytes());
    if (count.pages == 0) return 1;
    const Misplaced wrong = misplaced_of(count, *region_, granule_bytes() / page_bytes());
    seen.count(count.pages, wrong.pages, wrong.where + " now: something moved them (kernel.numa_balancing?)");
    std::uint64_t right = 0;
    for (const int node : region_->expected) right += count.on(node);
    return static_cast<double>(right) / static_cast<double>(count.pages);
  }

 private:
  int policy(int mode, const std::vector<int>& nodes) {
    return set_memory_policy(data(), bytes(), mode, nodes, 0);
  }

  void touch(Crew& crew) {
    constexpr std::size_t kPiece = std::size_t{8} << 20;  // bytes between two looks for a cancel
    crew.run([&](std::size_t member) {
      if (crew.node_of(member) != region_->toucher) return;
      const auto [first, last] = crew.share(member, bytes(), page_bytes());
      for (std::size_t at = first; at < last && !run_->cancelled(); at += kPiece)
        std::memset(data() + at, 0xFF, std::min(kPiece, last - at));
    });
    run_->throw_if_cancelled();
  }

  void look(int refused, bool several_nodes) {
    const PageCount count = count_pages(data(), bytes());
    if (count.error != 0) {
      is_known_ = false;
      if (!several_nodes) return;
      throw Skip("the kernel does not say on which nodes pages lie (move_pages: " +
                 std::generic_category().message(count.error) +
                 "), so no rate would be known to be a node's: give the process CAP_SYS_NICE");
    }
    const Misplaced wrong = misplaced_of(count, *region_, granule_bytes() / page_bytes());
    if (wrong.pages == 0) return;
    throw Skip(wrong.where + (refused == 0 ? ": is the node full?"
                                           : ": the kernel refused to place them (" +
                                                 std::generic_category().message(refused) +
                                                 "), as it does in containers without CAP_SYS_NICE"));
  }

  const Case* run_;
  const Region* region_;
  HostBuffer<std::byte> buffer_;
  double moving_s_ = 0;
  bool is_known_ = true;
};

}  // namespace assay::plugins::numa
