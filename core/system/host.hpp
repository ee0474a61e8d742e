// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json.hpp"
#include "system/topology.hpp"

#include <filesystem>

namespace assay::system {

// Who this machine is: run.host of the result document (docs/reference/result.md). What cannot be read is
// null. Reads files below `root` only, besides uname and the processor itself; never throws for a file that
// is missing.
[[nodiscard]] Json host_identity(const Topology& topology, const std::filesystem::path& root = "/");

}  // namespace assay::system
