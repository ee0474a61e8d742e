// SPDX-License-Identifier: Apache-2.0
//
// A site file, and what it finds of a machine that has one device.
#include "plan/plan.hpp"
#include "plan/site.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const assay::system::Inventory inventory = assay::system::inventory_from_json(assay::Json::parse(
      R"({"backends": [{"name": "cuda", "plugin": "", "facts": {"driver": "580.65.06"}, "devices": [
          {"name": "cuda:0", "ordinal": 0, "model": "NVIDIA H200", "uuid": "GPU-0", "facts": {"ecc": true}}]}]})"));
  static const assay::Json host = assay::Json::parse(R"({"cpu": "a", "threads": 2, "memory_bytes": 1024})");
  assay::Diagnostics diagnostics;
  const assay::plan::Site site =
      assay::plan::parse_site("site.yaml", {reinterpret_cast<const char*>(data), size}, diagnostics);
  static_cast<void>(assay::plan::differences(site, inventory, host));
  return 0;
}
