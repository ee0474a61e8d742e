// SPDX-License-Identifier: Apache-2.0
//
// What the loader of plugins/lib reaches of min(workers / item cost, processors, consumer). Both sides are measured: an epoch,
// and the same work without a loader, in which as many threads make the epoch's batches and a consumer spends its times,
// neither waiting for the other. Both start their threads for each epoch. In turn, in one process, so that a machine that is busy with something else is the
// same for both. Ends with 1 if a median is below 95 %.
#include "lib/cpu_team.hpp"
#include "lib/loader/consumer.hpp"
#include "lib/loader/image_work.hpp"
#include "lib/loader/item_store.hpp"
#include "lib/loader/loader.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace assay::plugins;
using namespace assay::plugins::loader;
using Clock = std::chrono::steady_clock;

constexpr double kLeast = 0.95;
constexpr int kTurns = 15;
constexpr std::uint32_t kBatch = 32;
constexpr std::uint64_t kSeed = 7;

struct Case {
  std::string name;
  std::uint32_t workers = 0;
  WorkerKind kind = WorkerKind::thread;
  double spread = 0;
  std::uint32_t prefetch = 2;
  bool from_files = false;
  double consumer_s = 0;  // of a batch
  bool is_busy = false;
};

bool never() { return false; }
double since_s(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

class Comparison {
 public:
  explicit Comparison(const Case& asked) : case_(asked), consumer_(asked.consumer_s, asked.is_busy, never) {
    ImageShape shape;
    shape.decode_steps = 8;
    shape.decode_spread = asked.spread;
    options_.data.items = 256 * kBatch;
    options_.data.batch = kBatch;
    options_.workers = asked.workers;
    options_.kind = asked.kind;
    options_.prefetch = asked.prefetch;
    std::shared_ptr<ItemStore> store;
    if (asked.from_files) {
      store = std::make_shared<FileStore>(std::filesystem::temp_directory_path(), options_.data.items,
                                          shape.bytes());
    } else {
      store = std::make_shared<MemoryStore>(options_.data.items, shape.bytes());
    }
    work_ = std::make_shared<ImageWork>(shape, options_.data.items, store);
    work_->fill(kSeed, [] { return true; });
    loader_ = std::make_unique<Loader>(options_, work_, never);
  }

  double with_loader_s(std::uint64_t number) {
    const auto begin = Clock::now();
    loader_->begin({kSeed, number});
    for (Batch batch; loader_->next(batch);) consumer_.consume(Clock::now());
    return since_s(begin);
  }

  double without_s(std::uint64_t number) {
    const Epoch epoch{kSeed, number};
    const std::uint64_t batches = options_.data.batches();
    std::atomic<std::uint64_t> next{0};
    const auto make = [&] {
      BatchMaker maker(options_.data, work_);
      std::vector<std::uint64_t> items(kBatch);
      std::vector<std::byte> values(kBatch * work_->item_bytes());
      for (std::uint64_t batch; (batch = next.fetch_add(1)) < batches;)
        maker.make(epoch, batch, items.data(), values.data(), [] { return true; });
    };
    const auto consume = [&] {
      for (std::uint64_t batch = 0; batch < batches; ++batch) consumer_.consume(Clock::now());
    };
    const auto begin = Clock::now();
    std::vector<std::thread> makers;
    for (std::uint32_t worker = 0; worker < case_.workers; ++worker) makers.emplace_back(make);
    if (case_.workers == 0) make();
    consume();
    for (std::thread& maker : makers) maker.join();
    return since_s(begin);
  }

 private:
  Case case_;
  LoaderOptions options_;
  Consumer consumer_;
  std::shared_ptr<ImageWork> work_;
  std::unique_ptr<Loader> loader_;  // last: its workers use the work
};

bool compare(const Case& asked) {
  Comparison comparison(asked);
  std::vector<double> ratios;
  comparison.with_loader_s(0);  // touches memory for the first time
  for (int turn = 1; turn <= kTurns; ++turn) {
    const auto number = static_cast<std::uint64_t>(turn);
    const bool is_first = turn % 2 == 0;
    const double with_s = is_first ? comparison.with_loader_s(number) : 0;
    const double without_s = comparison.without_s(number);
    ratios.push_back(without_s / (is_first ? with_s : comparison.with_loader_s(number)));
  }
  std::sort(ratios.begin(), ratios.end());
  const double median = ratios[kTurns / 2];
  std::printf("%-36s %6.3f (%.3f to %.3f)  >= %g  %s\n", asked.name.c_str(), median, ratios[kTurns / 4],
              ratios[kTurns - 1 - kTurns / 4], kLeast, median >= kLeast ? "reached" : "MISSED");
  std::fflush(stdout);
  return median >= kLeast;
}

}  // namespace

int main() {
  const auto cpus = static_cast<std::uint32_t>(std::max<std::size_t>(1, allowed_cpus().size()));
  std::printf("a loader's rate over that of its parts, median of %d turns (quartiles), %u processors\n",
              kTurns, cpus);
  std::vector<Case> cases = {{"no workers"}};
  for (const std::uint32_t workers : {1u, cpus, 2 * cpus}) {
    const std::string count = std::to_string(workers);
    cases.push_back({count + " threads", workers});
    cases.push_back({count + " processes", workers, WorkerKind::process});
  }
  cases.push_back({"uneven items", cpus, WorkerKind::thread, 1, 8});
  cases.push_back({"from files", cpus, WorkerKind::thread, 0, 2, true});
  cases.push_back({"a slow consumer that waits", cpus, WorkerKind::thread, 0, 2, false, 2e-3});
  cases.push_back({"a fast consumer that waits", 1, WorkerKind::thread, 0, 2, false, 3e-4});
  cases.push_back({"a busy consumer", std::max(1u, cpus - 1), WorkerKind::thread, 0, 2, false, 2e-3, true});
  bool good = true;
  for (const Case& asked : cases) good &= compare(asked);
  return good ? 0 : 1;
}
