// SPDX-License-Identifier: Apache-2.0
//
// What variants are, and how those of a case differ, in words: "before → after: env.OMP_NUM_THREADS 1 → 2".
#pragma once

#include "base/json_fwd.hpp"

#include <string>
#include <utility>
#include <vector>

namespace assay::model {

// The axis whose values are variants, each an object of what it sets (docs/reference/result.md).
inline constexpr const char* kVariantAxis = "variant";
[[nodiscard]] bool is_variant(const std::string& axis, const Json& value);

// A setting by which two of them differ.
struct VariedSetting {
  std::string name, before, after;
};
[[nodiscard]] std::vector<VariedSetting> varied_settings(const Json& before, const Json& after);

// A line for each variant but the first, compared with that.
[[nodiscard]] std::vector<std::string> lines_of_variants(
    const std::vector<std::pair<std::string, Json>>& variants);

// "gemm[dtype=bf16]" for "gemm[dtype=bf16,variant=after]": an id without the value of that axis.
[[nodiscard]] std::string id_without(std::string id, const std::string& axis, const std::string& value);

}  // namespace assay::model
