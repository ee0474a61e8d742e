// SPDX-License-Identifier: Apache-2.0
//
// Errors of the CUDA runtime, with their names, in the terms of the SDK.
#pragma once

#include <assay/abi/v1.h>
#include <assay/errors.hpp>

#include <cuda_runtime_api.h>
#include <string>
#include <string_view>

// Checks the result of a call of the CUDA runtime: ASSAY_CUDA_CHECK(cudaMemset(data, 0, bytes));
#define ASSAY_CUDA_CHECK(call) ::assay::cuda::check((call), #call)
// After a kernel launch, which returns nothing itself: ASSAY_CUDA_CHECK_LAUNCH("saxpy");
#define ASSAY_CUDA_CHECK_LAUNCH(kernel) ::assay::cuda::check(cudaGetLastError(), "launch of " kernel)

namespace assay::cuda {

// What to do where this process cannot use the device at all; "" for other errors.
inline const char* advice(cudaError_t code) {
  switch (code) {
    case cudaErrorInsufficientDriver:
      return "update the NVIDIA driver, or use a build for the CUDA version that it supports";
    case cudaErrorNoDevice:
      return "look at 'nvidia-smi -L' and at CUDA_VISIBLE_DEVICES";
    case cudaErrorDevicesUnavailable:
      return "another process may have it in exclusive mode, or its compute mode is 'prohibited'; "
             "'nvidia-smi' shows both";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
      return "build the plugin for this device's architecture (CMAKE_CUDA_ARCHITECTURES)";
    case cudaErrorSystemDriverMismatch:
      return "driver and CUDA libraries do not fit together; restart after a driver update";
    case cudaErrorSystemNotReady:
      return "the fabric manager or another service of the driver does not run";
    case cudaErrorCompatNotSupportedOnDevice:
      return "this device does not support CUDA's forward compatibility; update the NVIDIA driver";
    default:
      return "";
  }
}

// What an error costs. Errors of arguments and of memory leave the process usable; after any other its CUDA
// context cannot be trusted, and the host replaces the worker.
inline assay_status status_of(cudaError_t code) {
  switch (code) {
    case cudaErrorMemoryAllocation:
    case cudaErrorHostMemoryAlreadyRegistered:
      return ASSAY_E_RESOURCE;
    case cudaErrorNotSupported:
    case cudaErrorPeerAccessUnsupported:
    case cudaErrorStreamCaptureUnsupported:
      return ASSAY_E_UNSUPPORTED;
    case cudaErrorInvalidValue:
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidDevice:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorInvalidMemcpyDirection:
    case cudaErrorInvalidResourceHandle:
    case cudaErrorInvalidSymbol:
    case cudaErrorLaunchOutOfResources:
    case cudaErrorMissingConfiguration:
    case cudaErrorStreamCaptureImplicit:
    case cudaErrorStreamCaptureInvalidated:
    case cudaErrorStreamCaptureIsolation:
    case cudaErrorStreamCaptureMerge:
    case cudaErrorStreamCaptureUnjoined:
    case cudaErrorStreamCaptureUnmatched:
    case cudaErrorStreamCaptureWrongThread:
      return ASSAY_E_INTERNAL;
    default:
      return ASSAY_E_DEVICE;
  }
}

// "cudaMalloc: out of memory (cudaErrorMemoryAllocation)". `call` may carry its arguments, which are cut off.
inline std::string error_text(cudaError_t code, std::string_view call) {
  std::string text(call.substr(0, call.find('(')));
  text += std::string(": ") + cudaGetErrorString(code) + " (" + cudaGetErrorName(code) + ")";
  if (const char* next = advice(code); *next != '\0') text += std::string("; ") + next;
  return text;
}

// Throws Failure with domain "cuda" and the runtime's code, or Skip where CUDA cannot be used here at all.
[[noreturn]] inline void fail(cudaError_t code, std::string_view call) {
  cudaGetLastError();  // an error that is not sticky is reported once
  const std::string text = error_text(code, call);
  if (*advice(code) != '\0') throw Skip(text);
  throw Failure(text, status_of(code), "cuda", code);
}

inline void check(cudaError_t code, std::string_view call) {
  if (code != cudaSuccess) fail(code, call);
}

}  // namespace assay::cuda
