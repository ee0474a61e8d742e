// SPDX-License-Identifier: Apache-2.0
//
// Timelines in the Trace Event Format (JSON object form), which Perfetto and chrome://tracing open: a process
// is a case, a thread a track, and every case begins at 0, so that cases can be compared by eye.
#pragma once

#include "lib/document.hpp"

#include <functional>
#include <string_view>

namespace assay::reporters {

// `write` takes it piece by piece.
void render_trace(const Document& document, const std::function<void(std::string_view)>& write);

}  // namespace assay::reporters
