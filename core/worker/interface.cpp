// SPDX-License-Identifier: Apache-2.0
#include "worker/interface.hpp"

namespace assay::worker {

std::string mismatch(const Interface& host, std::uint32_t built_minor, std::uint32_t needs_minor) {
  const auto one_point = [](std::uint32_t minor) { return "1." + std::to_string(minor); };
  const std::string speaks = ", this Assay speaks " + one_point(host.minor);
  // First, because a host that is too old for a plugin may not know which minors are previews.
  if (needs_minor > host.minor)
    return "it needs interface " + one_point(needs_minor) + speaks + "; use a newer Assay";
  if (built_minor < host.oldest_minor)
    return "it was built for the preview interface " + one_point(built_minor) + speaks + "; build it again";
  if (host.preview && built_minor != host.minor) {
    return "it was built for interface " + one_point(built_minor) + speaks +
           " as a preview, which serves no other minor; use a newer Assay";
  }
  return {};
}

}  // namespace assay::worker
