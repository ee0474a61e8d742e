// SPDX-License-Identifier: Apache-2.0
//
// One timed region on a stream: n iterations between two events, behind a start gate, or as replays of a
// graph, with a cache flush before each iteration if the case asks for one.
#pragma once

#include <assay/benchmark.hpp>
#include <assay/case.hpp>
#include <assay/cuda/cache.hpp>
#include <assay/cuda/clock.hpp>
#include <assay/cuda/device.hpp>
#include <assay/cuda/gate.hpp>
#include <assay/cuda/graph.hpp>
#include <assay/cuda/stream.hpp>
#include <assay/errors.hpp>

#include <algorithm>
#include <cstdint>
#include <cuda_runtime.h>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace assay::cuda {

// What a region has to know of the work in it.
struct RegionPlan {
  std::uint32_t launches = 1;  // device operations that one iteration queues
  std::uint64_t sets = 1;      // buffer sets that iterations go round
  std::uint64_t maximum = 0;   // the most iterations in one sample; 0: no limit
  bool laps = false;           // an event after each iteration, not only after the last
  bool synchronises = false;   // an iteration waits for the device, so it can neither be gated nor captured
  bool rotating = false;       // the sets together are too large for the cache
  bool spans_devices = false;  // an iteration queues work on other devices, too: its graphs are not gated
  // With launch: default, at most this many iterations wait behind the gate; 0: as many as fit. Queueing them
  // leaves the device idle, which a load that is to be held must not be.
  std::uint64_t held = 0;
};

class Region {
 public:
  // Queues iteration `i` in the stream. It may run on buffer set i % sets.
  using Enqueue = std::function<void(cudaStream_t, std::uint64_t i)>;

  // Launch and cache are the case's conditions. Throws Skip where they cannot be met.
  Region(const Case& run, const Device& device, cudaStream_t stream, RegionPlan plan, Enqueue enqueue)
      : run_(run), stream_(stream), plan_(plan), enqueue_(std::move(enqueue)), gate_(device) {
    const Conditions asked = run.conditions();
    launch_ = asked.launch == Launch::standard && plan_.synchronises ? Launch::stream : asked.launch;
    if (plan_.synchronises && launch_ != Launch::stream) {
      throw Skip("its iterations wait for the device, so they can only be measured with launch: stream");
    }
    if (asked.cache == Cache::cold) flush_.emplace(device);
    reset_persisting_cache();
    tick_s_ = event_tick_s(run, stream_);
    limit_iterations();
  }

  Traits traits() const {
    Traits traits;
    traits.clock = Clock::device;
    traits.tick_s = tick_s_;
    traits.quantum = plan_.sets;
    traits.maximum = maximum_;
    traits.launches_per_iteration = plan_.launches;
    traits.laps = plan_.laps || flush_;
    return traits;
  }

  // One iteration on every buffer set, ungated, waited for. It also loads what lazy loading left out, so it
  // has to run before the first gate is closed; run() sees to it.
  void once() {
    for (std::uint64_t i = 0; i < plan_.sets; ++i) enqueue_(stream_, i);
    if (!loaded_) {
      gate_.close(stream_);
      gate_.open();
      if (flush_) flush_->enqueue(stream_);
      loaded_ = true;
    }
    wait(run_, stream_);
  }

  // Mode::profile leaves out gate and flush.
  void run(Mode mode, std::uint64_t n, Sample& sample) {
    if (!loaded_) once();
    const bool plain = mode == Mode::profile;
    const bool flushed = flush_ && !plain;
    // Traits promise laps with a flush, so they are given without it, too.
    const bool apart = flushed || ((plan_.laps || flush_) && sample.laps_s != nullptr);
    reserve_events(n, flushed, apart);
    const OpenAtExit opened(gate_);
    if (launch_ == Launch::graph) {
      run_graph(n, flushed, apart, plain, sample);
    } else {
      run_stream(n, flushed, apart, plain, sample);
    }
    if (flushed) {
      sample.done |= ASSAY_DONE_FLUSHED;
    } else {
      sample.done |= plan_.rotating ? ASSAY_DONE_ROTATED : ASSAY_DONE_HOT;
    }
  }

  double tick_s() const { return tick_s_; }

  // Destroys what was captured; run() captures it anew.
  void forget_graphs() { graphs_.clear(); }

 private:
  static constexpr std::uint64_t kMostEvents = 8192;  // of single iterations in one region
  static constexpr std::uint64_t kGraphNodes = 1000;  // in one graph, about
  static constexpr std::size_t kGraphsKept = 4;       // of different lengths
  static constexpr std::uint64_t kGateOverhead = 4;   // the gate itself and the region's own events

