// SPDX-License-Identifier: Apache-2.0
#include "cli/timelines.hpp"

#include "base/json.hpp"

#include <algorithm>

namespace assay::cli {

bool show_timelines(const std::vector<report::Request>& requests) {
  return std::any_of(requests.begin(), requests.end(),
                     [](const report::Request& request) { return request.reporter == "trace"; });
}

// Cases are forgotten one by one as they are read: the tree of a large result takes many times its text.
bool has_timeline(const std::string& document) {
  bool in_cases = false, found = false;
  const auto read = [&](int depth, Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    if (event == Event::key && depth == 1) in_cases = parsed.get_ref<const std::string&>() == "cases";
    if (event == Event::key && depth == 3 && in_cases)
      found = found || parsed.get_ref<const std::string&>() == "timeline";
    return depth < 2 || event != Event::object_end;
  };
  [[maybe_unused]] const Json skeleton = Json::parse(document, read, false);
  return found;
}

}  // namespace assay::cli
