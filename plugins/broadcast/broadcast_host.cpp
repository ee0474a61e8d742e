// SPDX-License-Identifier: Apache-2.0
//
// broadcast@host: one payload from one buffer into the buffers of several threads, by every strategy that
// makes sense without a library.
#include "broadcast/bounds.hpp"
#include "broadcast/kept_spans.hpp"
#include "broadcast/link_rates.hpp"
#include "broadcast/parameters.hpp"
#include "broadcast/pattern.hpp"
#include "broadcast/placement.hpp"
#include "broadcast/rounds.hpp"
#include "broadcast/schedule.hpp"
#include "broadcast/workers.hpp"
#include "lib/available_memory.hpp"
#include "lib/cache_size.hpp"
#include "lib/cpu_places.hpp"
#include "lib/cpu_team.hpp"
#include "lib/pages.hpp"

#include <assay/contracts/broadcast_1.hpp>
#include <assay/host.hpp>
#include <assay/memory.hpp>
#include <assay/plugin.hpp>
#include <assay/spans.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace broadcast = assay::plugins::broadcast;
using broadcast::Shape;
using broadcast::Strategy;
using broadcast::Word;

constexpr std::uint32_t kMostDestinations = 64;

class Broadcast final : public assay::Benchmark {
 public:
  struct Params {
    Strategy strategy = Strategy::pipelined;
    Shape shape = Shape::star;
    std::uint64_t bytes = std::uint64_t{64} << 20;
    std::uint64_t chunk = std::uint64_t{1} << 20;
    std::uint32_t root = 0;
    std::uint32_t destinations = 0;
  };

  static void describe(assay::Description<Params>& is) {
    namespace contract = assay::contracts::broadcast_1;
    contract::implement(is).revision(1);
    is.summary("one payload from one buffer into the buffers of several threads");
    is.doc(
        "Copies within the memory of one machine: each destination is a thread that is bound to a CPU, "
        "spread over the NUMA nodes, with a buffer that it touched first. The source was touched first by "
        "the thread that measures. `direct`, and `relay` as a star, are the copies of one thread; in all "
        "other strategies every destination's thread fetches what it needs. `lower_bound` is computed from "
        "copies that were measured before the samples and after them, alone and while others were made, and "
        "from the number of CPUs that share the work.");
    contract::strategy(is, &Params::strategy)
        .choices({{"direct", Strategy::direct},
                  {"direct_parallel", Strategy::direct_parallel},
                  {"relay", Strategy::relay},
                  {"pipelined", Strategy::pipelined},
                  {"scatter_allgather", Strategy::scatter_allgather}});
    broadcast::describe_shape(is);
    contract::bytes(is, &Params::bytes)
        .range(4096, std::uint64_t{1} << 42)
        .help("the payload; a multiple of 8");
    contract::chunk(is, &Params::chunk)
        .range(16384, std::uint64_t{1} << 42)
        .help("size of what travels at once, of pipelined; a multiple of 64");
    contract::root(is, &Params::root).range(0, kMostDestinations - 1);
    is.param("destinations", &Params::destinations)
        .range(0, kMostDestinations)
        .help("number of threads with a buffer each; 0: one per allowed CPU, at least 2 and at most 64");
    broadcast::describe_metrics(is, "CPU threads");
    is.fact("destinations", "number of destinations, and of CPUs that their threads share");
    is.fact("nodes", "NUMA nodes of the destinations");
    is.fact("pieces", "number of pieces into which the payload is cut, and the size of the first");
    is.fact("working_set", "size of all buffers, and how it compares to the last-level cache");
    is.fact("pages", "page size under the buffers");
    is.fact("timeline", "number of copies that became spans, where not all did");
    is.supports({assay::Cache::hot});
  }

  Broadcast(const Params& params, assay::Case& run) : Benchmark(run), params_(params) {}

  void probe() override {
    if (params_.bytes % sizeof(Word) != 0) throw assay::BadParameter("bytes", "it is not a multiple of 8");
    if (params_.chunk % 64 != 0) throw assay::BadParameter("chunk", "it is not a multiple of 64");
    const auto count = static_cast<std::uint64_t>(destinations());
    if (params_.root >= count) {
      throw assay::Skip("root is " + std::to_string(params_.root) + ", and the destinations are 0 to " +
                        std::to_string(count - 1));
    }
    assay::plugins::require_memory(params_.bytes * (count + 1), assay::plugins::available_memory(),
                                   std::to_string(count + 1) + " buffers");
  }

