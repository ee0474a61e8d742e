// SPDX-License-Identifier: Apache-2.0
#include "lib/loader/loader.hpp"

#include "lib/loader/bound.hpp"

#include <assay/errors.hpp>

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace assay::plugins::loader {
namespace {

namespace fs = std::filesystem;

// Makes 24 bytes that say of which seed, epoch and item they are, after it has done something else.
class Numbered final : public ItemWork {
 public:
  using Before = std::function<bool(const Epoch&, std::uint64_t, const KeepOn&)>;
  explicit Numbered(Before before = nullptr) : before_(std::move(before)) {}

  std::size_t scratch_bytes() const override { return 24; }
  std::size_t item_bytes() const override { return 24; }
  bool make(const Epoch& epoch, std::uint64_t item, std::byte* scratch, std::byte* to,
            const KeepOn& keep_on) const override {
    if (before_ && !before_(epoch, item, keep_on)) return false;
    const std::uint64_t words[3] = {epoch.seed, epoch.number, item};
    std::memcpy(scratch, words, sizeof(words));
    std::memcpy(to, scratch, sizeof(words));
    return keep_on();
  }

 private:
  Before before_;
};

std::size_t threads() {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator("/proc/self/task"), fs::directory_iterator()));
}
// A thread that was joined is in the list a moment longer.
void expect_threads(std::size_t count) {
  while (threads() > count) ::sched_yield();
  EXPECT_EQ(threads(), count);
}
bool has_children() { return ::waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD; }

LoaderOptions options_of(std::uint32_t workers, WorkerKind kind, std::uint64_t items = 103,
                         std::uint32_t batch = 4) {
  LoaderOptions options;
  options.data.items = items;
  options.data.batch = batch;
  options.workers = workers;
  options.kind = kind;
  return options;
}
bool never() { return false; }

void expect_epoch(Loader& loader, const LoaderOptions& options, const Epoch& epoch) {
  const Sequence sequence(options.data, epoch);
  std::set<std::uint64_t> seen;
  std::uint64_t place = 0;
  loader.begin(epoch);
  for (Batch batch; loader.next(batch);) {
    ASSERT_EQ(batch.first_place, place);
    ASSERT_EQ(batch.count, std::min<std::uint64_t>(options.data.batch, options.data.items - place));
    ASSERT_LE(batch.depth, std::uint64_t{options.workers} * options.prefetch);
    for (std::uint32_t i = 0; i < batch.count; ++i, ++place) {
      ASSERT_EQ(batch.items[i], sequence(place));
      seen.insert(batch.items[i]);
      std::uint64_t words[3];
      std::memcpy(words, batch.values + i * sizeof(words), sizeof(words));
      ASSERT_EQ(words[0], epoch.seed);
      ASSERT_EQ(words[1], epoch.number);
      ASSERT_EQ(words[2], batch.items[i]);
    }
  }
  EXPECT_EQ(place, options.data.items);
  EXPECT_EQ(seen.size(), options.data.items);
}

TEST(Loader, DeliversEveryItemOnceInOrderHoweverItWorks) {
  const std::size_t before = threads();
  int tried = 0;
  for (const std::uint32_t workers : {0u, 1u, 2u, 7u}) {
    for (const WorkerKind kind : {WorkerKind::thread, WorkerKind::process}) {
      for (const bool is_persistent : {false, true}) {
        for (const std::uint32_t prefetch : {1u, 3u}) {
          for (const Collate collate : {Collate::copy, Collate::direct}) {
            LoaderOptions options = options_of(workers, kind);
            options.is_persistent = is_persistent;
            options.prefetch = prefetch;
            options.data.collate = collate;
            options.data.order = tried++ % 4 == 0 ? Order::sequential : Order::shuffled;
            Loader loader(options, std::make_shared<Numbered>(), never);
            for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
              expect_epoch(loader, options, {epoch / 2 + 1, epoch});
              if (HasFatalFailure()) return;
            }
            EXPECT_TRUE(is_persistent || !has_children());
          }
        }
      }
    }
  }
  expect_threads(before);
  EXPECT_FALSE(has_children());
}

TEST(Loader, ServesMoreWorkersThanThereAreItems) {
  for (const WorkerKind kind : {WorkerKind::thread, WorkerKind::process}) {
    for (const std::uint64_t items : {1, 2}) {
      const LoaderOptions options = options_of(9, kind, items, 4);
      Loader loader(options, std::make_shared<Numbered>(), never);
      expect_epoch(loader, options, {1, 0});
      expect_epoch(loader, options, {1, 1});
    }
  }
}

