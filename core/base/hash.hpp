// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace assay {

// SHA-256 in lower-case hexadecimal.
[[nodiscard]] std::string sha256(std::string_view data);

}  // namespace assay
