// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

namespace assay::reporters {

// The document byte for byte, but characters that could steer a terminal, which stand in texts only, as \u
// escapes: the same JSON. What Assay writes has none; a document from elsewhere may. `write` takes it piece
// by piece.
void render_json(std::string_view document, const std::function<void(std::string_view)>& write);

}  // namespace assay::reporters