  // What an earlier case asked the cache to keep would stay there. Devices that cannot keep anything say so.
  static void reset_persisting_cache() {
    const cudaError_t code = cudaCtxResetPersistingL2Cache();
    if (code == cudaErrorNotSupported) {
      cudaGetLastError();
    } else {
      check(code, "cudaCtxResetPersistingL2Cache");
    }
  }

  // Device operations of one iteration, with its flush and its events.
  std::uint64_t operations(bool flushed, bool apart) const {
    return std::uint64_t{plan_.launches} + (flushed ? 2 : 0) + (apart ? 1 : 0);
  }

  std::uint64_t whole_sets(std::uint64_t iterations) const {
    return std::max(plan_.sets, iterations / plan_.sets * plan_.sets);
  }

  std::uint64_t iterations_per_graph(bool flushed, bool apart) const {
    return whole_sets(kGraphNodes / operations(flushed, apart));
  }

  void limit_iterations() {
    const bool flushed = flush_.has_value();
    const bool apart = plan_.laps || flushed;
    std::uint64_t most = plan_.maximum == 0 ? std::numeric_limits<std::uint64_t>::max() : plan_.maximum;
    if (apart) most = std::min(most, kMostEvents / 2);
    // Events in a graph are the same ones at every replay.
    if (apart && launch_ == Launch::graph) most = std::min(most, iterations_per_graph(flushed, apart));
    if (launch_ == Launch::gated) {
      const std::uint64_t fit = (kGateLimit - kGateOverhead) / operations(flushed, apart);
      if (fit < plan_.sets) {
        throw Skip("launch: gated takes " + std::to_string(kGateLimit) + " device operations at most, and " +
                   std::to_string(plan_.sets) + " iterations, one on each buffer set, queue " +
                   std::to_string(plan_.sets * operations(flushed, apart)));
      }
      most = std::min(most, fit);
    }
    maximum_ = most == std::numeric_limits<std::uint64_t>::max() ? 0 : whole_sets(most);
  }

  void reserve_events(std::uint64_t n, bool flushed, bool apart) {
    const std::uint64_t wanted = !apart ? 2 : flushed ? 2 * n : n + 1;
    while (events_.size() < wanted) events_.emplace_back();
  }

  // Queues iterations first … last - 1 with their flushes and events. `record` puts an event into the stream.
  template <class Record>
  void queue_one(std::uint64_t i, bool flushed, bool apart, Record&& record) {
    if (flushed) {
      flush_->enqueue(stream_);
      record(events_[2 * i]);
    }
    enqueue_(stream_, i);
    if (flushed) {
      record(events_[2 * i + 1]);
    } else if (apart) {
      record(events_[i + 1]);
    }
  }

  // Opens the gate whatever happens: a stream that waits would outlive an error by the gate's time-out.
  class OpenAtExit {
   public:
    explicit OpenAtExit(Gate& gate) : gate_(gate) {}
    OpenAtExit(const OpenAtExit&) = delete;  // a scope's guard
    OpenAtExit& operator=(const OpenAtExit&) = delete;
    ~OpenAtExit() { gate_.open(); }

   private:
    Gate& gate_;
  };

  void run_stream(std::uint64_t n, bool flushed, bool apart, bool plain, Sample& sample) {
    // What does not fit behind the gate is queued while the device is busy with what did.
    const bool gate = !plain && launch_ != Launch::stream;
    const std::uint64_t fit = (kGateLimit - kGateOverhead) / operations(flushed, apart);
    const bool all = plan_.held == 0 || launch_ == Launch::gated;
    const std::uint64_t held = gate ? std::min(n, all ? fit : std::min(fit, plan_.held)) : 0;
    const auto record = [this](const Event& event) { event.record(stream_); };
    begin(held > 0);
    (flushed ? before_flushes_ : events_[0]).record(stream_);
    for (std::uint64_t i = 0; i < n; ++i) {
      if (i == held && held > 0) open();
      queue_one(i, flushed, apart, record);
    }
    if (!flushed && !apart) events_[1].record(stream_);
    end(n, flushed, apart, held == n, sample);
  }

