// SPDX-License-Identifier: Apache-2.0
//
// NCCL's functions, found at run time, and its errors in the terms of the SDK.
#pragma once

#include <assay/abi/v1.h>
#include <assay/errors.hpp>

#include <dlfcn.h>

#include <nccl.h>
#include <string>
#include <string_view>

// Checks the result of a call of NCCL: ASSAY_NCCL_CHECK(nccl.ncclGroupEnd());
#define ASSAY_NCCL_CHECK(call) ::assay::nccl::check((call), #call)

// What every library has that this header was made for, and what only newer ones have.
#define ASSAY_NCCL_FUNCTIONS(X) \
  X(ncclGetVersion)             \
  X(ncclGetUniqueId)            \
  X(ncclGetErrorString)         \
  X(ncclGetLastError)           \
  X(ncclCommInitRankConfig)     \
  X(ncclCommDestroy)            \
  X(ncclCommAbort)              \
  X(ncclCommSplit)              \
  X(ncclCommCount)              \
  X(ncclCommUserRank)           \
  X(ncclCommGetAsyncError)      \
  X(ncclCommRegister)           \
  X(ncclCommDeregister)         \
  X(ncclMemAlloc)               \
  X(ncclMemFree)                \
  X(ncclGroupStart)             \
  X(ncclGroupEnd)               \
  X(ncclAllReduce)              \
  X(ncclAllGather)              \
  X(ncclReduceScatter)          \
  X(ncclBroadcast)              \
  X(ncclReduce)                 \
  X(ncclSend)                   \
  X(ncclRecv)
#if NCCL_VERSION_CODE >= 22700
#define ASSAY_NCCL_FUNCTIONS_227(X) X(ncclCommWindowRegister) X(ncclCommWindowDeregister)
#else
#define ASSAY_NCCL_FUNCTIONS_227(X)
#endif
#if NCCL_VERSION_CODE >= 22800
#define ASSAY_NCCL_FUNCTIONS_228(X) X(ncclAlltoAll) X(ncclGather) X(ncclScatter)
#else
#define ASSAY_NCCL_FUNCTIONS_228(X)
#endif

namespace assay::nccl {

// Members are called like the functions that they point to. Those that came with a later version than 2.19
// are null if the library or the header is older.
class Library {
 public:
  // [any thread] Opens it at the first call. Throws Skip where it is missing or too old.
  static const Library& get() {
    static const Library library;
    return library;
  }

#define ASSAY_NCCL_MEMBER(name) decltype(&::name) name = nullptr;
  ASSAY_NCCL_FUNCTIONS(ASSAY_NCCL_MEMBER)
  ASSAY_NCCL_FUNCTIONS_227(ASSAY_NCCL_MEMBER)
  ASSAY_NCCL_FUNCTIONS_228(ASSAY_NCCL_MEMBER)
#undef ASSAY_NCCL_MEMBER

  // "2.28.3", of the library.
  std::string version() const {
    int code = 0;
    ncclGetVersion(&code);
    // Up to 2.8 it was 2804 for 2.8.4; such a library lacks functions that are needed here.
    return std::to_string(code / 10000) + "." + std::to_string(code / 100 % 100) + "." +
           std::to_string(code % 100);
  }

  // The file that it was loaded from.
  std::string path() const {
    Dl_info about{};
    const bool known = dladdr(reinterpret_cast<void*>(ncclGetVersion), &about) != 0 && about.dli_fname;
    return known ? about.dli_fname : "";
  }

 private:
  Library() {
    void* const library = dlopen(kName, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      const char* reason = dlerror();
      throw Skip("NCCL is not here (" + std::string(reason ? reason : kName) +
                 "); install libnccl2, or let LD_LIBRARY_PATH name its folder");
    }
    std::string missing;
#define ASSAY_NCCL_FIND(name) name = reinterpret_cast<decltype(name)>(dlsym(library, #name));
#define ASSAY_NCCL_REQUIRE(name) \
  ASSAY_NCCL_FIND(name)          \
  if (!name) missing = #name;
    ASSAY_NCCL_FUNCTIONS(ASSAY_NCCL_REQUIRE)
    ASSAY_NCCL_FUNCTIONS_227(ASSAY_NCCL_FIND)
    ASSAY_NCCL_FUNCTIONS_228(ASSAY_NCCL_FIND)
#undef ASSAY_NCCL_REQUIRE
#undef ASSAY_NCCL_FIND
    if (!missing.empty()) {
      throw Skip("the NCCL that is here" + (ncclGetVersion ? ", " + version() + "," : std::string()) +
                 " has no " + missing + "; 2.19 or later is needed");
    }
  }

  static constexpr const char* kName = "libnccl.so.2";
};

// What an error costs: after all but wrong arguments neither communicator nor device can be trusted.
inline assay_status status_of(ncclResult_t code) {
  switch (code) {
    case ncclInvalidArgument:
    case ncclInvalidUsage:
      return ASSAY_E_INTERNAL;
    case ncclRemoteError:
    case ncclSystemError:
      return ASSAY_E_COMMUNICATION;
    default:
      return ASSAY_E_DEVICE;
  }
}

// Throws Failure with domain "nccl" and its code. `call` may carry its arguments, which are cut off.
[[noreturn]] inline void fail(ncclResult_t code, std::string_view call, ncclComm_t communicator = nullptr) {
  const Library& nccl = Library::get();
  std::string_view name = call.substr(0, call.find('('));
  if (const std::size_t dot = name.rfind('.'); dot != std::string_view::npos) name.remove_prefix(dot + 1);
  std::string text = std::string(name) + ": " + nccl.ncclGetErrorString(code);
  const char* more = nccl.ncclGetLastError(communicator);
  if (more && *more != '\0') text += std::string("; ") + more;
  throw Failure(text, status_of(code), "nccl", code);
}

inline void check(ncclResult_t code, std::string_view call) {
  if (code != ncclSuccess) fail(code, call);
}

// What is called until end() is one group. One that is left by an error is ended, too: NCCL counts by thread
// how many are open, and would take in what comes later.
class CallGroup {
 public:
  CallGroup() { ASSAY_NCCL_CHECK(Library::get().ncclGroupStart()); }
  CallGroup(const CallGroup&) = delete;  // a scope's guard
  CallGroup& operator=(const CallGroup&) = delete;
  ~CallGroup() {
    if (open_) Library::get().ncclGroupEnd();
  }

  // Where NCCL does what was called. Throws Failure.
  void end() {
    open_ = false;
    ASSAY_NCCL_CHECK(Library::get().ncclGroupEnd());
  }

 private:
  bool open_ = true;
};

}  // namespace assay::nccl
