// SPDX-License-Identifier: Apache-2.0
//
// collective@host: collective operations between processes over memory that they share, by algorithms that
// are written out (schedule.hpp).
#include "collective/execution.hpp"
#include "collective/parameters.hpp"
#include "lib/cpu_team.hpp"

#include <assay/contracts/collective_1.hpp>
#include <assay/host.hpp>
#include <assay/plugin.hpp>

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

namespace collective = assay::plugins::collective;
using collective::Operation;
using collective::Operator;
using collective::Placement;
using collective::Timing;
using collective::Type;

enum class Choice { automatic, direct, ring, recursive_doubling, tree };

constexpr std::size_t kMostChunks = 1024;
// Below it fewer waits count for more than bytes.
constexpr std::size_t kSmall = 32 << 10;

class Collective final : public assay::host::Benchmark {
 public:
  struct Params {
    Operation op = Operation::all_reduce;
    std::uint64_t bytes = std::uint64_t{16} << 20;
    Type dtype = Type::fp32;
    Operator reduction = Operator::sum;
    Placement placement = Placement::out;
    std::uint32_t root = 0;
    Timing timing = Timing::back_to_back;
    Choice algorithm = Choice::automatic;
    std::uint64_t chunk = 64 << 10;
  };

  static void describe(assay::Description<Params>& is) {
    namespace contract = assay::contracts::collective_1;
    contract::implement(is).revision(2);
    is.summary("collective operations between processes over memory that they share");
    is.doc(
        "Ranks are processes; buffers lie in memory that all of them have mapped, and each rank takes from "
        "the others' what its algorithm says. The transport is the machine's memory and caches, not a "
        "network: algorithms can be compared, links cannot. With more ranks than processors the scheduler is "
        "measured.");
    collective::describe_size(is);
    contract::dtype(is, &Params::dtype)
        .choices({{"int8", Type::int8},
                  {"uint8", Type::uint8},
                  {"int32", Type::int32},
                  {"uint32", Type::uint32},
                  {"int64", Type::int64},
                  {"uint64", Type::uint64},
                  {"fp32", Type::fp32},
                  {"fp64", Type::fp64}});
    collective::describe_way(is);
    is.param("algorithm", &Params::algorithm)
        .choices({{"auto", Choice::automatic},
                  {"direct", Choice::direct},
                  {"ring", Choice::ring},
                  {"recursive_doubling", Choice::recursive_doubling},
                  {"tree", Choice::tree}})
        .help(
            "algorithm of the operation; auto: direct below 32 "
            "KiB and where there is no ring, else ring");
    is.param("chunk", &Params::chunk)
        .unit(assay::unit::bytes)
        .range(64, std::uint64_t{1} << 30)
        .help(
            "size of a piece, of trees and of a ring's broadcast and "
            "reduce, which are pipelines; at most 1024 pieces");
    collective::describe_metrics(is, "CPU threads", nullptr);
    is.fact("algorithm", "algorithm that was used");
    is.fact("transport", "transport between ranks");
    is.fact("size", "size in bytes after rounding");
    is.fact("processors", "processors that the ranks may use, and number of ranks");
    is.supports({assay::Cache::hot});
    is.ranks(2, 64).devices(1, 1);
  }

  Collective(const Params& params, assay::Case& run) : Benchmark(run), params_(params), group_(run) {}

  void probe() override {
    counts_ = collective::require_possible(params_, collective::bytes_of(params_.dtype), group_.size());
    choose();
  }

  void prepare() override {
    const std::size_t element = collective::bytes_of(params_.dtype);
    collective::Call call = {params_.op, algorithm_, group_.size(), root(), counts_, {}, 1};
    call.chunk = std::max<std::size_t>({1, params_.chunk / element, counts_.whole / kMostChunks + 1});
    for (std::uint32_t rank = 0; rank < call.ranks; ++rank) {
      call.layouts.push_back(collective::layout_of(params_.op, counts_, rank, call.root,
                                                   params_.placement == Placement::in,
                                                   collective::kCanaryBytes / element));
    }
    const std::size_t processors = std::max<std::size_t>(1, assay::plugins::allowed_cpus().size());
    execution_ = std::make_unique<collective::Execution>(context(), group_, std::move(call), element,
                                                         processors < group_.size());

    const double size = static_cast<double>(counts_.whole * element);
    work("bus_bandwidth", size * collective::bus_factor(params_.op, group_.size()) / group_.size());
    work("algorithm_bandwidth", size / group_.size());
    work("latency", 1);
    context().fact("algorithm", collective::name_of(algorithm_));
    context().fact("transport", "shared memory");
    context().fact("size", std::to_string(counts_.whole * element));
    context().fact("processors", std::to_string(processors));
    done(ASSAY_DONE_HOT);
    if (params_.placement == Placement::out) idempotent();
    inputs_follow_seed();
    restore();
  }

