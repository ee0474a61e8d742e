// SPDX-License-Identifier: Apache-2.0
//
// Work that is captured once and replayed as one launch.
#pragma once

#include <assay/cuda/error.hpp>

#include <cuda_runtime_api.h>
#include <utility>

namespace assay::cuda {

// Move-only.
class Graph {
 public:
  Graph() = default;

  // Captures what `body` queues in the stream, and makes it ready to be launched. Kernels must have run once
  // before: loading one is not allowed while a stream is captured.
  template <class Body>
  static Graph capture(cudaStream_t stream, Body&& body) {
    ASSAY_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    cudaGraph_t captured = nullptr;
    try {
      std::forward<Body>(body)();
    } catch (...) {
      cudaStreamEndCapture(stream, &captured);
      if (captured) cudaGraphDestroy(captured);
      cudaGetLastError();
      throw;
    }
    ASSAY_CUDA_CHECK(cudaStreamEndCapture(stream, &captured));
    Graph graph;
    const cudaError_t code = cudaGraphInstantiate(&graph.executable_, captured, 0);
    cudaGraphDestroy(captured);
    check(code, "cudaGraphInstantiate");
    ASSAY_CUDA_CHECK(cudaGraphUpload(graph.executable_, stream));
    ASSAY_CUDA_CHECK(cudaStreamSynchronize(stream));
    return graph;
  }

  Graph(Graph&& other) noexcept : executable_(std::exchange(other.executable_, nullptr)) {}
  Graph& operator=(Graph&& other) noexcept {
    std::swap(executable_, other.executable_);
    return *this;
  }
  ~Graph() {
    if (executable_) cudaGraphExecDestroy(executable_);
  }

  void launch(cudaStream_t stream) const { ASSAY_CUDA_CHECK(cudaGraphLaunch(executable_, stream)); }
  cudaGraphExec_t get() const { return executable_; }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace assay::cuda
