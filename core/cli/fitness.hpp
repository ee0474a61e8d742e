// SPDX-License-Identifier: Apache-2.0
//
// What `assay doctor` says: settings that spoil measurements, and how well fixed work repeated itself.
#pragma once

#include "base/json.hpp"
#include "catalog/catalog.hpp"
#include "system/inventory.hpp"

#include <string>
#include <vector>

namespace assay::cli {

// A setting of a device that makes its figures smaller or unsteady.
struct UnfitSetting {
  std::string device;  // "cuda:0"
  std::string text;    // what is set, and what it does
  std::string advice;  // what to do
};
// By the facts of the inventory; a fact that a backend does not tell is fit.
[[nodiscard]] std::vector<UnfitSetting> unfit_settings(const system::Inventory& inventory);

// The suite that measures it: the benchmark `doctor` of every backend that has devices here, each kind of its
// work in so many processes. "" if there is none.
[[nodiscard]] std::string doctor_suite(const catalog::Catalog& catalog, const system::Inventory& inventory,
                                       int processes);

// How the headline of a case differed between processes.
struct Deviation {
  std::string case_id, backend;
  int rounds = 0;
  double share = 0;  // standard deviation of the logarithms: 0.01 is 1 %
};
// Of a result document; cases with fewer than three rounds are left out.
[[nodiscard]] std::vector<Deviation> deviations(const Json& document);

// All of it for people, a paragraph each.
[[nodiscard]] std::string fitness_text(const std::vector<UnfitSetting>& unfit,
                                       const std::vector<Deviation>& between_processes);

}  // namespace assay::cli
