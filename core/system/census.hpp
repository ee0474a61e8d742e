// SPDX-License-Identifier: Apache-2.0
//
// The fact `census` (docs/reference/inventory.md): what a backend reports about devices that it does not list. The
// backend alone knows what the devices are, and which sources count them.
#pragma once

#include "system/inventory.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace assay::system {

struct Census {
  struct CountByTool {
    std::string by;
    std::size_t devices = 0;
  };
  struct Gap {
    std::string device, why;
  };
  std::string kind = "device";     // what one is called
  std::vector<CountByTool> known;  // by each that can say how many there are
  std::vector<Gap> missing;        // should be listed, and nobody asked that they are not
  std::vector<Gap> withheld;       // left out on purpose
};

// No value if the backend does not say. Throws Error "inventory.malformed".
[[nodiscard]] std::optional<Census> census_of(const Backend& backend);

// "8 GPUs, as PCI, driver, NVML and CUDA know them", of as many devices as the backend lists.
[[nodiscard]] std::string to_text(const Census& census, std::size_t listed);

}  // namespace assay::system
