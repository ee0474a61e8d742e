// SPDX-License-Identifier: Apache-2.0
//
// Which devices a point of a case runs on, and how they are shared out among ranks. Internal to this component.
#pragma once

#include "base/diagnostics.hpp"
#include "catalog/manifest.hpp"
#include "suite/suite.hpp"
#include "system/inventory.hpp"

#include <optional>
#include <string>
#include <vector>

namespace assay::plan {

struct PlacementRequest {
  suite::DeviceChoice devices;
  std::optional<int> ranks;
  bool together = false;  // load: together
  Position position;      // of what asks for it
};

struct Layout {
  std::vector<std::vector<std::string>> ranks;  // devices of each; at least one rank
  std::string device;                           // text of the axis `device`, or "" if the case has none
};

// Rows tell devices apart if each device, or pair of them, is a case of its own, even on a machine where none
// is.
struct Layouts {
  std::vector<Layout> list;  // one case for each; empty only after a report
  bool tells_devices_apart = false;
  std::string unmet;    // what the suite asks for and this machine lacks: exit 6
  std::string skipped;  // what the benchmark needs by itself and this machine lacks
};

// `backend` is nullptr without an inventory: names are then "cuda:*". If something is unmet or skipped the
// list holds one symbolic layout, so that the case can be shown.
[[nodiscard]] Layouts lay_out(const PlacementRequest& request, const catalog::Benchmark& benchmark,
                              const std::string& backend_name, const system::Backend* backend,
                              Diagnostics& diagnostics);

}  // namespace assay::plan