// And makes no more than that, however long nobody asks.
TEST(Loader, EndsAnEpochWhereItIsTold) {
  for (const std::uint32_t workers : {0U, 2U}) {
    std::atomic<int> made{0};
    LoaderOptions options = options_of(workers, WorkerKind::thread);
    options.data.order = Order::sequential;
    options.is_persistent = true;
    const auto count = [&](const Epoch&, std::uint64_t, const KeepOn&) { return ++made > 0; };
    Loader loader(options, std::make_shared<Numbered>(count), never);
    int wanted = 0;
    for (const std::uint64_t batches : {3U, 1U, 5U}) {
      loader.begin({1, batches}, batches);
      Batch batch;
      std::uint64_t seen = 0;
      for (; loader.next(batch); ++seen) EXPECT_EQ(batch.items[0], seen * options.data.batch);
      EXPECT_EQ(seen, batches);
      EXPECT_EQ(made, wanted += static_cast<int>(batches * options.data.batch));
    }
  }
}

TEST(Loader, ShufflesAnewForEveryEpochAndSeed) {
  DataSet data;
  data.items = 1000;
  const auto order = [&](const Epoch& epoch) {
    std::vector<std::uint64_t> items;
    const Sequence sequence(data, epoch);
    for (std::uint64_t place = 0; place < data.items; ++place) items.push_back(sequence(place));
    return items;
  };
  EXPECT_EQ(order({1, 0}), order({1, 0}));
  EXPECT_NE(order({1, 0}), order({1, 1}));
  EXPECT_NE(order({1, 0}), order({2, 0}));
  EXPECT_NE(order({1, 1}), order({2, 0}));
}

// A batch begins only when so many before it were asked for that no more than workers times prefetch are ahead.
TEST(Loader, KeepsNoMoreBatchesAheadThanItWasTold) {
  LoaderOptions options = options_of(3, WorkerKind::thread, 4000, 1);
  options.prefetch = 2;
  options.data.order = Order::sequential;
  std::atomic<std::uint64_t> asked{0}, furthest{0};
  const auto work = std::make_shared<Numbered>([&](const Epoch&, std::uint64_t item, const KeepOn&) {
    const std::uint64_t ahead = item + 1 - std::min<std::uint64_t>(item + 1, asked);
    std::uint64_t known = furthest;
    while (ahead > known && !furthest.compare_exchange_weak(known, ahead)) {
    }
    return true;
  });
  Loader loader(options, work, never);
  loader.begin({1, 0});
  Batch batch;
  do {
    ++asked;
  } while (loader.next(batch));
  EXPECT_LE(furthest, 6u);
}

TEST(Loader, HasBatchesReadyForAConsumerThatComesLate) {
  const LoaderOptions options = options_of(2, WorkerKind::thread, 100, 1);
  std::atomic<std::uint64_t> made{0};
  const auto work = std::make_shared<Numbered>([&](const Epoch&, std::uint64_t, const KeepOn&) {
    ++made;
    return true;
  });
  Loader loader(options, work, never);
  loader.begin({1, 0});
  Batch batch;
  std::uint64_t deepest = 0, taken = 0;
  // Of four that were begun two at least are done: two workers make one each.
  while (made < 4) ::sched_yield();
  while (loader.next(batch)) {
    ++taken;
    deepest = std::max(deepest, batch.depth);
    const std::uint64_t until = std::min<std::uint64_t>(100, taken + 4);
    while (made < until) ::sched_yield();
  }
  EXPECT_GE(deepest, 2u);
  EXPECT_LE(deepest, 4u);
}

std::string failure_of(Loader& loader, const Epoch& epoch = {1, 0}) {
  try {
    loader.begin(epoch);
    for (Batch batch; loader.next(batch);) {
    }
  } catch (const Failure& error) {
    return error.what();
  }
  return "";
}

TEST(Loader, SaysAtWhichItemAWorkerThrew) {
  const std::size_t before = threads();
  for (const std::uint32_t workers : {0u, 1u, 4u}) {
    for (const WorkerKind kind : {WorkerKind::thread, WorkerKind::process}) {
      LoaderOptions options = options_of(workers, kind);
      options.data.order = Order::sequential;
      const auto work = std::make_shared<Numbered>([](const Epoch&, std::uint64_t item, const KeepOn&) {
        if (item == 42) throw std::runtime_error("the disk is on fire");
        return true;
      });
      Loader loader(options, work, never);
      EXPECT_EQ(failure_of(loader), "item 42 (batch 10 of epoch 0) could not be loaded: the disk is on fire");
      EXPECT_NE(failure_of(loader).find("has failed before"), std::string::npos);
    }
  }
  expect_threads(before);
  EXPECT_FALSE(has_children());
}

