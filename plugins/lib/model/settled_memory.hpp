// SPDX-License-Identifier: Apache-2.0
//
// What a process has in use before a step's arrays are there, so that what they add can be distinguished from it: memory
// that earlier cases gave back to the C library, and the buffers that the BLAS keeps for products of these sizes.
#pragma once

#include "lib/host_products.hpp"
#include "lib/model/model.hpp"
#include "lib/process_memory.hpp"

#include <assay/errors.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace assay::plugins::model {

// Pages that are read only are all one page of zeros, which the kernel counts for nobody.
class ZeroPages {
 public:
  explicit ZeroPages(std::size_t floats) : bytes_(std::max<std::size_t>(1, floats) * sizeof(float)) {
    memory_ =
        ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory_ == MAP_FAILED) {
      throw Failure("no addresses for " + std::to_string(bytes_) + " bytes: " + std::strerror(errno),
                    ASSAY_E_RESOURCE);
    }
  }
  ZeroPages(const ZeroPages&) = delete;
  ZeroPages& operator=(const ZeroPages&) = delete;
  ~ZeroPages() { ::munmap(memory_, bytes_); }
  float* data() const { return static_cast<float*>(memory_); }

 private:
  std::size_t bytes_;
  void* memory_;
};

// Makes every product of a step once, on zeros, if it `computes`, and says how much the process has in use afterwards; nothing
// where the kernel does not say. Throws Failure.
inline std::optional<std::uint64_t> settled_memory(const Model& model, std::size_t samples, bool computes) {
  std::set<std::array<std::size_t, 3>> done;
  for (const Operation& operation : model.operations) {
    if (!computes || operation.kind != Kind::linear) continue;
    const std::size_t m = model.rows(operation, samples), n = operation.out, k = operation.in;
    if (!done.insert({m, n, k}).second) continue;
    const ZeroPages x(m * k), weights(n * k), y(m * n);
    {
      const ZeroPages out(std::max({m * n, n * k, m * k}));
      multiply(m, n, k, 1.0F, {x.data(), k}, {weights.data(), k, true}, 0.0F, out.data(), n);
      multiply(n, k, m, 1.0F, {y.data(), n, true}, {x.data(), k}, 0.0F, out.data(), k);
      multiply(m, k, n, 1.0F, {y.data(), n}, {weights.data(), k}, 0.0F, out.data(), k);
    }
  }
#if defined(__GLIBC__)
  ::malloc_trim(0);
#endif
  return resident_memory();
}

}  // namespace assay::plugins::model