  assay::Traits traits() override {
    assay::Traits traits = Benchmark::traits();
    traits.laps = params_.timing == Timing::isolated;
    return traits;
  }

  // Nobody writes what a slower rank still reads, and nobody begins before all inputs are there.
  void restore() override {
    group_.barrier();
    execution_->clear();
    collective::with_type(params_.dtype, [&](auto zero) {
      using T = decltype(zero);
      const auto coded = coded_as<T>();
      T* send = execution_->elements<T>(group_.rank(), execution_->layout().send);
      for (std::size_t i = 0; i < execution_->layout().send_count; ++i) {
        if (i % kLook == 0) context().throw_if_cancelled();
        send[i] = coded.input(group_.rank(), i);
      }
    });
    group_.barrier();
  }

  void run(std::uint64_t n) override {
    for (std::uint64_t i = 0; i < n; ++i) once();
  }

  void iterate(assay::Mode mode, std::uint64_t n, assay::Sample& sample) override {
    if (params_.timing == Timing::back_to_back) return Benchmark::iterate(mode, n, sample);
    const std::int64_t begin = context().now_ns();
    double total_s = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      execution_->meet();
      const std::int64_t from = context().now_ns();
      once();
      const double lap_s = static_cast<double>(std::max<std::int64_t>(1, context().now_ns() - from)) * 1e-9;
      total_s += lap_s;
      if (sample.laps_s != nullptr && i < sample.lap_capacity) sample.laps_s[i] = lap_s;
    }
    if (sample.laps_s != nullptr && n <= sample.lap_capacity) sample.lap_count = n;
    sample.device_s = total_s;
    sample.begin_ns = begin;
    sample.end_ns = context().now_ns();
    sample.host_s = static_cast<double>(sample.end_ns - begin) * 1e-9;
    sample.done = ASSAY_DONE_HOT;
  }

  void verify() override {
    checks().method("closed form, at every rank, with canaries around each buffer");
    collective::with_type(params_.dtype, [&](auto zero) { check_as<decltype(zero)>(); });
  }

 private:
  static constexpr std::size_t kLook = 1 << 20;  // elements between two looks for a cancel

  void choose() {
    switch (params_.algorithm) {
      case Choice::automatic:
        algorithm_ = params_.bytes >= kSmall &&
                             collective::is_there(params_.op, collective::Algorithm::ring, group_.size())
                         ? collective::Algorithm::ring
                         : collective::Algorithm::direct;
        break;
      case Choice::direct:
        algorithm_ = collective::Algorithm::direct;
        break;
      case Choice::ring:
        algorithm_ = collective::Algorithm::ring;
        break;
      case Choice::recursive_doubling:
        algorithm_ = collective::Algorithm::recursive_doubling;
        break;
      case Choice::tree:
        algorithm_ = collective::Algorithm::tree;
        break;
    }
    if (!collective::is_there(params_.op, algorithm_, group_.size())) {
      throw assay::Skip(collective::why_not_there(params_.op, algorithm_, group_.size()));
    }
  }

  template <class T>
  collective::Coded<T> coded_as() const {
    return {collective::reduces(params_.op) ? params_.reduction : Operator::sum, group_.size(),
            context().seed()};
  }

  // Of operations without one it is of no account.
  std::uint32_t root() const { return collective::has_root(params_.op) ? params_.root : 0; }

  void once() {
    collective::with_type(params_.dtype,
                          [&](auto zero) { execution_->once<decltype(zero)>(params_.reduction); });
  }

  template <class T>
  void check_as() {
    const auto coded = coded_as<T>();
    const std::uint32_t me = group_.rank();
    const T* receive = execution_->elements<T>(me, execution_->layout().receive);
    const auto expected = [&](std::size_t i) {
      const collective::Origin from =
          collective::origin_of(params_.op, counts_.part, group_.size(), root(), me, i);
      return from.combined ? coded.combined(from.index) : coded.input(from.rank, from.index);
    };
    for (std::size_t i = 0; i < execution_->layout().receive_count; ++i) {
      if (i % kLook == 0) context().throw_if_cancelled();
      checks().expect_equal(receive[i], expected(i), i);
    }
    execution_->look_around(
        [&](std::size_t byte, unsigned char is) { checks().expect_equal(is, collective::kCanary, byte); });
  }

  Params params_;
  assay::Group group_;
  collective::Counts counts_;
  collective::Algorithm algorithm_ = collective::Algorithm::ring;
  std::unique_ptr<collective::Execution> execution_;
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay")
        .license("Apache-2.0")
        .summary("collective operations between processes on one machine");
  }
};

}  // namespace

ASSAY_PLUGIN("org.assay.collective.host", "0.1.0", assay::host::backend, About, Collective)
