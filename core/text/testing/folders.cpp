// SPDX-License-Identifier: Apache-2.0
#include "text/testing/folders.hpp"

namespace assay {

std::filesystem::path source_folder() { return ASSAY_SOURCE_DIR; }

std::filesystem::path build_folder() { return ASSAY_BINARY_DIR; }

}  // namespace assay
