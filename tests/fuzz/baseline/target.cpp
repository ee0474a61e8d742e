// SPDX-License-Identifier: Apache-2.0
//
// A baseline: what is read is written and read again to the same.
#include "base/error.hpp"
#include "baseline/baseline.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string text =
        to_yaml(assay::baseline::from_yaml("b.yaml", {reinterpret_cast<const char*>(data), size}));
    if (to_yaml(assay::baseline::from_yaml("b.yaml", text)) != text) std::abort();
  } catch (const assay::Error&) {
  }
  return 0;
}
