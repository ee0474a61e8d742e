// SPDX-License-Identifier: Apache-2.0
//
// Streams and events, and waiting for them without losing a cancel.
#pragma once

#include <assay/case.hpp>
#include <assay/cuda/error.hpp>

#include <cuda_runtime_api.h>
#include <utility>

namespace assay::cuda {

// A stream that does not synchronise with the default stream. Of the device that is current when it is made.
// Move-only.
class Stream {
 public:
  Stream() { ASSAY_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  Stream& operator=(Stream&& other) noexcept {
    std::swap(stream_, other.stream_);
    return *this;
  }
  ~Stream() {
    if (stream_) cudaStreamDestroy(stream_);
  }

  operator cudaStream_t() const { return stream_; }  // NOLINT: it stands for the handle

 private:
  cudaStream_t stream_ = nullptr;
};

// An event that keeps time. Move-only.
class Event {
 public:
  Event() { ASSAY_CUDA_CHECK(cudaEventCreate(&event_)); }
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  ~Event() {
    if (event_) cudaEventDestroy(event_);
  }

  operator cudaEvent_t() const { return event_; }  // NOLINT: it stands for the handle

  void record(cudaStream_t stream) const { ASSAY_CUDA_CHECK(cudaEventRecord(event_, stream)); }
  // While the stream is captured: a node of the graph that keeps time at every replay.
  void record_in_graph(cudaStream_t stream) const {
    ASSAY_CUDA_CHECK(cudaEventRecordWithFlags(event_, stream, cudaEventRecordExternal));
  }
  // One of the two, by what the stream does: it keeps time either way.
  void record_anywhere(cudaStream_t stream) const {
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    ASSAY_CUDA_CHECK(cudaStreamIsCapturing(stream, &capture));
    capture == cudaStreamCaptureStatusNone ? record(stream) : record_in_graph(stream);
  }

 private:
  cudaEvent_t event_ = nullptr;
};

// Seconds between two events that have happened.
inline double seconds_between(const Event& begin, const Event& end) {
  float milliseconds = 0;
  ASSAY_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  return static_cast<double>(milliseconds) * 1e-3;
}

// Waits until the event has happened, spinning: waking up would cost more than short regions last. Throws
// Cancelled when the case should end; the device may be busy still.
inline void wait(const Case& run, const Event& event) {
  for (unsigned polls = 1;; ++polls) {
    const cudaError_t code = cudaEventQuery(event);
    if (code == cudaSuccess) return;
    if (code != cudaErrorNotReady) fail(code, "cudaEventQuery");
    if (polls % 64 == 0) run.throw_if_cancelled();
  }
}

// Waits for all that was queued in the stream.
inline void wait(const Case& run, cudaStream_t stream) {
  const Event event;
  event.record(stream);
  wait(run, event);
}

}  // namespace assay::cuda
