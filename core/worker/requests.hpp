// SPDX-License-Identifier: Apache-2.0
//
// Requests to a backend's or a reporter's worker. Each gives the frame that answers it, or what that is made of, or
// throws Error.
#pragma once

#include "base/json.hpp"
#include "worker/plugin.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::worker {

[[nodiscard]] Json answer_inventory(const LoadedPlugin& plugin);
[[nodiscard]] Json answer_read(const LoadedPlugin& plugin, const Json& request);
[[nodiscard]] Json answer_visibility(const LoadedPlugin& plugin, const Json& request);

struct RenderedFile {
  std::optional<std::string> name;  // none: the main output
  std::string data;                 // UTF-8
};
[[nodiscard]] std::vector<RenderedFile> answer_render(const LoadedPlugin& plugin, const Json& request,
                                                      std::string_view document);

}  // namespace assay::worker
