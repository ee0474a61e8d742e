// SPDX-License-Identifier: Apache-2.0
//
// What a kernel of a graph takes after kernels were launched one by one in one stream of the process or in
// several: why assay/cuda/kept_stream.hpp keeps streams.
//
//   nvcc -O3 -std=c++17 -arch=native -o graph_history tests/gpu/probes/graph_history.cu && ./graph_history
//   B5000 a3000
//
// Each word does something, and then 16 replays of a graph of 1000 empty kernels are timed, in us for a
// kernel:
//   aN bN cN  N kernels in the first, second or third stream, without a wait
//   AN BN CN  the same, each waited for by polling
//   wN        N kernels in the first and the second stream in turn
//   gN        N replays of the graph
//   iN        N such graphs made and destroyed
//   m         memory allocated and freed
//   n k       a graph captured anew, in the first stream or in a new one: timed, too
//   u q       the graph uploaded again; half a second of rest
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <string>
#include <thread>

namespace {

constexpr int kKernels = 1000, kReplays = 16, kTimes = 12;

void check(cudaError_t code) {
  if (code == cudaSuccess) return;
  std::printf("%s\n", cudaGetErrorString(code));
  std::exit(1);
}

__global__ void empty() {}

cudaStream_t stream() {
  cudaStream_t made = nullptr;
  check(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
  return made;
}

cudaGraphExec_t graph(cudaStream_t in) {
  cudaGraph_t captured = nullptr;
  check(cudaStreamBeginCapture(in, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < kKernels; ++i) empty<<<1, 1, 0, in>>>();
  check(cudaStreamEndCapture(in, &captured));
  cudaGraphExec_t made = nullptr;
  check(cudaGraphInstantiate(&made, captured, 0));
  check(cudaGraphUpload(made, in));
  check(cudaStreamSynchronize(in));
  check(cudaGraphDestroy(captured));
  return made;
}

double kernel_us(cudaGraphExec_t replayed, cudaStream_t in) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  float shortest_ms = 1e9F;
  for (int k = 0; k < kTimes; ++k) {
    check(cudaEventRecord(begin, in));
    for (int i = 0; i < kReplays; ++i) check(cudaGraphLaunch(replayed, in));
    check(cudaEventRecord(end, in));
    check(cudaEventSynchronize(end));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end));
    if (ms < shortest_ms) shortest_ms = ms;
  }
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  return shortest_ms * 1e3 / (kKernels * kReplays);
}

}  // namespace

int main(int argc, char** argv) {
  cudaStream_t streams[3];
  for (cudaStream_t& each : streams) each = stream();
  empty<<<1, 1, 0, streams[0]>>>();
  check(cudaStreamSynchronize(streams[0]));
  cudaGraphExec_t first = graph(streams[0]);
  std::printf("start %.4f", kernel_us(first, streams[0]));
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    const char what = word[0];
    const int count = std::atoi(word.c_str() + 1);
    for (int i = 0; i < count; ++i) {
      if (what >= 'a' && what <= 'c') empty<<<1, 1, 0, streams[what - 'a']>>>();
      if (what == 'g') check(cudaGraphLaunch(first, streams[0]));
      if (what == 'i') check(cudaGraphExecDestroy(graph(streams[0])));
      if (what == 'w') empty<<<1, 1, 0, streams[i % 2]>>>();
      if (what >= 'A' && what <= 'C') {
        empty<<<1, 1, 0, streams[what - 'A']>>>();
        while (cudaStreamQuery(streams[what - 'A']) == cudaErrorNotReady) {
        }
      }
    }
    if (what == 'n') std::printf("  [a new graph %.4f]", kernel_us(graph(streams[0]), streams[0]));
    if (what == 'k') {
      cudaStream_t other = stream();
      std::printf("  [a graph in a new stream %.4f]", kernel_us(graph(other), other));
    }
    if (what == 'm') {
      void* memory = nullptr;
      check(cudaMalloc(&memory, 1 << 20));
      check(cudaFree(memory));
    }
    if (what == 'u') check(cudaGraphUpload(first, streams[0]));
    if (what == 'q') std::this_thread::sleep_for(std::chrono::milliseconds(500));
    check(cudaDeviceSynchronize());
    std::printf("  %s %.4f", word.c_str(), kernel_us(first, streams[0]));
  }
  std::printf("\n");
}
