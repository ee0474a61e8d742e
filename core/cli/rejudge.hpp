// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace assay::cli {

// Makes the result document from a journal alone: the header holds all inputs of the plan, so no plugin and
// no device is needed. Throws Error.
[[nodiscard]] std::string rejudge(const std::filesystem::path& journal);

// The document of a result.json, of a journal, or of the folder that holds either. A run that was killed left
// a journal only. Throws Error.
[[nodiscard]] std::string document_of(const std::filesystem::path& path);

// The text itself if it is a result document of a version that is understood. Throws Error "result.malformed"
// or "result.version".
[[nodiscard]] std::string checked_document(const std::filesystem::path& path, std::string text);

}  // namespace assay::cli