  void run_graph(std::uint64_t n, bool flushed, bool apart, bool plain, Sample& sample) {
    const std::uint64_t each = std::min(n, iterations_per_graph(flushed, apart));
    const std::uint64_t full = n / each, rest = n % each;
    const Graph& body = graph_of(each, flushed, apart);
    const Graph* tail = rest == 0 ? nullptr : &graph_of(rest, flushed, apart);
    const std::uint64_t launches = full + (tail ? 1 : 0);
    // A stream that is held has place for one full graph of copies; one whose iteration is longer runs free.
    const std::uint64_t nodes = each * operations(flushed, apart);
    const bool free = plain || plan_.spans_devices || nodes > kGraphNodes;
    const std::uint64_t held = free ? 0 : std::min(launches, kGraphNodes / nodes);
    begin(held > 0);
    if (flushed) before_flushes_.record(stream_);
    if (!apart) events_[0].record(stream_);
    for (std::uint64_t i = 0; i < launches; ++i) {
      if (i == held && held > 0) open();
      (i < full ? body : *tail).launch(stream_);
    }
    if (!apart) events_[1].record(stream_);
    sample.done |= ASSAY_DONE_GRAPH;
    end(n, flushed, apart, held == launches, sample);
  }

  void begin(bool gated) {
    begin_ns_ = run_.now_ns();
    if (gated) gate_.close(stream_);
  }

  // From here on the device works, and host time counts.
  void open() {
    begin_ns_ = run_.now_ns();
    gate_.open();
  }

  void end(std::uint64_t n, bool flushed, bool apart, bool all_gated, Sample& sample) {
    const Event& last = !apart ? events_[1] : flushed ? events_[2 * n - 1] : events_[n];
    const bool gated = gate_.is_open() ? false : (open(), true);
    wait(run_, last);
    const std::int64_t end_ns = run_.now_ns();
    gate_.check_held();
    if (gated && all_gated) sample.done |= ASSAY_DONE_GATED;
    double others_s = 0;  // what the region did besides the iterations
    if (flushed) {
      double sum_s = 0;
      for (std::uint64_t i = 0; i < n; ++i) {
        const double lap_s = at_least_a_tick(seconds_between(events_[2 * i], events_[2 * i + 1]));
        if (sample.laps_s) sample.laps_s[i] = lap_s;
        sum_s += lap_s;
      }
      sample.device_s = sum_s;
      others_s = std::max(0.0, seconds_between(before_flushes_, last) - sum_s);
    } else {
      sample.device_s = at_least_a_tick(seconds_between(events_[0], last));
      for (std::uint64_t i = 0; apart && i < n; ++i) {
        sample.laps_s[i] = at_least_a_tick(seconds_between(events_[i], events_[i + 1]));
      }
    }
    if (apart && sample.laps_s) sample.lap_count = n;
    sample.begin_ns = begin_ns_;
    sample.end_ns = end_ns;
    // Flushes are not work of the host's: without them it is seen whether it kept up.
    sample.host_s = static_cast<double>(end_ns - begin_ns_) * 1e-9 - others_s;
  }

  // A duration below the clock's step reads as one step: a time is never zero.
  double at_least_a_tick(double seconds) const { return std::max(seconds, tick_s_); }

  const Graph& graph_of(std::uint64_t iterations, bool flushed, bool apart) {
    const auto key = std::make_tuple(iterations, flushed, apart);
    const auto known = graphs_.find(key);
    if (known != graphs_.end()) return known->second;
    if (graphs_.size() >= kGraphsKept) {
      // Calibration tries lengths that do not come again; the whole one does.
      const auto whole = std::make_tuple(iterations_per_graph(flushed, apart), flushed, apart);
      for (auto each = graphs_.begin(); each != graphs_.end();) {
        each = each->first == whole ? std::next(each) : graphs_.erase(each);
      }
    }
    const auto record = [this](const Event& event) { event.record_in_graph(stream_); };
    Graph graph = Graph::capture(stream_, [&] {
      if (apart && !flushed) record(events_[0]);
      for (std::uint64_t i = 0; i < iterations; ++i) queue_one(i, flushed, apart, record);
    });
    return graphs_.emplace(key, std::move(graph)).first->second;
  }

  const Case& run_;
  cudaStream_t stream_;
  RegionPlan plan_;
  Enqueue enqueue_;
  Launch launch_ = Launch::standard;
  std::optional<CacheFlush> flush_;
  std::vector<Event> events_;  // flushed: begin and end of each; apart: n + 1; else begin and end
  Event before_flushes_;
  // By iterations, and whether each has a flush and events.
  std::map<std::tuple<std::uint64_t, bool, bool>, Graph> graphs_;
  Gate gate_;  // last: opened before anything else goes
  std::uint64_t maximum_ = 0;
  double tick_s_ = 1e-6;
  std::int64_t begin_ns_ = 0;
  bool loaded_ = false;
};

}  // namespace assay::cuda
