// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lib/document.hpp"

#include <string>
#include <vector>

namespace assay::reporters {

// name[axis=value,…] with the axes sorted, so that a suite whose matrix was reordered renames nothing in a history.
[[nodiscard]] std::string stable_name(const Case& one);

// Of every case in one line; what is there twice gets "#2", which no reader then takes for the first.
[[nodiscard]] std::vector<std::string> unique_names(const Document& document);

// "[0,1]" of a metric that has indices, else "".
[[nodiscard]] std::string index_text(const Metric& metric);

// The devices of a case, "cuda:0 cuda:1"; "" if it has none.
[[nodiscard]] std::string devices_text(const Case& one);

}  // namespace assay::reporters
