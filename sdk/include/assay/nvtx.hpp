// SPDX-License-Identifier: Apache-2.0
//
// Ranges for Nsight Systems and other tools that listen to NVTX, in a domain named by the plugin's id. The
// layer marks every phase by itself; a plugin adds its own:
//
//   const assay::nvtx::Range range(context(), "pack the inputs");
//
// NVTX's header comes with the CUDA Toolkit. Where the compiler does not find it, or with ASSAY_NO_NVTX
// defined, all of this is empty. While no tool listens a range costs a comparison.
#pragma once

#include <cstdint>

#if !defined(ASSAY_NO_NVTX) && defined(__has_include)
#if __has_include(<nvtx3/nvToolsExt.h>)
#define ASSAY_HAS_NVTX 1
#include <nvtx3/nvToolsExt.h>
#endif
#endif

namespace assay::nvtx {

#if defined(ASSAY_HAS_NVTX)

class Domain {
 public:
  // Without a tool there is no handle.
  explicit Domain(const char* name) : handle_(nvtxDomainCreateA(name)) {}
  Domain(const Domain&) = delete;  // owns the handle
  Domain& operator=(const Domain&) = delete;
  ~Domain() {
    if (handle_) nvtxDomainDestroy(handle_);
  }

  bool listened_to() const { return handle_ != nullptr; }

  // Nested ranges of the calling thread. `n` is shown beside the text unless it is 0.
  void push(const char* text, std::uint64_t n) const {
    nvtxEventAttributes_t attributes{};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = text;
    if (n != 0) {
      attributes.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
      attributes.payload.ullValue = n;
    }
    nvtxDomainRangePushEx(handle_, &attributes);
  }
  void pop() const { nvtxDomainRangePop(handle_); }

 private:
  nvtxDomainHandle_t handle_;
};

#else

class Domain {
 public:
  explicit Domain(const char*) {}
  Domain(const Domain&) = delete;  // as where it is more than this
  Domain& operator=(const Domain&) = delete;

  static constexpr bool listened_to() { return false; }
  void push(const char*, std::uint64_t) const {}
  void pop() const {}
};

#endif

// From here to the end of the scope.
class Range {
 public:
  Range(const Domain& domain, const char* text, std::uint64_t n = 0) : domain_(domain) {
    if (domain_.listened_to()) domain_.push(text, n);
  }
  // In the domain of a case's plugin.
  template <class Case>
  Range(const Case& run, const char* text, std::uint64_t n = 0) : Range(run.nvtx(), text, n) {}
  Range(const Range&) = delete;  // a scope's mark
  Range& operator=(const Range&) = delete;
  ~Range() {
    if (domain_.listened_to()) domain_.pop();
  }

 private:
  const Domain& domain_;
};

}  // namespace assay::nvtx
