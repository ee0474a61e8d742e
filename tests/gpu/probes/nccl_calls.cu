// SPDX-License-Identifier: Apache-2.0
//
// How long NCCL takes to queue an operation, with blocking calls and with non-blocking ones: what
// docs/decisions/0014 rests on. A process for each GPU.
//
//   nvcc -O2 -arch=native -o nccl_calls tests/gpu/probes/nccl_calls.cu -lnccl && ./nccl_calls 4
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <nccl.h>
#include <vector>

namespace {

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void require(bool good, const char* what) {
  if (good) return;
  std::printf("%s did not succeed\n", what);
  _exit(1);
}
void check(cudaError_t code) { require(code == cudaSuccess, cudaGetErrorString(code)); }

// Until the call is done, as a program must wait that uses non-blocking calls.
void settle(ncclComm_t communicator, ncclResult_t result) {
  while (result == ncclInProgress) ncclCommGetAsyncError(communicator, &result);
  require(result == ncclSuccess, ncclGetErrorString(result));
}

void measure(int blocking, int rank, int ranks, const ncclUniqueId& id) {
  constexpr int kOperations = 400;
  ncclConfig_t configuration = NCCL_CONFIG_INITIALIZER;
  configuration.blocking = blocking;
  ncclComm_t communicator = nullptr;
  const ncclResult_t begun = ncclCommInitRankConfig(&communicator, ranks, id, rank, &configuration);
  settle(communicator, begun);
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  float *from = nullptr, *to = nullptr;
  check(cudaMalloc(&from, 1 << 20));
  check(cudaMalloc(&to, 1 << 20));
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{4096}, std::size_t{1} << 20}) {
    for (int round = 0; round < 3; ++round) {  // the first connects the ranks
      const double begin_s = now_s();
      for (int i = 0; i < kOperations; ++i)
        settle(communicator, ncclAllReduce(from, to, bytes / 4, ncclFloat, ncclSum, communicator, stream));
      const double queued_s = now_s();
      check(cudaStreamSynchronize(stream));
      if (rank == 0 && round > 0) {
        std::printf("blocking %d, %7zu B: queued in %.2f us an operation, done in %.2f us\n", blocking, bytes,
                    (queued_s - begin_s) / kOperations * 1e6, (now_s() - begin_s) / kOperations * 1e6);
      }
    }
  }
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) {
  const int ranks = count > 1 ? std::atoi(words[1]) : 2;
  std::vector<int> readers(ranks), writers(ranks);
  for (int rank = 1; rank < ranks; ++rank) {
    int ends[2];
    require(pipe(ends) == 0, "pipe");
    readers[rank] = ends[0];
    writers[rank] = ends[1];
  }
  int rank = 0;
  for (int other = 1; other < ranks && rank == 0; ++other)
    if (fork() == 0) rank = other;
  check(cudaSetDevice(rank));
  for (const int blocking : {1, 0}) {
    ncclUniqueId id{};
    if (rank == 0) {
      require(ncclGetUniqueId(&id) == ncclSuccess, "ncclGetUniqueId");
      for (int other = 1; other < ranks; ++other)
        require(write(writers[other], &id, sizeof id) == sizeof id, "write");
    } else {
      require(read(readers[rank], &id, sizeof id) == sizeof id, "read");
    }
    measure(blocking, rank, ranks, id);
  }
  if (rank == 0) {
    while (wait(nullptr) > 0) {
    }
  }
  _exit(0);
}
