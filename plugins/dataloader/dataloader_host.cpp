// SPDX-License-Identifier: Apache-2.0
//
// dataloader@host: how fast workers deliver batches to a consumer, and how long it waits for them.
#include "dataloader/epoch_times.hpp"
#include "dataloader/ledger.hpp"
#include "lib/available_memory.hpp"
#include "lib/cpu_team.hpp"
#include "lib/loader/bound.hpp"
#include "lib/loader/consumer.hpp"
#include "lib/loader/image_work.hpp"
#include "lib/loader/item_store.hpp"
#include "lib/loader/loader.hpp"

#include <assay/contracts/dataloader_1.hpp>
#include <assay/host.hpp>
#include <assay/plugin.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

namespace loader = assay::plugins::loader;
namespace dataloader = assay::plugins::dataloader;
using assay::plugins::CpuTeam;
using assay::plugins::SpinBarrier;

enum class Source { memory, files };
enum class Consumer { wait, busy };

class Dataloader final : public assay::host::Benchmark {
 public:
  struct Params {
    std::uint32_t workers = 2;
    loader::WorkerKind worker_kind = loader::WorkerKind::thread;
    bool persistent = false;
    std::uint32_t prefetch = 2;
    double start_cost = 0;
    std::uint64_t items = 2048;
    std::uint32_t batch = 64;
    loader::Order order = loader::Order::shuffled;
    std::uint32_t side = 32;
    double crop = 0.875;
    std::uint32_t decode_steps = 4;
    double decode_spread = 0;
    loader::Collate collate = loader::Collate::copy;
    Source source = Source::memory;
    std::string folder = "/tmp";
    double consumer_time = 0;
    Consumer consumer = Consumer::wait;
    double stall_limit = 10;
  };

  static void describe(assay::Description<Params>& is) {
    namespace contract = assay::contracts::dataloader_1;
    contract::implement(is).revision(1);
    is.summary(
        "how fast workers load, transform and deliver batches, and how long a training step waits for them");
    is.doc(
        "One iteration is an epoch. A worker makes whole batches: it reads an item's code, decodes it, crops, "
        "flips and normalises it, and collates the items; up to prefetch batches for each worker are made ahead "
        "of the consumer, which takes them in order. Images, code and order follow from the seed.");
    contract::workers(is, &Params::workers).range(0, 1024);
    contract::worker_kind(is, &Params::worker_kind)
        .choices({{"thread", loader::WorkerKind::thread}, {"process", loader::WorkerKind::process}});
    contract::persistent(is, &Params::persistent);
    contract::prefetch(is, &Params::prefetch).range(1, 1024);
    contract::start_cost(is, &Params::start_cost).range(0, 10);
    contract::items(is, &Params::items).range(1, std::uint64_t{1} << 24);
    contract::batch(is, &Params::batch).range(1, 65536);
    contract::order(is, &Params::order)
        .choices({{"shuffled", loader::Order::shuffled}, {"sequential", loader::Order::sequential}});
    contract::side(is, &Params::side).range(4, 4096);
    contract::crop(is, &Params::crop).range(0.01, 1);
    contract::decode_steps(is, &Params::decode_steps).range(0, 4096);
    contract::decode_spread(is, &Params::decode_spread).range(0, 1);
    contract::collate(is, &Params::collate)
        .choices({{"copy", loader::Collate::copy}, {"direct", loader::Collate::direct}});
    contract::source(is, &Params::source).choices({{"memory", Source::memory}, {"files", Source::files}});
    contract::folder(is, &Params::folder);
    contract::consumer_time(is, &Params::consumer_time).range(0, 60);
    contract::consumer(is, &Params::consumer).choices({{"wait", Consumer::wait}, {"busy", Consumer::busy}});
    contract::stall_limit(is, &Params::stall_limit).range(1, 3600);
    contract::throughput(is).mechanism("CPU threads or processes");
    contract::epoch(is);
    contract::startup(is);
    contract::wait(is);
    contract::wait_p99(is);
    contract::starved(is);
    contract::queue_depth(is);
    contract::item_cost(is);
    contract::bound(is);
    is.fact("processors", "processors that the process may use");
    is.fact("consumer", "time that the consumer takes for a batch");
    is.fact("data", "size of the data set and the place where it lies");
  }