  void prepare() override {
    std::vector<broadcast::ThreadPlace> allowed;
    for (const int cpu : assay::plugins::allowed_cpus())
      allowed.push_back({cpu, assay::plugins::place_of(cpu).node});
    if (allowed.empty()) throw assay::Failure("the CPUs that this process may use are not known");

    source_ = buffer();
    memory_.source = reinterpret_cast<const std::byte*>(source_.data());
    for (int i = 0; i < destinations(); ++i) {
      buffers_.push_back(buffer());
      memory_.destinations.push_back(reinterpret_cast<std::byte*>(buffers_.back().data()));
    }
    workers_ = std::make_unique<broadcast::Workers>(broadcast::spread(allowed, destinations()));
    schedule_ = std::make_unique<broadcast::Schedule>(
        broadcast::Plan{params_.strategy, params_.shape, destinations(), static_cast<int>(params_.root),
                        params_.bytes, params_.chunk});
    restore();
    work("bandwidth", static_cast<double>(params_.bytes));
    work("aggregate_bandwidth", static_cast<double>(params_.bytes) * destinations());
    say_bound();
    say_facts();
  }

  assay::Traits traits() override {
    assay::Traits traits;
    traits.idempotent = true;
    traits.spans = true;
    return traits;
  }

  assay::Verification verification(assay::VerifyPhase phase) override {
    if (phase != assay::VerifyPhase::last) {
      restore();
      assay::Sample ignored{};
      iterate(assay::Mode::verify, 1, ignored);
    }
    assay::Verification seen = check();
    if (phase == assay::VerifyPhase::before) clear_destinations();  // what the samples leave has to be theirs
    if (phase == assay::VerifyPhase::after) say_bound();
    return seen;
  }

  bool reseed() override {
    restore();
    return true;
  }

  void iterate(assay::Mode mode, std::uint64_t n, assay::Sample& sample) override {
    Spans spans(static_cast<std::size_t>(workers_->size()));
    broadcast::Listener listener;
    if (mode == assay::Mode::trace) {
      const std::vector<std::uint64_t> kept = spans_of_each(n);
      for (std::size_t at = 0; at < spans.size(); ++at) spans[at].reserve(kept[at]);
      listener = [&spans, kept](int worker, const broadcast::Copy& copy, std::int64_t begin,
                                std::int64_t end) {
        const auto at = static_cast<std::size_t>(worker);
        if (spans[at].size() < kept[at]) spans[at].push_back({copy, begin, end});
      };
    }
    const broadcast::Region region =
        broadcast::run_rounds(*workers_, *schedule_, memory_, n, now(), cancelled(), listener);
    if (!region.complete) throw assay::Cancelled();
    if (mode == assay::Mode::trace) report(spans);

    const std::int64_t time_ns = std::max<std::int64_t>(1, region.end_ns - region.begin_ns);
    sample.host_s = sample.device_s = static_cast<double>(time_ns) * 1e-9;
    sample.begin_ns = region.begin_ns;
    sample.end_ns = region.end_ns;
    sample.done = ASSAY_DONE_HOT;
  }

 private:
  struct Span {
    broadcast::Copy copy;
    std::int64_t begin_ns = 0, end_ns = 0;
  };
  using Spans = std::vector<std::vector<Span>>;  // of each worker

  static constexpr std::uint64_t kBlock = std::uint64_t{1} << 18;  // words between two looks whether to stop

  int destinations() const {
    if (params_.destinations != 0) return static_cast<int>(params_.destinations);
    const std::size_t cpus = assay::plugins::allowed_cpus().size();
    return static_cast<int>(std::clamp<std::size_t>(cpus, 2, kMostDestinations));
  }

  broadcast::Now now() const {
    return [this] { return context().now_ns(); };
  }
  broadcast::Cancelled cancelled() const {
    return [this] { return context().cancelled(); };
  }

  std::uint64_t words() const { return params_.bytes / sizeof(Word); }

  assay::HostBuffer<Word> buffer() const {
    assay::HostBuffer<Word> made(context(), words());
    assay::plugins::ask_for_huge_pages(made.data(), made.bytes());
    return made;
  }

  // Calls visit(first, last) for every block of words.
  template <class Visit>
  void in_blocks(const broadcast::Waiting& waiting, Visit&& visit) const {
    for (std::uint64_t first = 0; first < words(); first += kBlock) {
      waiting.check();
      visit(first, std::min(words(), first + kBlock));
    }
  }

  // Whoever writes a page first decides on which node it lies: of a destination its own thread, of the source
  // this one, which the suite may have bound.
  void restore() {
    for (std::uint64_t first = 0; first < words(); first += kBlock) {
      context().throw_if_cancelled();
      const std::uint64_t last = std::min(words(), first + kBlock);
      for (std::uint64_t i = first; i < last; ++i) source_[i] = broadcast::word_of(context().seed(), i);
    }
    clear_destinations();
  }

