// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace assay::cli {

// 25276502016 → "23.5 GiB". For the command's own lists; reports have their formatting in the reporters.
[[nodiscard]] std::string size_text(double bytes);

}  // namespace assay::cli
