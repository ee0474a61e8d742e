// SPDX-License-Identifier: Apache-2.0
#include "base/descriptor.hpp"
#include "check/checked_visit.hpp"
#include "check/checks.hpp"
#include "check/resources.hpp"
#include "check/tested_case.hpp"
#include "process/orphan_reaper.hpp"
#include "text/clock.hpp"
#include "text/text.hpp"
#include "worker/process_state.hpp"
#include "worker/spinning.hpp"

#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>

namespace assay::check {
namespace {

constexpr int kSettling = 4;   // cycles in which a plugin may build up what it keeps
constexpr int kCycles = 8;     // of one stretch
constexpr int kStretches = 6;  // something leaks if every one of them ends with more than it began with
constexpr int kLeastStretches = 4;
constexpr double kMost_s = 5;      // of all stretches
constexpr double kJoin_s = 1;      // that ended threads get to disappear
constexpr std::size_t kLeak = 16;  // bytes a cycle; less is the allocator's own

// A case from create to release, with one sample and verification.
bool cycle(const CheckedBenchmark& checked, const Json& parameters) {
  TestedCase tested(checked, parameters);
  assay_traits traits{};
  assay_verification seen{};
  if (!tested.get_ready(&traits).ok()) return false;
  if (tested.can_verify()) (void)tested.verify(ASSAY_VERIFY_BEFORE, seen);
  return tested.iterate(traits.quantum).ok();
}

// Ended threads take a moment to leave /proc.
Resources settled_resources(std::size_t threads) {
  const std::int64_t end_ns = monotonic_ns() + static_cast<std::int64_t>(kJoin_s * 1e9);
  Resources now = resources();
  while (now.threads > threads && monotonic_ns() < end_ns) {
    ::poll(nullptr, 0, 5);
    now = resources();
  }
  return now;
}

// Something that a case takes and gives back, and how much more of it must be left behind to count.
struct Resource {
  std::size_t (*held)(const Resources&);
  std::size_t least;  // for each cycle
};

struct Leak {
  bool ran = false;
  int cases = 0;
  std::size_t amount = 0;  // over all stretches; 0: there is none
};

// An allocator or a pool may take a while to reach its size, so a stretch that ends as it began acquits.
// Ranks go on while one of them is under suspicion.
Leak look_for_leak(const CheckedBenchmark& checked, const Resource& resource) {
  const Json parameters = quick_parameters(checked);
  Leak leak;
  const auto cycles = [&](int count) {
    for (int i = 0; i < count; ++i, ++leak.cases) {
      if (!cycle(checked, parameters)) return false;
    }
    return true;
  };
  double began_s = monotonic_s();
  if (!cycles(kSettling)) return leak;
  const double each_s = (monotonic_s() - began_s) / kSettling;
  const int count = checked.subject.rank().first(
      std::clamp(static_cast<int>(kMost_s / kLeastStretches / each_s), 1, kCycles));
  const std::size_t threads = resources().threads;
  const std::size_t first = resource.held(resources());
  std::size_t before = first;
  began_s = monotonic_s();
  bool suspected = true;
  for (int stretch = 0; stretch < kStretches; ++stretch) {
    if (!cycles(count)) return leak;
    leak.ran = true;
    const std::size_t after = resource.held(settled_resources(threads));
    suspected = suspected && after >= before + resource.least * static_cast<std::size_t>(count);
    if (!checked.subject.rank().any(suspected)) return leak;
    before = after;
    if (stretch + 1 >= kLeastStretches && checked.subject.rank().any(monotonic_s() - began_s > kMost_s))
      break;
  }
  if (suspected) leak.amount = before - first;
  return leak;
}

// `text` says what of it was lost.
CheckVerdict leak_verdict(const CheckedBenchmark& checked, const Resource& resource,
                          const std::function<std::string(const Leak&)>& text) {
  const Leak leak = look_for_leak(checked, resource);
  if (!leak.ran) return not_checked("it did not run; see defaults-accepted");
  const std::string cases = std::to_string(leak.cases) + " cases";
  return leak.amount == 0 ? passed(cases) : failed("after " + cases + " in one process " + text(leak));
}

CheckVerdict each_leak(const Subject& subject, const Resource& resource,
                       const std::function<std::string(const Leak&)>& text) {
  return each_benchmark(
      subject, [&](const CheckedBenchmark& checked) { return leak_verdict(checked, resource, text); });
}

std::string per_case(const Leak& leak) {
  return std::to_string(leak.amount / static_cast<std::size_t>(leak.cases - kSettling)) + " bytes";
}

}  // namespace

CheckVerdict check_state(const Subject& subject) {
  const auto before = worker::ProcessState::read();
  process::OrphanReaper reaper;  // what leaves a rank or a case comes here
  CheckVerdict verdict = each_benchmark(subject, [&](const CheckedBenchmark& checked) {
    const wire::StartVisit start = start_of(checked, quick_parameters(checked));
    const result::Visit done = visit(checked, start).visit;
    std::vector<std::string> changes = worker::ProcessState::read().changes_since(before);
    if (const std::size_t spinning = worker::spinning_threads(); spinning > 0)
      changes.push_back(std::to_string(spinning) + " of its threads still run half a second later");
    if (!changes.empty()) return failed("after a case " + join(changes, ", "));
    return done.outcome == result::Outcome::passed ? passed() : did_not_run(done);
  });
  const std::vector<std::string> left = reaper.end();
  if (left.empty() || verdict.result == CheckStatus::failed) return verdict;
  return failed("after its cases a process is left: " + join(left, ", "));
}

CheckVerdict check_output(const Subject& subject) {
  return each_benchmark(subject, [&](const CheckedBenchmark& checked) {
    const wire::StartVisit start = start_of(checked, quick_parameters(checked));
    const Descriptor file(::memfd_create("output", MFD_CLOEXEC));
    const Descriptor output(::dup(STDOUT_FILENO)), error(::dup(STDERR_FILENO));
    ::dup2(file.get(), STDOUT_FILENO);
    ::dup2(file.get(), STDERR_FILENO);
    const result::Visit done = visit(checked, start).visit;
    std::fflush(nullptr);
    ::dup2(output.get(), STDOUT_FILENO);
    ::dup2(error.get(), STDERR_FILENO);
    struct stat written {};
    ::fstat(file.get(), &written);
    if (written.st_size > 0) {
      std::string text(200, '\0');
      const ssize_t got = ::pread(file.get(), text.data(), text.size(), 0);
      text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
      return failed("a case writes " + std::to_string(written.st_size) +
                    " bytes to stdout or stderr, beginning '" + printable(text.substr(0, text.find('\n'))) +
                    "'; use log()");
    }
    return done.outcome == result::Outcome::passed ? passed() : did_not_run(done);
  });
}

CheckVerdict check_threads(const Subject& subject) {
  return each_leak(subject, {[](const Resources& now) { return now.threads; }, 1}, [](const Leak& leak) {
    return std::to_string(leak.amount) + " more threads are running; join them in release";
  });
}

CheckVerdict check_descriptors(const Subject& subject) {
  return each_leak(subject, {[](const Resources& now) { return now.descriptors.size(); }, 1},
                   [](const Leak& leak) {
                     return std::to_string(leak.amount) + " more descriptors are open, the last one '" +
                            printable(resources().descriptors.rbegin()->second) + "'; close them in release";
                   });
}

CheckVerdict check_memory(const Subject& subject) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return each_benchmark(subject, [&](const CheckedBenchmark& checked) {
    CheckVerdict heap = leak_verdict(
        checked, {[](const Resources& now) { return now.heap_bytes; }, kLeak}, [](const Leak& leak) {
          return per_case(leak) + " of the heap are lost with each; free them in release";
        });
    if (subject.rank().any(heap.result != CheckStatus::passed)) return heap;
    return leak_verdict(
        checked, {[](const Resources& now) { return now.mapped_bytes; }, page}, [](const Leak& leak) {
          return per_case(leak) + " of mapped memory are lost with each; give them back in release";
        });
  });
}

}  // namespace assay::check
