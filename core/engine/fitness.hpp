// SPDX-License-Identifier: Apache-2.0
//
// What `assay doctor` says: settings that spoil measurements, and how well fixed work repeated itself.
#pragma once

#include "catalog/catalog.hpp"
#include "model/document.hpp"
#include "system/inventory.hpp"

#include <optional>
#include <string>
#include <vector>

namespace assay::engine {

// What makes figures smaller or unsteady: a setting of a device, or other work.
struct UnfitSetting {
  std::string device;  // "cuda:0"; "host" for all processors
  std::string text;    // what is set, and what it does
  std::string advice;  // what to do
};
// By the facts of the inventory; a fact that a backend does not tell is fit.
[[nodiscard]] std::vector<UnfitSetting> unfit_settings(const system::Inventory& inventory);

// Other processes that take more than a quarter of the processors; of a load that is not known, nothing is said.
[[nodiscard]] std::vector<UnfitSetting> unfit_load(std::optional<double> load_average, int processors);

// What else was at work while the doctor measured, from the document of its suite; it does not change the answer, which comes from
// what that did to the doctor's own work.
[[nodiscard]] std::vector<UnfitSetting> disturbances(const model::Document& document);

// The suite that measures it: the benchmark `doctor` of every backend that has devices here, each kind of its
// work in this many processes, and a command that does nothing. "" if there is none.
[[nodiscard]] std::string doctor_suite(const catalog::Catalog& catalog, const system::Inventory& inventory,
                                       int processes);

// How the headline of a case differed between processes.
struct Deviation {
  std::string case_id, backend;
  int rounds = 0;
  double share = 0;    // standard deviation of the logarithms: 0.01 is 1 %
  std::string work{};  // compute, memory, …; empty where the doctor has one kind
};
// Of a result document; cases with fewer than three rounds are left out.
[[nodiscard]] std::vector<Deviation> deviations(const model::Document& document);

// A comparison has to exceed this many deviations between runs: 95 % of a difference of two.
inline constexpr double kDeviationsOfADifference = 2.8;

// The answer, from what spoils measurements here and from the document of the doctor's suite: for each kind of work on each backend, since
// memory that others use says nothing of what computes.
struct Fitness {
  bool fit = false;
  std::string answer;  // "fit for effects above 2.8 %", "not fit: …"
};
[[nodiscard]] Fitness fitness(const std::vector<UnfitSetting>& unfit, const model::Document& document);

// 0.0123 → "1.2 %".
[[nodiscard]] std::string percent(double share);

}  // namespace assay::engine
