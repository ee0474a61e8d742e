// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json.hpp"
#include "system/topology.hpp"

#include <filesystem>
#include <optional>

namespace assay::system {

// The identity of this machine: run.host of the result document (docs/reference/result.md). A value that cannot
// be read is null. Reads files below `root`, uname and the processor's cpuid, nothing else; a missing file
// never throws.
[[nodiscard]] Json host_identity(const Topology& topology, const std::filesystem::path& root = "/");

// Number of processes that ran or waited for a processor, averaged over the last minute. None where /proc does
// not say.
[[nodiscard]] std::optional<double> load_average(const std::filesystem::path& root = "/");

}  // namespace assay::system
