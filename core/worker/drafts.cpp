// SPDX-License-Identifier: Apache-2.0
#include "worker/drafts.hpp"

#include "text/clock.hpp"
#include "text/text.hpp"
#include "worker/control.hpp"
#include "worker/plugin_messages.hpp"
#include "worker/plugin_text.hpp"

#include <assay/abi/drafts.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace assay::worker {
namespace {

constexpr std::int64_t kLineEvery_ns = 1'000'000'000;
constexpr std::string_view kMark = "-draft.";
constexpr std::string_view kServed[] = {ASSAY_DRAFT_PROGRESS};

}  // namespace

std::string unserved_draft(std::string_view id) {
  const std::size_t mark = id.find(kMark);
  if (mark == std::string_view::npos) return {};
  std::string_view own;
  for (const std::string_view served : kServed) {
    if (served == id) return {};
    if (served.substr(0, served.find(kMark)) == id.substr(0, mark)) own = served;
  }
  const std::string asked =
      "the plugin asked for the draft '" + printable(id) + "', which this Assay does not serve";
  if (own.empty())
    return asked + ": it has no draft of that name; see assay/abi/drafts.h in the SDK of this Assay";
  return asked + ": it has '" + std::string(own) +
         "'; build the plugin with the SDK of this Assay, because Assay serves only the drafts of its own build";
}

void ProgressService::report(double share, const char* text) {
  const std::int64_t now_ns = monotonic_ns();
  {
    const std::lock_guard lock(mutex_);
    if (last_ns_ != 0 && now_ns - last_ns_ < kLineEvery_ns && share != 1) return;
    last_ns_ = now_ns;
  }
  char percent[16] = "";
  if (std::isfinite(share) && share >= 0)
    std::snprintf(percent, sizeof percent, "%.0f %%: ", 100 * std::min(share, 1.0));
  messages_.log(ASSAY_LOG_INFO, (percent + plugin_text(text)).c_str());
}

}  // namespace assay::worker
