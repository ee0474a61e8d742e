// SPDX-License-Identifier: Apache-2.0
//
// What all providers of one benchmark agree on (sdk/contracts/*.json, docs/reference/manifest.md).
#pragma once

#include "base/diagnostics.hpp"
#include "catalog/manifest.hpp"

#include <optional>
#include <string>
#include <vector>

namespace assay::catalog {

struct Contract {
  std::string id;            // "membw/1"
  std::string verification;  // in words
  Benchmark benchmark;
  std::vector<std::string> optional;  // "parameter NAME" or "metric NAME" that a provider may leave out
  Json json;

  [[nodiscard]] bool is_optional(const std::string& kind, const std::string& name) const;
};

// As parse_manifest.
[[nodiscard]] std::optional<Contract> parse_contract(const std::string& file, const std::string& text,
                                                     Diagnostics& diagnostics);

// Reports, at the manifest's file, wherever a benchmark is not what the contract that it implements says. It
// may narrow: fewer values, a smaller range, fewer conditions; it may add parameters that have a default,
// facts, checks, and metrics that don't lead.
void check_contract(const std::string& file, const Benchmark& benchmark, const Contract& contract,
                    Diagnostics& diagnostics);

}  // namespace assay::catalog
