// SPDX-License-Identifier: Apache-2.0
//
// How many operations a stream takes behind a kernel that waits for the host, until the next call blocks:
// what assay/cuda/gate.hpp keeps below. Needs two GPUs that reach each other.
//
//   nvcc -O2 -arch=native -o gate_places tests/gpu/probes/gate_places.cu && ./gate_places
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cuda_runtime.h>

namespace {

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void check(cudaError_t code) {
  if (code == cudaSuccess) return;
  std::printf("%s\n", cudaGetErrorString(code));
  _exit(1);
}

// Until the host opens it, or for so long.
__global__ void gate(volatile int* open, unsigned long long longest_ns) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (*open == 0 && now - begin < longest_ns);
}

constexpr unsigned long long kLongest_ns = 1000000000;  // of the gate
constexpr double kBlocked_s = 0.3;                      // a call that takes longer waits for the gate
constexpr std::size_t kBytes = std::size_t{1} << 20;    // of a copy

// Closes the gate in the stream and queues until a call blocks; how many went through.
template <class Queue>
int places(volatile int* open, cudaStream_t stream, int most, Queue&& queue) {
  *open = 0;
  gate<<<1, 1, 0, stream>>>(const_cast<int*>(open), kLongest_ns);
  int count = 0;
  for (; count < most; ++count) {
    const double begin_s = now_s();
    queue();
    if (now_s() - begin_s > kBlocked_s) break;
  }
  *open = 1;
  check(cudaStreamSynchronize(stream));
  return count;
}

}  // namespace

int main() {
  int* open = nullptr;
  check(cudaHostAlloc(&open, sizeof(int), cudaHostAllocMapped | cudaHostAllocPortable));
  char* memory[2];
  cudaStream_t streams[2];
  for (const int device : {0, 1}) {
    check(cudaSetDevice(device));
    check(cudaDeviceEnablePeerAccess(1 - device, 0));
    check(cudaMalloc(&memory[device], 2 * kBytes));
    check(cudaStreamCreateWithFlags(&streams[device], cudaStreamNonBlocking));
  }
  // From GPU 0 to GPU 1, by the stream of either, and within GPU 0; the first time of each loads what it
  // needs.
  const auto copy = [&](int by) {
    check(cudaSetDevice(by));
    check(cudaMemcpyAsync(memory[1], memory[0], kBytes, cudaMemcpyDeviceToDevice, streams[by]));
  };
  for (const int by : {0, 1}) {
    copy(by);
    *open = 1;
    gate<<<1, 1, 0, streams[by]>>>(open, kLongest_ns);
    check(cudaStreamSynchronize(streams[by]));
  }
  std::printf("pushed by the source's stream: %d copies\n",
              (check(cudaSetDevice(0)), places(open, streams[0], 2000, [&] { copy(0); })));
  std::printf("pulled by the destination's stream: %d copies\n",
              (check(cudaSetDevice(1)), places(open, streams[1], 2000, [&] { copy(1); })));
  check(cudaSetDevice(0));
  for (const int nodes : {20, 100, 400}) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    check(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < nodes; ++i) copy(0);
    check(cudaStreamEndCapture(streams[0], &graph));
    check(cudaGraphInstantiate(&executable, graph, 0));
    check(cudaGraphLaunch(executable, streams[0]));
    check(cudaStreamSynchronize(streams[0]));
    const int launches =
        places(open, streams[0], 200, [&] { check(cudaGraphLaunch(executable, streams[0])); });
    std::printf("graphs of %d copies: %d launches\n", nodes, launches);
  }
  _exit(0);
}
