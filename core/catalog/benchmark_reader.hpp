// SPDX-License-Identifier: Apache-2.0
//
// A benchmark's description, the same form in manifests and contracts. Internal to this component.
#pragma once

#include "catalog/manifest.hpp"
#include "catalog/manifest_reader.hpp"

namespace assay::catalog {

[[nodiscard]] Benchmark read_benchmark(const ObjectReader& reader);

// "default", of the type that `type` names, or null. Reports one that does not fit.
[[nodiscard]] Json read_default(const ObjectReader& reader, ParameterType type,
                                const std::vector<std::string>& values);

// "unit", a base unit, "1" or "". Reports one that is none.
[[nodiscard]] std::string checked_unit(const ObjectReader& reader);

inline const std::vector<std::string> kParameterTypes = {"integer", "number", "boolean", "text"};

}  // namespace assay::catalog