TEST(Loader, KeepsTheStatusAndTheCodeOfAFailure) {
  for (const WorkerKind kind : {WorkerKind::thread, WorkerKind::process}) {
    const auto work = std::make_shared<Numbered>([](const Epoch&, std::uint64_t, const KeepOn&) -> bool {
      throw Failure("gone", ASSAY_E_RESOURCE, "errno", ENOENT);
    });
    Loader loader(options_of(2, kind), work, never);
    try {
      loader.begin({1, 0});
      Batch batch;
      loader.next(batch);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Failure& error) {
      EXPECT_EQ(error.status(), ASSAY_E_RESOURCE);
      EXPECT_EQ(error.domain(), "errno");
      EXPECT_EQ(error.code(), ENOENT);
    }
  }
}

TEST(Loader, NamesAProcessThatWasKilled) {
  for (const bool is_persistent : {false, true}) {
    LoaderOptions options = options_of(3, WorkerKind::process);
    options.is_persistent = is_persistent;
    const auto work = std::make_shared<Numbered>([](const Epoch&, std::uint64_t item, const KeepOn&) {
      if (item == 50) ::raise(SIGKILL);
      return true;
    });
    Loader loader(options, work, never);
    const std::string text = failure_of(loader);
    EXPECT_NE(text.find("was ended by signal 9"), std::string::npos) << text;
  }
  EXPECT_FALSE(has_children());
}

TEST(Loader, EndsAProcessThatHangs) {
  LoaderOptions options = options_of(3, WorkerKind::process);
  options.stall_limit_s = 0.3;
  const auto work = std::make_shared<Numbered>([](const Epoch&, std::uint64_t item, const KeepOn&) {
    while (item == 50) ::pause();
    return true;
  });
  Loader loader(options, work, never);
  const std::string text = failure_of(loader);
  EXPECT_NE(text.find("hangs: it makes batch"), std::string::npos) << text;
  EXPECT_EQ(loader.stop(), 1u);
  EXPECT_FALSE(has_children());
}

// Others do its work, and what is measured is not what was asked for.
TEST(Loader, FindsAProcessThatHangsWhileItHasNothingToDo) {
  LoaderOptions options = options_of(3, WorkerKind::process);
  options.stall_limit_s = 0.3;
  options.is_persistent = true;
  Loader loader(options, std::make_shared<Numbered>(), never);
  expect_epoch(loader, options, {1, 0});
  pid_t child = 0;
  std::ifstream("/proc/self/task/" + std::to_string(::getpid()) + "/children") >> child;
  ASSERT_GT(child, 0);
  ASSERT_EQ(::kill(child, SIGSTOP), 0);
  std::string text;
  for (std::uint64_t epoch = 1; text.empty(); ++epoch) text = failure_of(loader, {1, epoch});
  EXPECT_NE(text.find("hangs"), std::string::npos) << text;
}

TEST(StallWatch, CountsWorkersThatTickOrHaveLeftAsAlive) {
  using std::chrono::milliseconds;
  QueueShape shape;
  shape.workers = 3;
  BatchQueue queue(shape);
  StallWatch watch(3, 1);
  auto now = std::chrono::steady_clock::now();
  watch.reset(queue, now);
  for (int i = 0; i < 9; ++i) {
    queue.tick(0);
    EXPECT_EQ(watch.look(queue, now += milliseconds(100)), std::nullopt);
  }
  queue.leave(1);
  queue.tick(0);
  EXPECT_EQ(watch.look(queue, now += milliseconds(100)), 2u);
  queue.tick(2);
  EXPECT_EQ(watch.look(queue, now), std::nullopt);
  // Nobody looked for a while: whoever stopped this process may have stopped all.
  EXPECT_EQ(watch.look(queue, now += milliseconds(5000)), std::nullopt);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(watch.look(queue, now += milliseconds(100)), std::nullopt);
  EXPECT_EQ(watch.look(queue, now += milliseconds(100)), 0u);
}

// Nobody can end a thread. It is left with all that it uses, and ends when it looks up.
TEST(Loader, LeavesAThreadThatHangsToItself) {
  const std::size_t before = threads();
  const auto may_go_on = std::make_shared<std::atomic<bool>>(false);
  {
    LoaderOptions options = options_of(3, WorkerKind::thread);
    options.stall_limit_s = 0.3;
    const auto work =
        std::make_shared<Numbered>([may_go_on](const Epoch&, std::uint64_t item, const KeepOn&) {
          while (item == 50 && !*may_go_on) ::sched_yield();
          return true;
        });
    Loader loader(options, work, never);
    const std::string text = failure_of(loader);
    EXPECT_NE(text.find("hangs: it makes batch"), std::string::npos) << text;
    EXPECT_EQ(loader.stop(), 1u);
  }
  EXPECT_EQ(threads(), before + 1);
  *may_go_on = true;
  expect_threads(before);
}

