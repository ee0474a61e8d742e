// SPDX-License-Identifier: Apache-2.0
//
// Whether the verdict that a result document states is what its own cases, group checks and findings come to. Where it is not, somebody
// changed the document after it was written.
#pragma once

#include "model/document.hpp"

#include <string>

namespace assay::result {

// What contradicts what, as the end of a sentence: "its verdict is passed (exit code 0), and …"; "" if nothing does, and where a word of the
// document is of a later version, which may come to a verdict in another way.
[[nodiscard]] std::string contradiction_in(const model::Document& stated);

}  // namespace assay::result
