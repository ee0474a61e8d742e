// SPDX-License-Identifier: Apache-2.0
//
// bucketing@cuda: requests of many lengths, computed as they come or padded to lengths that graphs were
// captured for. README.md says how it is counted.
#pragma once

#include "launch/event_span.cuh"
#include "launch/requests.hpp"
#include "lib/host_cost.hpp"

#include <assay/cuda.hpp>
#include <assay/plugin.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::plugins::launch {

// As elementwise work of a layer: each word is read and written once.
__global__ void rows_kernel(uint4* words, std::uint64_t count) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    uint4 word = words[i];
    ++word.x, ++word.y, ++word.z, ++word.w;
    words[i] = word;
  }
}

struct RowRuns {
  const std::uint32_t* runs;  // of each row in one round
  std::uint64_t width;
  std::uint32_t kernels;  // in all rounds; words count modulo 2^32, as this product does
  __device__ std::uint32_t operator()(std::uint64_t i) const { return runs[i / width] * kernels; }
};

class Bucketing final : public Benchmark {
 public:
  enum class Way { exact, padded, graph };

  struct Params {
    Way way = Way::graph;
    std::string lengths = "uniform";
    std::uint32_t requests = 64;
    std::uint32_t longest = 512;
    std::uint32_t smallest_bucket = 8;
    double growth = 2;
    std::uint32_t kernels = 50;
    std::uint32_t width = 4096;
    double host_cost = 0;
  };

  static void describe(Description<Params>& is) {
    is.named("bucketing").revision(1);
    is.summary("what padding requests to the lengths of a few graphs costs and gains");
    is.own_process();  // as launch@cuda
    is.doc(
        "A request is a chain of `kernels` elementwise kernels over as many rows as it has tokens. `exact` "
        "launches them at the request's own length, `padded` at that of the smallest bucket that holds it, "
        "`graph` replays the graph of that bucket. One iteration is all requests, one after another without "
        "a pause. Buckets go from `smallest_bucket` to `longest`, each `growth` times the one before: finer "
        "ones pad less and need more graphs. With `host_cost` the host is busy for so long before each call "
        "that submits: each kernel, or each replay.");
    is.param("way", &Params::way)
        .choices({{"exact", Way::exact}, {"padded", Way::padded}, {"graph", Way::graph}})
        .help("way of running a request: kernels at its length, at its bucket's, or the bucket's graph");
    is.param("lengths", &Params::lengths)
        .help(
            "lengths of requests; uniform: from 1 to longest, drawn by "
            "the case's seed; or numbers, as in '17, 300'");
    is.param("requests", &Params::requests).range(1, 100000).help("number of requests that are drawn");
    is.param("longest", &Params::longest)
        .range(1, 1 << 20)
        .help("length of the longest request, and of the last bucket");
    is.param("smallest_bucket", &Params::smallest_bucket)
        .range(1, 1 << 20)
        .help("length of the first bucket");
    is.param("growth", &Params::growth)
        .range(1.01, 1024)
        .help("growth from a bucket to the next, rounded up");
    is.param("kernels", &Params::kernels).range(1, 10000).help("kernels of one request");
    is.param("width", &Params::width)
        .range(4, 1 << 20)
        .help("32-bit words of a token's row, a multiple of 4");
    is.param("host_cost", &Params::host_cost)
        .unit(unit::seconds)
        .range(0, 1e-2)
        .help("time for which the host is busy before each call that submits, as a framework would be");
    is.duration("request").summary("time on the device for one request").headline();
    is.rate("token_rate", unit::items_per_second)
        .counting("tokens that were asked for; padding does not count")
        .mechanism("SM kernel")
        .summary("rate of computed tokens");
    is.value("padding_share", unit::one).summary("share of the computed rows that nobody asked for");
    is.value("graph_memory", unit::bytes)
        .summary("memory by which the device's free memory fell when the graphs of all buckets were made");
    is.fact("buckets", "lengths for which there is a graph");
    is.fact("lengths", "lengths of the requests");
    is.supports({Cache::hot});
  }

  Bucketing(const Params& params, Case& run)
      : Benchmark(run), params_(params), host_cost_(params.host_cost) {}

  void probe() override {
    if (params_.smallest_bucket > params_.longest) {
      throw BadParameter("smallest_bucket",
                         "the first bucket, of " + std::to_string(params_.smallest_bucket) +
                             ", is longer than the longest request, of " + std::to_string(params_.longest));
    }
    if (params_.width % 4 != 0) {
      throw BadParameter("width", std::to_string(params_.width) + " is not a multiple of 4");
    }
    if (params_.lengths != "uniform") listed_lengths(params_.lengths, params_.longest);
    device().require_memory(std::uint64_t{params_.longest} * params_.width * sizeof(std::uint32_t));
  }

