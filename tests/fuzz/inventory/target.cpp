// SPDX-License-Identifier: Apache-2.0
//
// What a backend says of its devices, or the file of --inventory.
#include "base/error.hpp"
#include "base/json_limits.hpp"
#include "system/inventory.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const assay::Json json = assay::parse_json({reinterpret_cast<const char*>(data), size},
                                               "inventory.malformed", "the inventory");
    static_cast<void>(assay::system::to_json(assay::system::inventory_from_json(json)));
  } catch (const assay::Error&) {
    return 0;
  }
  return 0;
}