  Dataloader(const Params& params, assay::Case& run)
      : Benchmark(run),
        params_(params),
        consumer_(params.consumer_time, params.consumer == Consumer::busy,
                  [this] { return context().cancelled(); }) {
    shape_.side = params.side;
    shape_.crop = params.crop;
    shape_.decode_steps = params.decode_steps;
    shape_.decode_spread = params.decode_spread;
    options_.data = {params.items, params.batch, params.order, params.collate};
    options_.workers = params.workers;
    options_.kind = params.worker_kind;
    options_.prefetch = params.prefetch;
    options_.is_persistent = params.persistent;
    options_.start_cost_s = params.start_cost;
    options_.stall_limit_s = params.stall_limit;
  }

  void prepare() override {
    const std::size_t cpus = std::max<std::size_t>(1, assay::plugins::allowed_cpus().size());
    const auto side_by_side = static_cast<int>(std::min<std::size_t>(std::max(1u, params_.workers), cpus));
    require_memory(static_cast<double>(side_by_side));
    std::shared_ptr<loader::ItemStore> store;
    if (params_.source == Source::memory) {
      store = std::make_shared<loader::MemoryStore>(params_.items, shape_.bytes());
    } else {
      store = std::make_shared<loader::FileStore>(params_.folder, params_.items, shape_.bytes());
    }
    work_ = std::make_shared<loader::ImageWork>(shape_, params_.items, store);
    ledger_.emplace(options_.data, static_cast<std::size_t>(shape_.values()));
    restore();
    context().fact("processors", std::to_string(cpus));
    context().fact("consumer", params_.consumer_time > 0 ? time_text(params_.consumer_time) + " for a batch"
                                                         : "takes no time");
    context().fact("data", std::to_string(params_.items) + " items of " + std::to_string(shape_.bytes()) +
                               " bytes " +
                               (params_.source == Source::memory ? "in memory" : "in a file each"));
    say_bound(measure_item_cost(side_by_side), static_cast<double>(cpus));
    loader_.emplace(options_, work_, [this] { return context().cancelled(); });
    work("throughput", static_cast<double>(params_.items));
    work("epoch", 1);
    idempotent();
    inputs_follow_seed();
  }

  // The codes are read only, so they are written anew for another seed alone.
  void restore() override {
    if (filled_for_ != context().seed()) {
      filled_for_.reset();
      work_->fill(context().seed(), [this] { return !context().cancelled(); });
      context().throw_if_cancelled();
      filled_for_ = context().seed();
    }
    destroy_results();
  }
  void destroy_results() override { ledger_->destroy(); }

  void run(std::uint64_t n) override {
    while (n-- > 0) {
      watch_.begin(context().now_ns());
      const loader::Epoch epoch{*filled_for_, next_epoch_++};
      ledger_->begin(epoch);
      loader_->begin(epoch);
      loader::Batch batch;
      for (;;) {
        const std::int64_t asked_ns = context().now_ns();
        if (!loader_->next(batch)) break;
        const auto got = std::chrono::steady_clock::now();
        watch_.got(asked_ns, context().now_ns(), batch.depth);
        ledger_->keep(batch);
        consumer_.consume(got);
      }
      recent_.add(watch_.end(context().now_ns()));
    }
  }

  void iterate(assay::Mode mode, std::uint64_t n, assay::Sample& sample) override {
    Benchmark::iterate(mode, n, sample);
    const dataloader::EpochTimes times = recent_.typical();
    context().value("startup", times.startup_s);
    context().value("wait", times.wait_s);
    context().value("wait_p99", times.wait_p99_s);
    context().value("starved", times.starved);
    context().value("queue_depth", times.depth);
  }

  void verify() override {
    ledger_->check(loader::Images(shape_, *filled_for_), checks(), [this] { return !context().cancelled(); });
    context().throw_if_cancelled();
  }

 private:
  static std::string time_text(double seconds) {
    char text[32];
    if (seconds >= 1e-3) {
      std::snprintf(text, sizeof(text), "%.6g ms", seconds * 1e3);
    } else {
      std::snprintf(text, sizeof(text), "%.6g us", seconds * 1e6);
    }
    return text;
  }

