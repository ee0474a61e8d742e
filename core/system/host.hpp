// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json.hpp"
#include "system/topology.hpp"

#include <filesystem>
#include <optional>

namespace assay::system {

// Who this machine is: run.host of the result document (docs/reference/result.md). What cannot be read is
// null. Reads files below `root` only, besides uname and the processor itself; never throws for a file that
// is missing.
[[nodiscard]] Json host_identity(const Topology& topology, const std::filesystem::path& root = "/");

// Processes that ran or wanted to, on average over the last minute. None where /proc does not say.
[[nodiscard]] std::optional<double> load_average(const std::filesystem::path& root = "/");

}  // namespace assay::system