TEST(Loader, TakesNoWorkerThatGoesOnForOneThatHangs) {
  LoaderOptions options = options_of(1, WorkerKind::thread);
  options.stall_limit_s = 1;
  const auto work = std::make_shared<Numbered>([](const Epoch&, std::uint64_t, const KeepOn& keep_on) {
    while (keep_on()) {
    }
    return false;
  });
  int looks = 0;  // about 20 ms apart
  Loader loader(options, work, [&] { return ++looks > 100; });
  loader.begin({1, 0});
  Batch batch;
  EXPECT_THROW(loader.next(batch), Cancelled);
}

TEST(Loader, IsCancelledWhileAnItemIsMade) {
  const std::size_t before = threads();
  for (const std::uint32_t workers : {0u, 2u}) {
    for (const WorkerKind kind : {WorkerKind::thread, WorkerKind::process}) {
      const auto work = std::make_shared<Numbered>([](const Epoch&, std::uint64_t, const KeepOn& keep_on) {
        while (keep_on()) {
        }
        return false;
      });
      int looks = 0;
      Loader loader(options_of(workers, kind), work, [&] { return ++looks > 3; });
      loader.begin({1, 0});
      Batch batch;
      EXPECT_THROW(loader.next(batch), Cancelled);
      EXPECT_EQ(loader.stop(), 0u);
    }
  }
  expect_threads(before);
  EXPECT_FALSE(has_children());
}

TEST(Loader, IsCancelledWhileItStartsWorkers) {
  LoaderOptions options = options_of(2, WorkerKind::thread);
  options.start_cost_s = 1e9;
  int looks = 0;
  Loader loader(options, std::make_shared<Numbered>(), [&] { return ++looks > 3; });
  EXPECT_THROW(loader.begin({1, 0}), Cancelled);
}

TEST(Loader, CanBeLeftInTheMiddleOfAnEpoch) {
  const std::size_t before = threads();
  for (const WorkerKind kind : {WorkerKind::thread, WorkerKind::process}) {
    for (const bool is_persistent : {false, true}) {
      LoaderOptions options = options_of(3, kind);
      options.is_persistent = is_persistent;
      Loader loader(options, std::make_shared<Numbered>(), never);
      loader.begin({1, 0});
      Batch batch;
      EXPECT_TRUE(loader.next(batch));
      EXPECT_THROW(loader.begin({1, 1}), Failure);
    }
  }
  expect_threads(before);
  EXPECT_FALSE(has_children());
}

TEST(Loader, CountsItsMemoryAlsoWhereNoIntegerHoldsIt) {
  LoaderOptions options = options_of(1024, WorkerKind::thread, 1, 65536);
  options.prefetch = 1024;
  EXPECT_GT(Loader::queue_bytes(options, std::size_t{1} << 28), 0x1p63);
  options = options_of(2, WorkerKind::thread, 1, 10);
  EXPECT_GE(Loader::queue_bytes(options, 1000), 5 * 10 * 1000.0);
  EXPECT_LT(Loader::queue_bytes(options, 1000), 2 * 5 * 10 * 1000.0);
}

TEST(LoaderBound, IsWhatIsSlowest) {
  LoaderBound bound;
  bound.items = 100;
  bound.item_cost_s = 0.01;
  bound.workers = 2;
  bound.processors = 8;
  EXPECT_DOUBLE_EQ(bound.items_per_second(), 200);
  bound.workers = 16;  // processors
  EXPECT_DOUBLE_EQ(bound.items_per_second(), 800);
  bound.consumer_s = 0.1;  // waits
  EXPECT_DOUBLE_EQ(bound.items_per_second(), 800);
  bound.is_busy = true;  // takes part of a processor
  EXPECT_DOUBLE_EQ(bound.items_per_second(), 100 / (1.1 / 8));
  bound.consumer_s = 2;
  EXPECT_DOUBLE_EQ(bound.items_per_second(), 50);
  bound.workers = 0;  // one after the other
  EXPECT_DOUBLE_EQ(bound.items_per_second(), 100 / 3.0);
}

}  // namespace
}  // namespace assay::plugins::loader
