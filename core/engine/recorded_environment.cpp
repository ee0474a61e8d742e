// SPDX-License-Identifier: Apache-2.0
#include "engine/recorded_environment.hpp"

#include "engine/secrets.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace assay::engine {
namespace {

// Held against docs/reference/result.md by a test. NVIDIA_ is not a prefix: images for containers set
// NVIDIA_REQUIRE_CUDA, kilobytes on which drivers may start them.
constexpr std::array<std::string_view, 15> kPrefixes = {
    "CUDA_", "NCCL_", "CUBLAS", "OMP_",  "GOMP_",          "KMP_",    "OPENBLAS_", "MKL_",
    "BLIS_", "UCX_",  "OMPI_",  "PMIX_", "GLIBC_TUNABLES", "MALLOC_", "ASSAY_"};
constexpr std::array<std::string_view, 7> kNames = {
    "LD_LIBRARY_PATH",        "LD_PRELOAD",   "NVIDIA_DRIVER_CAPABILITIES", "NVIDIA_TF32_OVERRIDE",
    "NVIDIA_VISIBLE_DEVICES", "SLURM_JOB_ID", "SLURM_JOB_NODELIST"};
bool declared(const std::string& name, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& one) {
    return one.ends_with('*') ? name.starts_with(one.substr(0, one.size() - 1)) : name == one;
  });
}

bool allowed(const std::string& name) {
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); }) ||
         contains(kNames, name);
}

}  // namespace

std::vector<std::string> recorded_names() {
  std::vector<std::string> names;
  for (const std::string_view prefix : kPrefixes) names.push_back(std::string(prefix) + "*");
  names.insert(names.end(), kNames.begin(), kNames.end());
  return names;
}

Json recorded_environment(const std::map<std::string, std::string>& environment,
                          const std::vector<std::string>& names) {
  Json recorded = Json::object();
  for (const auto& [name, value] : environment) {
    if ((allowed(name) || declared(name, names)) && !is_secret(name, value))
      recorded[printable(name)] = printable(value);
  }
  return recorded;
}

std::vector<std::string> worker_environment(const std::map<std::string, std::string>& environment) {
  std::vector<std::string> handed_on;
  for (const auto& [name, value] : environment) {
    if (!is_secret(name, value)) handed_on.push_back(name + "=" + value);
  }
  return handed_on;
}

std::vector<std::string> whole_environment(const std::map<std::string, std::string>& environment) {
  std::vector<std::string> handed_on;
  for (const auto& [name, value] : environment) handed_on.push_back(name + "=" + value);
  return handed_on;
}

}  // namespace assay::engine
