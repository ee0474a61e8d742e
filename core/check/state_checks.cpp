// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "check/checks.hpp"
#include "check/process_state.hpp"
#include "check/trial.hpp"
#include "check/visit.hpp"
#include "process/descriptor.hpp"
#include "worker/control.hpp"

#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <functional>

namespace assay::check {
namespace {

constexpr int kSettling = 4;       // cycles in which a plugin may build up what it keeps
constexpr int kCycles = 8;         // of each half that is compared
constexpr double kMost_s = 12;     // of all cycles of one benchmark
constexpr double kJoin_s = 1;      // that ended threads get to disappear
constexpr std::size_t kLeak = 16;  // bytes a cycle; less is the allocator's own

// A case from create to release, with one sample and verification.
bool cycle(const Subject& subject, const worker::Plugin& plugin, const catalog::Benchmark& benchmark,
           const Json& parameters) {
  Trial trial(subject, plugin, benchmark, parameters);
  assay_traits traits{};
  assay_verification seen{};
  if (!trial.create().ok() || !trial.probe().ok() || !trial.prepare().ok() || !trial.traits(traits).ok())
    return false;
  if (trial.can_verify()) (void)trial.verify(ASSAY_VERIFY_BEFORE, seen);
  return trial.iterate(traits.quantum).ok();
}

// Ended threads take a moment to leave /proc.
Resources settled_resources(std::size_t threads) {
  const std::int64_t end_ns = worker::monotonic_ns() + static_cast<std::int64_t>(kJoin_s * 1e9);
  Resources now = resources();
  while (now.threads > threads && worker::monotonic_ns() < end_ns) {
    ::poll(nullptr, 0, 5);
    now = resources();
  }
  return now;
}

// Plain numbers, so that keeping them takes none of the memory that they count.
struct Held {
  std::size_t threads = 0, descriptors = 0, heap_bytes = 0, mapped_bytes = 0;
};

Held held(const Resources& now) {
  return {now.threads, now.descriptors.size(), now.heap_bytes, now.mapped_bytes};
}

// What the process holds at the begin, after half and after all of the cycles that count.
struct Growth {
  Held begin, middle, end;
  int cycles = 0;  // of each half
  bool ran = false;
};

Growth grow(const Subject& subject, const worker::Plugin& plugin, const catalog::Benchmark& benchmark) {
  const Json parameters = quick_parameters(subject, plugin, benchmark);
  Growth growth;
  const std::int64_t began_ns = worker::monotonic_ns();
  for (int i = 0; i < kSettling; ++i) {
    if (!cycle(subject, plugin, benchmark, parameters)) return growth;
  }
  const double each_s = static_cast<double>(worker::monotonic_ns() - began_ns) * 1e-9 / kSettling;
  growth.cycles = each_s * 2 * kCycles <= kMost_s ? kCycles : 2;
  growth.begin = held(resources());
  for (int half = 0; half < 2; ++half) {
    for (int i = 0; i < growth.cycles; ++i) {
      if (!cycle(subject, plugin, benchmark, parameters)) return growth;
    }
    (half == 0 ? growth.middle : growth.end) = held(settled_resources(growth.begin.threads));
  }
  growth.ran = true;
  return growth;
}

// Something is lost in every cycle if both halves lost it.
bool grows(std::size_t begin, std::size_t middle, std::size_t end, std::size_t least) {
  return middle >= begin + least && end >= middle + least;
}

Verdict each_growth(const Subject& subject, const std::function<std::string(const Growth&)>& leak) {
  return each_benchmark(subject, [&](const worker::Plugin& plugin, const catalog::Benchmark& benchmark) {
    const Growth growth = grow(subject, plugin, benchmark);
    if (!growth.ran) return not_checked("it did not run; see defaults-accepted");
    const std::string what = leak(growth);
    const std::string cycles = std::to_string(2 * growth.cycles) + " cases";
    return what.empty() ? passed(cycles) : failed("after " + cycles + " in one process " + what);
  });
}

}  // namespace

Verdict check_state(const Subject& subject) {
  return each_benchmark(subject, [&](const worker::Plugin& plugin, const catalog::Benchmark& benchmark) {
    const wire::StartVisit start = start_of(subject, benchmark, quick_parameters(subject, plugin, benchmark));
    const ProcessState before = process_state();
    const result::Visit done = visit(plugin, start).visit;
    const std::string changed = difference(before, process_state());
    if (!changed.empty()) return failed("a case changes " + changed);
    return done.outcome == result::Outcome::passed ? passed() : did_not_run(done);
  });
}

Verdict check_output(const Subject& subject) {
  return each_benchmark(subject, [&](const worker::Plugin& plugin, const catalog::Benchmark& benchmark) {
    const wire::StartVisit start = start_of(subject, benchmark, quick_parameters(subject, plugin, benchmark));
    const process::Descriptor file(::memfd_create("output", MFD_CLOEXEC));
    const process::Descriptor output(::dup(STDOUT_FILENO)), error(::dup(STDERR_FILENO));
    ::dup2(file.get(), STDOUT_FILENO);
    ::dup2(file.get(), STDERR_FILENO);
    const result::Visit done = visit(plugin, start).visit;
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

Verdict check_threads(const Subject& subject) {
  return each_growth(subject, [](const Growth& growth) {
    if (!grows(growth.begin.threads, growth.middle.threads, growth.end.threads, 1)) return std::string();
    return std::to_string(growth.end.threads - growth.begin.threads) +
           " more threads are running; join them in release";
  });
}

Verdict check_descriptors(const Subject& subject) {
  return each_growth(subject, [](const Growth& growth) {
    if (!grows(growth.begin.descriptors, growth.middle.descriptors, growth.end.descriptors, 1))
      return std::string();
    const Resources now = resources();
    return std::to_string(growth.end.descriptors - growth.begin.descriptors) +
           " more descriptors are open, the last one '" + printable(now.descriptors.rbegin()->second) +
           "'; close them in release";
  });
}

Verdict check_memory(const Subject& subject) {
  return each_growth(subject, [](const Growth& growth) {
    const auto cycles = static_cast<std::size_t>(growth.cycles);
    const std::size_t page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    if (grows(growth.begin.heap_bytes, growth.middle.heap_bytes, growth.end.heap_bytes, kLeak * cycles)) {
      return std::to_string((growth.end.heap_bytes - growth.middle.heap_bytes) / cycles) +
             " bytes of the heap are lost with each; free them in release";
    }
    if (grows(growth.begin.mapped_bytes, growth.middle.mapped_bytes, growth.end.mapped_bytes,
              page * cycles)) {
      return std::to_string((growth.end.mapped_bytes - growth.middle.mapped_bytes) / cycles) +
             " bytes of mapped memory are lost with each; give them back in release";
    }
    return std::string();
  });
}

}  // namespace assay::check
