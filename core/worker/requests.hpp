// SPDX-License-Identifier: Apache-2.0
//
// Requests to a backend's or a reporter's worker. Each gives the frame that answers it, or throws Error.
#pragma once

#include "base/json.hpp"
#include "worker/plugin.hpp"

#include <functional>
#include <string>

namespace assay::worker {

[[nodiscard]] Json answer_inventory(const Plugin& plugin);
[[nodiscard]] Json answer_read(const Plugin& plugin, const Json& request);
[[nodiscard]] Json answer_visibility(const Plugin& plugin, const Json& request);
// `document` is what came of it before the request, which holds its last piece. Sends the files' frames once
// all are written; the answer follows them.
[[nodiscard]] Json answer_render(const Plugin& plugin, const Json& request, std::string document,
                                 const std::function<void(const Json&)>& send);

}  // namespace assay::worker
