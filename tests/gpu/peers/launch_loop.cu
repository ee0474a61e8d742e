// SPDX-License-Identifier: Apache-2.0
//
// The bare loop that launch@cuda is held against: empty kernels in a stream, as a graph, and one after a
// wait. Nothing of Assay is in it. launch_peer.py runs it.
//
//   launch_loop SECONDS    prints JSON: the median in seconds for one kernel (round_trip: for one chain), of
//   the
//                          launches in a stream also the shortest sample; those go on for three times as long
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <functional>
#include <vector>

#define CHECK(call)                                                      \
  do {                                                                   \
    const cudaError_t code = (call);                                     \
    if (code != cudaSuccess) {                                           \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(code)); \
      std::exit(1);                                                      \
    }                                                                    \
  } while (0)

__global__ void empty() {}

using Clock = std::chrono::steady_clock;

static double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// What `sample` says over so many seconds after a fifth of them, ascending.
static std::vector<double> samples(double seconds, const std::function<double()>& sample) {
  std::vector<double> seen;
  const Clock::time_point begin = Clock::now();
  for (double now_s; (now_s = seconds_since(begin)) < 1.2 * seconds || seen.size() < 5;) {
    const double one = sample();
    if (now_s >= 0.2 * seconds) seen.push_back(one);
  }
  std::sort(seen.begin(), seen.end());
  return seen;
}

static double median(const std::vector<double>& ascending) { return ascending[ascending.size() / 2]; }

static double median(double seconds, const std::function<double()>& sample) {
  return median(samples(seconds, sample));
}

int main(int count, char** arguments) {
  const double seconds = count == 2 ? std::atof(arguments[1]) : 0;
  if (!(seconds > 0)) {
    std::fprintf(stderr, "launch_loop takes one argument, the seconds for each of its loops\n");
    return 2;
  }
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));

  // Device time between two events around what `body` queues.
  const auto by_events = [&](const std::function<void()>& body) {
    CHECK(cudaEventRecord(begin, stream));
    body();
    CHECK(cudaEventRecord(end, stream));
    CHECK(cudaEventSynchronize(end));
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    return 1e-3 * milliseconds;
  };
  const auto chain = [&](int kernels) {
    for (int i = 0; i < kernels; ++i) empty<<<1, 1, 0, stream>>>();
  };
  const auto graph_of = [&](int kernels) {
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    chain(kernels);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphUpload(executable, stream));
    CHECK(cudaStreamSynchronize(stream));
    return executable;
  };
  chain(10);
  CHECK(cudaStreamSynchronize(stream));

  constexpr int kKernels = 1000;
  const cudaGraphExec_t graph = graph_of(kKernels);
  const std::vector<double> eager =
      samples(3 * seconds, [&] { return by_events([&] { chain(2 * kKernels); }) / (2 * kKernels); });
  const std::vector<double> one =
      samples(3 * seconds, [&] { return by_events([&] { chain(2048); }) / 2048; });
  const double replay = median(seconds, [&] {
    return by_events([&] {
             for (int i = 0; i < 16; ++i) CHECK(cudaGraphLaunch(graph, stream));
           }) /
           (16 * kKernels);
  });
  const double submission = median(seconds, [&] {
    const Clock::time_point from = Clock::now();
    chain(500);
    const double spent = seconds_since(from);
    CHECK(cudaStreamSynchronize(stream));
    return spent / 500;
  });
  const double round_trip = median(seconds, [&] {
    const Clock::time_point from = Clock::now();
    chain(1);
    CHECK(cudaStreamSynchronize(stream));
    return seconds_since(from);
  });
  const double instantiation = median(seconds, [&] {
    cudaGraph_t captured;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    chain(kKernels);
    CHECK(cudaStreamEndCapture(stream, &captured));
    const Clock::time_point from = Clock::now();
    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, captured, 0));
    const double spent = seconds_since(from);
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(captured));
    return spent / kKernels;
  });
  std::printf(
      "{\"eager\": %.9g, \"eager.shortest\": %.9g, \"one\": %.9g, \"one.shortest\": %.9g, \"graph\": %.9g, "
      "\"submission\": %.9g, \"round_trip\": %.9g, \"instantiation\": %.9g}\n",
      median(eager), eager.front(), median(one), one.front(), replay, submission, round_trip, instantiation);
  return 0;
}