  void prepare() override {
    buckets_ = bucket_sizes(params_.smallest_bucket, params_.longest, params_.growth);
    auto lengths = params_.lengths == "uniform"
                       ? uniform_lengths(context().seed(), params_.requests, params_.longest)
                       : listed_lengths(params_.lengths, params_.longest);
    requests_ =
        params_.way == Way::exact ? Requests(std::move(lengths)) : Requests(std::move(lengths), buckets_);
    stream_ = cuda::kept_stream(context(), device());
    words_ = cuda::DeviceBuffer<std::uint32_t>(device(), std::size_t{params_.longest} * params_.width);
    const auto runs = requests_.runs_of_rows(params_.longest);
    runs_ = cuda::DeviceBuffer<std::uint32_t>(device(), runs.size());
    ASSAY_CUDA_CHECK(
        cudaMemcpyAsync(runs_.data(), runs.data(), runs_.bytes(), cudaMemcpyHostToDevice, stream_));
    // What is loaded when it first runs has to be loaded before it is captured.
    most_blocks_ = std::uint64_t{kBlocksPerProcessor} * static_cast<unsigned>(device().sm_count());
    queue_kernels(params_.longest, HostCost(0));
    cuda::wait(context(), stream_);
    if (params_.way == Way::graph) make_graphs();
    span_.emplace(context(), stream_);
    quantum_ = span_->enough(context(), stream_, [this] { submit_all(); });
    clear();

    const auto count = static_cast<double>(requests_.lengths.size());
    work("request", count);
    work("token_rate", static_cast<double>(requests_.tokens()));
    context().value("padding_share", requests_.padding_share());
    const auto [least, most] = std::minmax_element(requests_.lengths.begin(), requests_.lengths.end());
    context().fact("lengths", std::to_string(requests_.lengths.size()) + " from " + std::to_string(*least) +
                                  " to " + std::to_string(*most) + ", " + std::to_string(requests_.tokens()) +
                                  " tokens in all");
  }

  assay::Traits traits() override {
    assay::Traits traits;
    traits.clock = Clock::device;
    traits.tick_s = span_->tick_s();
    traits.quantum = quantum_;
    traits.launches_per_iteration =
        requests_.lengths.size() * (params_.way == Way::graph ? 1 : params_.kernels);
    return traits;
  }

  // Every row counts the kernels that went over it.
  Verification verification(VerifyPhase phase) override {
    Verification checks;
    if (phase == VerifyPhase::last) return checks;
    checks.method("every row counts the kernels of the requests that are as long");
    if (phase == VerifyPhase::before) {
      clear();
      submit_all();
    }
    if (is_to_spoil()) ASSAY_CUDA_CHECK(cudaMemsetAsync(words_.data(), 0xFF, words_.bytes(), stream_));
    cuda::wait(context(), stream_);
    const RowRuns expected{runs_.data(), params_.width,
                           static_cast<std::uint32_t>(rounds_ * params_.kernels)};
    cuda::compare(context(), device(), stream_, words_.data(), words_.size(), expected, checks);
    clear();
    return checks;
  }

  void settle() override { cuda::synchronise_devices(context()); }
  bool damage() override { return spoil_next(); }

  void iterate(Mode, std::uint64_t n, Sample& sample) override {
    sample.done = ASSAY_DONE_HOT;
    if (params_.way == Way::graph) sample.done |= ASSAY_DONE_GRAPH;
    span_->time(
        context(), stream_, n, [this] { submit_all(); }, sample);
  }

 private:
  static constexpr unsigned kThreads = 256, kBlocksPerProcessor = 8;

  const cuda::Device& device() {
    if (!device_) device_ = cuda::Device::select(context());
    return *device_;
  }

  void clear() {
    ASSAY_CUDA_CHECK(cudaMemsetAsync(words_.data(), 0, words_.bytes(), stream_));
    rounds_ = 0;
  }

  void queue_kernels(std::uint32_t rows, const HostCost& host_cost) {
    const std::uint64_t count = std::uint64_t{rows} * params_.width / 4;
    const auto blocks = static_cast<unsigned>(std::min(ceil_div(count, kThreads), most_blocks_));
    for (std::uint32_t k = 0; k < params_.kernels; ++k) {
      host_cost.pay(context());
      rows_kernel<<<blocks, kThreads, 0, stream_>>>(reinterpret_cast<uint4*>(words_.data()), count);
    }
    ASSAY_CUDA_CHECK_LAUNCH("a kernel of a request");
  }

  void make_graphs() {
    const std::size_t before = device().memory().free_bytes;
    std::string names;
    for (const std::uint32_t rows : buckets_) {
      context().throw_if_cancelled();
      graphs_.push_back(cuda::Graph::capture(stream_, [&] { queue_kernels(rows, HostCost(0)); }));
      names += (names.empty() ? "" : ", ") + std::to_string(rows);
    }
    for (const cuda::Graph& graph : graphs_) graph.launch(stream_);  // what the first launch takes, too
    cuda::wait(context(), stream_);
    const std::size_t after = device().memory().free_bytes;
    context().value("graph_memory", before > after ? static_cast<double>(before - after) : 0.0);
    context().fact("buckets", names);
  }

  void submit_all() {
    ++rounds_;
    for (const std::uint32_t rows : requests_.computed) {
      context().throw_if_cancelled();
      if (params_.way == Way::graph) {
        host_cost_.pay(context());
        graphs_[bucket_of(buckets_, rows)].launch(stream_);
      } else {
        queue_kernels(rows, host_cost_);
      }
    }
  }

  Params params_;
  HostCost host_cost_;
  std::optional<cuda::Device> device_;
  std::vector<std::uint32_t> buckets_;
  Requests requests_;
  cudaStream_t stream_ = nullptr;
  cuda::DeviceBuffer<std::uint32_t> words_, runs_;
  std::vector<cuda::Graph> graphs_;  // of each bucket
  std::optional<EventSpan> span_;
  std::uint64_t most_blocks_ = 1;
  std::uint64_t quantum_ = 1;
  std::uint64_t rounds_ = 0;  // of all requests, since the rows were cleared
};

}  // namespace assay::plugins::launch