  // `side_by_side` threads measure the cost of an item.
  void require_memory(double side_by_side) const {
    const double item_bytes = static_cast<double>(shape_.values()) * sizeof(float);
    const double of_maker =
        2 * static_cast<double>(shape_.bytes()) + static_cast<double>(params_.batch) * item_bytes;
    const double data_bytes = static_cast<double>(params_.items) * static_cast<double>(shape_.bytes());
    const double needed = (params_.source == Source::memory ? data_bytes : 0) +
                          loader::Loader::queue_bytes(options_, static_cast<std::size_t>(item_bytes)) +
                          (params_.workers + side_by_side + 1) * of_maker +
                          side_by_side * params_.batch * item_bytes +
                          dataloader::Ledger::bytes(params_.items, shape_.values());
    assay::plugins::require_memory(
        static_cast<std::uint64_t>(std::min(needed, 0x1p62)), assay::plugins::available_memory(),
        "the data set and " + std::to_string(params_.workers) + " workers' batches");
  }

  // This many threads, bound to processors of their own, make batches without a queue between them.
  double measure_item_cost(int side_by_side) {
    constexpr double kLeast_s = 0.03;
    constexpr int kMostRounds = 200;
    CpuTeam team(side_by_side);
    SpinBarrier barrier(team.size());
    const loader::Epoch epoch{*filled_for_, 0};
    const loader::KeepOn keep_on = [this] { return !context().cancelled(); };
    std::vector<std::vector<double>> costs_s(static_cast<std::size_t>(team.size()));
    std::vector<std::string> reasons(costs_s.size());
    std::vector<loader::BatchMaker> makers;
    std::vector<std::vector<std::byte>> batches;
    std::vector<std::vector<std::uint64_t>> numbers;
    for (int member = 0; member < team.size(); ++member) {
      makers.emplace_back(options_.data, work_);
      batches.emplace_back(params_.batch * work_->item_bytes());
      numbers.emplace_back(params_.batch);
    }
    double spent_s = 0;
    for (int round = 0; round < kMostRounds && (round < 3 || spent_s < kLeast_s); ++round) {
      team.run([&](int number) {
        const auto member = static_cast<std::size_t>(number);
        const std::uint64_t which = member % options_.data.batches();
        barrier.wait();
        const std::int64_t begin_ns = context().now_ns();
        try {
          makers[member].make(epoch, which, numbers[member].data(), batches[member].data(), keep_on);
        } catch (const std::exception& error) {
          reasons[member] = error.what();
        }
        const double took_s = static_cast<double>(context().now_ns() - begin_ns) * 1e-9;
        costs_s[member].push_back(took_s / options_.data.size_of(which));
        if (member == 0) spent_s += took_s;
      });
      context().throw_if_cancelled();
      for (const std::string& reason : reasons)
        if (!reason.empty()) throw assay::Failure(reason, ASSAY_E_RESOURCE);
    }
    // What disturbs makes a round slower and never faster.
    double sum_s = 0;
    for (const std::vector<double>& of_member : costs_s)
      sum_s += *std::min_element(of_member.begin(), of_member.end());
    return sum_s / static_cast<double>(costs_s.size());
  }

  void say_bound(double item_cost_s, double cpus) const {
    loader::LoaderBound bound;
    bound.items = static_cast<double>(params_.items);
    bound.item_cost_s = item_cost_s;
    bound.workers = params_.workers;
    bound.processors = cpus;
    bound.consumer_s = static_cast<double>(options_.data.batches()) * params_.consumer_time;
    bound.is_busy = params_.consumer == Consumer::busy;
    context().value("item_cost", item_cost_s);
    context().value("bound", bound.items_per_second());
  }

  Params params_;
  loader::ImageShape shape_;
  loader::LoaderOptions options_;
  std::shared_ptr<loader::ImageWork> work_;
  std::optional<dataloader::Ledger> ledger_;
  std::optional<std::uint64_t> filled_for_;  // the seed whose images the store has
  std::uint64_t next_epoch_ = 0;
  loader::Consumer consumer_;
  dataloader::EpochWatch watch_;
  dataloader::RecentEpochs recent_;
  std::optional<loader::Loader> loader_;  // last: its workers use the work
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("how fast workers deliver batches to a consumer");
  }
};

}  // namespace

ASSAY_PLUGIN("org.assay.dataloader.host", "0.1.0", assay::host::backend, Dataloader, About)
