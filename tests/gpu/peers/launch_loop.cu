// SPDX-License-Identifier: Apache-2.0
//
// The bare loop that launch@cuda is compared with: empty kernels in a stream, as a graph, and one after a
// wait. Nothing of Assay is in it. launch_peer.py runs it.
//
//   launch_loop SECONDS              prints JSON: medians in seconds for one kernel, and for one chain
//   launch_loop SECONDS eager | one  launches in a stream, in seconds for one kernel: a line for each
//                                    sample, until it is killed
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <functional>
#include <string>
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

// Of what `sample` says over so many seconds after a fifth of them.
static double median(double seconds, const std::function<double()>& sample) {
  std::vector<double> seen;
  const Clock::time_point begin = Clock::now();
  for (double now_s; (now_s = seconds_since(begin)) < 1.2 * seconds || seen.size() < 5;) {
    const double one = sample();
    if (now_s >= 0.2 * seconds) seen.push_back(one);
  }
  std::sort(seen.begin(), seen.end());
  return seen[seen.size() / 2];
}

int main(int count, char** arguments) {
  const double seconds = count >= 2 ? std::atof(arguments[1]) : 0;
  const std::string what = count == 3 ? arguments[2] : "";
  if (!(seconds > 0) || count > 3 || (count == 3 && what != "eager" && what != "one")) {
    std::fprintf(stderr, "usage: launch_loop SECONDS [eager | one]\n");
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
  if (!what.empty()) {
    // Chains of one kernel are launched one after another all the same.
    const int kernels = what == "one" ? 2048 : 2 * kKernels;
    for (;;) {
      std::printf("%.9g\n", by_events([&] { chain(kernels); }) / kernels);
      std::fflush(stdout);
    }
  }
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
  std::printf("{\"graph\": %.9g, \"submission\": %.9g, \"round_trip\": %.9g, \"instantiation\": %.9g}\n",
              replay, submission, round_trip, instantiation);
  return 0;
}
