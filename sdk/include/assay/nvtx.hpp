// SPDX-License-Identifier: Apache-2.0
//
// Ranges for Nsight Systems and other tools that listen to NVTX, in a domain named by the plugin's id. The
// layer marks every phase by itself; a plugin adds its own:
//
//   const assay::nvtx::Range range(context(), "pack the inputs");
//
// NVTX's header comes with the CUDA Toolkit. Where the compiler does not find it, or with ASSAY_NO_NVTX
// defined, nothing of this does anything. While no tool listens a range costs a comparison.
#pragma once

#include <cstdint>

#if !defined(ASSAY_NO_NVTX) && defined(__has_include)
#if __has_include(<nvtx3/nvToolsExt.h>)
#define ASSAY_HAS_NVTX 1
#include <nvtx3/nvToolsExt.h>
#endif
#endif

namespace assay::nvtx {
namespace detail {

// The library's functions. One plugin may have sources that were compiled with its header and others that were not
// (nvcc finds it by itself), and what both include has to be the same in both: so they are reached through this.
struct Functions {
  void* (*create)(const char* name);
  void (*destroy)(void* domain);
  void (*push)(void* domain, const char* text, std::uint64_t n);
  void (*pop)(void* domain);
};

// Of any source with the header; null if there is none. Set when the plugin is loaded, before it is entered.
inline const Functions* functions = nullptr;

#if defined(ASSAY_HAS_NVTX)
namespace {

inline void* create_domain(const char* name) { return nvtxDomainCreateA(name); }
inline void destroy_domain(void* domain) { nvtxDomainDestroy(static_cast<nvtxDomainHandle_t>(domain)); }
inline void push_range(void* domain, const char* text, std::uint64_t n) {
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = text;
  if (n != 0) {
    attributes.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
    attributes.payload.ullValue = n;
  }
  nvtxDomainRangePushEx(static_cast<nvtxDomainHandle_t>(domain), &attributes);
}

inline void pop_range(void* domain) { nvtxDomainRangePop(static_cast<nvtxDomainHandle_t>(domain)); }

// Each source's own: which of them are used does not matter.
constexpr Functions kFunctions = {&create_domain, &destroy_domain, &push_range, &pop_range};
[[maybe_unused]] const Functions* const kFound = functions = &kFunctions;

}  // namespace
#endif

}  // namespace detail

class Domain {
 public:
  // Without a tool there is no handle.
  explicit Domain(const char* name)
      : handle_(detail::functions ? detail::functions->create(name) : nullptr) {}
  Domain(const Domain&) = delete;  // owns the handle
  Domain& operator=(const Domain&) = delete;
  ~Domain() {
    if (handle_) detail::functions->destroy(handle_);
  }

  bool listened_to() const { return handle_ != nullptr; }

  // Nested ranges of the calling thread. `n` is shown beside the text unless it is 0.
  void push(const char* text, std::uint64_t n) const { detail::functions->push(handle_, text, n); }
  void pop() const { detail::functions->pop(handle_); }

 private:
  void* handle_;
};

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