  void clear_destinations() {
    const auto work = [&](int worker) {
      Word* const mine = buffers_[static_cast<std::size_t>(worker)].data();
      in_blocks(workers_->waiting(), [&](std::uint64_t first, std::uint64_t last) {
        std::fill(mine + first, mine + last, broadcast::kNothing);
      });
    };
    if (!workers_->run(work, cancelled())) throw assay::Cancelled();
  }

  assay::Verification check() {
    std::vector<broadcast::Misses> misses(buffers_.size());
    const auto work = [&](int worker) {
      const auto at = static_cast<std::size_t>(worker);
      broadcast::Misses seen;
      in_blocks(workers_->waiting(), [&](std::uint64_t first, std::uint64_t last) {
        broadcast::compare(buffers_[at].data(), first, last, context().seed(), seen);
      });
      misses[at] = seen;
    };
    if (!workers_->run(work, cancelled())) throw assay::Cancelled();

    assay::Verification seen;
    seen.method("every word at every destination");
    for (std::size_t at = 0; at < misses.size(); ++at) {
      const std::uint64_t i = misses[at].first;
      seen.count(words(), misses[at].wrong,
                 misses[at].wrong == 0 ? ""
                                       : "destination " + std::to_string(at) + ", word " + std::to_string(i) +
                                             " is " + std::to_string(buffers_[at][i]) + ", expected " +
                                             std::to_string(broadcast::word_of(context().seed(), i)));
    }
    return seen;
  }

  // Before the samples and after them: what a machine can do now may be more than it could before.
  void say_bound() {
    const auto rates = broadcast::measure_rates(*workers_, *schedule_, memory_, now(), cancelled());
    if (!rates) throw assay::Cancelled();
    rates_ = broadcast::fastest(rates_, *rates);
    context().value("source_bandwidth", rates_.source);
    if (rates_.onward > 0) context().value("onward_bandwidth", rates_.onward);
    context().value("lower_bound", broadcast::lower_bound(*schedule_, rates_, workers_->processors()));
  }

  void say_facts() const {
    const int processors = workers_->processors();
    context().fact("destinations", std::to_string(destinations()) + " on " + std::to_string(processors) +
                                       (processors == 1 ? " CPU" : " CPUs"));
    context().fact("nodes", broadcast::nodes_text(workers_->places()));
    context().fact("pages", assay::plugins::page_policy());
    char text[96];
    const auto piece = static_cast<double>(schedule_->piece_bytes(0));
    const bool large = piece >= 0x1p20;
    std::snprintf(text, sizeof(text), "%llu of %.4g %s", static_cast<unsigned long long>(schedule_->pieces()),
                  piece / (large ? 0x1p20 : 0x1p10), large ? "MiB" : "KiB");
    context().fact("pieces", text);
    const double all = static_cast<double>(params_.bytes) * (destinations() + 1);
    context().fact("working_set", assay::plugins::working_set_text(all, assay::plugins::allowed_cpus()));
  }

  std::vector<std::uint64_t> spans_of_each(std::uint64_t rounds) const {
    std::vector<std::uint64_t> copies;
    for (int worker = 0; worker < workers_->size(); ++worker)
      copies.push_back(rounds * schedule_->copies(worker));
    std::vector<std::uint64_t> kept = broadcast::kept_spans(copies);
    const std::string text = broadcast::kept_text(kept, copies);
    if (!text.empty()) context().fact("timeline", text);
    return kept;
  }

  // After the region, because telling the host takes longer than a small copy.
  void report(const Spans& spans) const {
    const assay::Spans timeline(context());
    for (const std::vector<Span>& of_worker : spans) {
      for (const Span& span : of_worker) {
        const std::string track = "destination " + std::to_string(span.copy.to);
        const std::string from =
            span.copy.from == broadcast::kSource ? "source" : std::to_string(span.copy.from);
        const std::string name = "copy " + from + " → " + std::to_string(span.copy.to);
        timeline.add(track.c_str(), name.c_str(), span.begin_ns, span.end_ns);
      }
    }
  }

  Params params_;
  assay::HostBuffer<Word> source_;
  std::vector<assay::HostBuffer<Word>> buffers_;
  broadcast::Rates rates_;
  broadcast::Memory memory_;
  std::unique_ptr<broadcast::Schedule> schedule_;
  std::unique_ptr<broadcast::Workers> workers_;  // last: its threads use the buffers
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("one payload to many buffers, on the CPUs");
  }
};

}  // namespace

ASSAY_PLUGIN("org.assay.broadcast.host", "0.1.0", assay::host::backend, About, Broadcast)
