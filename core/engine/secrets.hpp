// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace assay::engine {

// Whether a variable looks like a secret: by words of its name, in any case, or because its value has the form of
// a key or token that is known, or of an address with a password in it.
[[nodiscard]] bool is_secret(const std::string& name, const std::string& value);

}  // namespace assay::engine
