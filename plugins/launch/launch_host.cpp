// SPDX-License-Identifier: Apache-2.0
//
// launch@host: what it costs to hand work to threads, to wake and to start them, and to start a process.
#include "launch/task_pool.hpp"
#include "lib/cpu_team.hpp"

#include <assay/host.hpp>
#include <assay/plugin.hpp>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <functional>
#include <memory>
#include <spawn.h>
#include <string>
#include <thread>
#include <vector>

namespace {

using assay::plugins::launch::TaskPool;

enum class Cost { dispatch, wake, thread, process };
enum class Mode { eager, list };

constexpr const char* kProgram = "/bin/true";

// A word that one thread sets and another sleeps on, by the kernel's own means. It is set to a number and
// waited for until it is.
class Bell {
 public:
  void ring(std::uint32_t value) {
    word_.store(value, std::memory_order_release);
    syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }
  void wait_for(std::uint32_t value) {
    for (std::uint32_t now; (now = word_.load(std::memory_order_acquire)) != value;) {
      syscall(SYS_futex, &word_, FUTEX_WAIT_PRIVATE, now, nullptr, nullptr, 0);
    }
  }

 private:
  alignas(64) std::atomic<std::uint32_t> word_{0};
};

// A thread that answers every ring of one bell by ringing another.
class Echo {
 public:
  Echo() : thread_([this] { serve(); }) {}
  Echo(const Echo&) = delete;  // the thread points at it
  Echo& operator=(const Echo&) = delete;
  ~Echo() {
    ending_.store(true);
    call_.ring(++turn_);
    thread_.join();
  }

  void there_and_back() {
    call_.ring(++turn_);
    answer_.wait_for(turn_);
  }
  std::uint64_t answered() const { return answered_.load(); }

 private:
  void serve() {
    for (std::uint32_t turn = 1;; ++turn) {
      call_.wait_for(turn);
      if (ending_.load()) return;
      answered_.fetch_add(1, std::memory_order_relaxed);
      answer_.ring(turn);
    }
  }

  Bell call_, answer_;
  std::uint32_t turn_ = 0;
  std::atomic<std::uint64_t> answered_{0};
  std::atomic<bool> ending_{false};
  std::thread thread_;  // last: it uses all of the above
};

class Dispatch final : public assay::host::Benchmark {
 public:
  struct Params {
    Cost cost = Cost::dispatch;
    Mode mode = Mode::eager;
    std::uint32_t tasks = 1000;
    std::uint32_t threads = 0;
  };

  static void describe(assay::Description<Params>& is) {
    is.named("launch").revision(1);
    is.summary("what it costs to hand work to threads, to wake and start them, and to start a process");
    is.doc(
        "Task dispatch on the CPUs, not a kernel launch: another thing than launch@cuda, with metrics of its "
        "own. One iteration of `dispatch` hands over `tasks` tasks that each count one, and waits for all: "
        "`eager` one by one through a queue, `list` as a list that was built before.");
    is.param("cost", &Params::cost)
        .choices({{"dispatch", Cost::dispatch},
                  {"wake", Cost::wake},
                  {"thread", Cost::thread},
                  {"process", Cost::process}})
        .help(
            "operation that is timed: tasks to a pool; a sleeping thread "
            "woken; a thread started and joined; a process, likewise");
    is.param("mode", &Params::mode)
        .choices({{"eager", Mode::eager}, {"list", Mode::list}})
        .help("way in which dispatch hands over tasks: queued one by one, or as a list built before");
    is.param("tasks", &Params::tasks).range(1, 1000000).help("tasks in an iteration, of dispatch");
    is.param("threads", &Params::threads).range(0, 4096).help("threads of dispatch; 0: one per allowed CPU");
    is.duration("dispatch").summary("time for one task handed to a pool of threads and done").headline();
    is.duration("wake").summary("time to wake a sleeping thread from another, one way").headline();
    is.duration("thread").summary("time to start and join a thread").headline();
    is.duration("process")
        .summary("time to start a process (posix_spawn of /bin/true) and wait for it")
        .headline();
    is.fact("threads", "threads of the pool");
    is.supports({assay::Cache::hot});
  }

