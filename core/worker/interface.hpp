// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <assay/abi/v1.h>

#include <cstdint>
#include <string>

namespace assay::worker {

// What a host speaks: docs/reference/abi.md, "Versions".
struct Interface {
  std::uint32_t minor = 0;
  std::uint32_t oldest_minor = 0;  // plugins built with an earlier one have other structs
  bool preview = false;            // nothing is promised to plugins of another minor
};

inline constexpr Interface kThisInterface{ASSAY_ABI_MINOR, ASSAY_ABI_OLDEST_MINOR, ASSAY_ABI_PREVIEW != 0};

// Why a host cannot work with a plugin that was built with one minor and needs another at least, and what
// helps; "" if it can.
[[nodiscard]] std::string mismatch(const Interface& host, std::uint32_t built_minor,
                                   std::uint32_t needs_minor);

}  // namespace assay::worker
