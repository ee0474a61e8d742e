// SPDX-License-Identifier: Apache-2.0
#include "cli/environment.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace assay::cli {
namespace {

constexpr std::array<std::string_view, 16> kPrefixes = {
    "CUDA_", "NVIDIA_", "NCCL_", "CUBLAS", "OMP_",  "GOMP_",          "KMP_",    "OPENBLAS_",
    "MKL_",  "BLIS_",   "UCX_",  "OMPI_",  "PMIX_", "GLIBC_TUNABLES", "MALLOC_", "ASSAY_"};
constexpr std::array<std::string_view, 4> kNames = {"LD_LIBRARY_PATH", "LD_PRELOAD", "SLURM_JOB_ID",
                                                    "SLURM_JOB_NODELIST"};
constexpr std::array<std::string_view, 6> kSecrets = {"TOKEN",  "SECRET",     "PASSWORD",
                                                      "PASSWD", "CREDENTIAL", "APIKEY"};

bool allowed(const std::string& name) {
  const auto contains = [&](std::string_view part) { return name.find(part) != std::string::npos; };
  if (std::any_of(kSecrets.begin(), kSecrets.end(), contains) || name.ends_with("_KEY")) return false;
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); }) ||
         std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

}  // namespace

Json recorded_environment(const std::map<std::string, std::string>& environment) {
  Json recorded = Json::object();
  for (const auto& [name, value] : environment) {
    if (allowed(name)) recorded[printable(name)] = printable(value);
  }
  return recorded;
}

}  // namespace assay::cli