  Dispatch(const Params& params, assay::Case& run) : Benchmark(run), params_(params) {}

  void probe() override {
    if (params_.cost == Cost::process && ::access(kProgram, X_OK) != 0) {
      throw assay::Skip(std::string(kProgram) + " cannot be run here: " + std::strerror(errno));
    }
  }

  void prepare() override {
    done(ASSAY_DONE_HOT);
    switch (params_.cost) {
      case Cost::dispatch: {
        const std::size_t cpus = std::max<std::size_t>(1, assay::plugins::allowed_cpus().size());
        pool_ = std::make_unique<TaskPool>(static_cast<int>(params_.threads == 0 ? cpus : params_.threads));
        context().fact("threads", std::to_string(pool_->size()));
        if (params_.mode == Mode::list) list_.assign(params_.tasks, Count{&count_});
        work("dispatch", params_.tasks);
        break;
      }
      case Cost::wake:
        echo_ = std::make_unique<Echo>();
        work("wake", 2);
        break;
      case Cost::thread:
        work("thread", 1);
        break;
      case Cost::process:
        work("process", 1);
        break;
    }
  }

  void restore() override {
    count_.store(0);
    answered_ = echo_ ? echo_->answered() : 0;
    iterations_ = 0;
  }

  // What was counted, but not how often it should have been.
  void destroy_results() override {
    count_.store(0);
    answered_ = echo_ ? echo_->answered() : 0;
  }

  void run(std::uint64_t n) override {
    for (std::uint64_t i = 0; i < n; ++i) {
      switch (params_.cost) {
        case Cost::dispatch:
          dispatch();
          break;
        case Cost::wake:
          echo_->there_and_back();
          break;
        case Cost::thread:
          std::thread(Count{&count_}).join();
          break;
        case Cost::process:
          run_program();
          break;
      }
      if (i % 64 == 63) context().throw_if_cancelled();
    }
    iterations_ += n;
  }

  void verify() override {
    checks().method("the work counts itself");
    const std::uint64_t of_one = params_.cost == Cost::dispatch ? params_.tasks : 1;
    const std::uint64_t counted = params_.cost == Cost::wake ? echo_->answered() - answered_ : count_.load();
    checks().expect_equal(counted, of_one * iterations_, 0);
  }

 private:
  struct Count {
    std::atomic<std::uint64_t>* count;
    void operator()() const { count->fetch_add(1, std::memory_order_relaxed); }
  };

  void dispatch() {
    if (params_.mode == Mode::list) {
      pool_->run(list_);
      return;
    }
    for (std::uint32_t task = 0; task < params_.tasks; ++task) pool_->submit(Count{&count_});
    pool_->wait_idle();
  }

  void run_program() {
    char program[] = "true";
    char* const arguments[] = {program, nullptr};
    char* const environment[] = {nullptr};
    pid_t child = 0;
    const int code = ::posix_spawn(&child, kProgram, nullptr, nullptr, arguments, environment);
    if (code != 0) {
      throw assay::Failure(std::string("starting ") + kProgram + ": " + std::strerror(code),
                           ASSAY_E_RESOURCE);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0) {
      if (errno != EINTR) {
        throw assay::Failure(std::string("waiting for ") + kProgram + ": " + std::strerror(errno),
                             ASSAY_E_INTERNAL);
      }
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) count_.fetch_add(1, std::memory_order_relaxed);
  }

  Params params_;
  std::atomic<std::uint64_t> count_{0};
  std::uint64_t answered_ = 0, iterations_ = 0;
  std::vector<TaskPool::Task> list_;
  std::unique_ptr<Echo> echo_;
  std::unique_ptr<TaskPool> pool_;  // last: its threads use the list
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("what handing work to threads and processes costs");
  }
};

}  // namespace

ASSAY_PLUGIN("org.assay.launch.host", "0.1.0", assay::host::backend, About, Dispatch)
