// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace assay::engine {

// "assay 0.1.0 (3f9c2e1)\n": the release and the commit it was built from; "unknown" outside a repository.
[[nodiscard]] std::string version_text();
[[nodiscard]] std::string version_number();
[[nodiscard]] std::string version_commit();

}  // namespace assay::engine
