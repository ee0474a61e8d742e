// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json.hpp"
#include "judge/case_result.hpp"
#include "system/inventory.hpp"

#include <optional>
#include <string>

namespace assay::judge {

// The peak of a case's metric: that of its device (system::find_peak, `tables` as there), by the parameter
// `dtype` where the peak depends on it. Ranks that run side by side (`load: together`) have the sum of their
// devices' peaks; ranks that work together, or several devices of one rank, one device's (the least).
// `ceiling` is always of all devices together: 110 % of a cited peak, 102 % of a measured one.
//
// No value if the metric names no peak, or a device has none; `why` then says which. `refused` says what a
// backend gives that can't be its peak, whether or not another one was found.
[[nodiscard]] std::optional<Peak> find_peak(const plan::PlannedCase& planned,
                                            const catalog::MetricDeclaration& metric,
                                            const system::Inventory& inventory, const Json& tables,
                                            std::string* why, std::string* refused);

// Of the source of a peak, whose first word says it: the peak is not cited.
[[nodiscard]] bool is_measured(const std::string& source);

// The peak that the case measured beside its work: the value that it recorded under the name of the metric's
// peak (over rounds as any measurement is, summed over ranks). No value if it recorded none. It is a lower bound of what
// the hardware can do, because something may have disturbed the measurement, so `ceiling` is 110 % of the best round's.
[[nodiscard]] std::optional<Peak> recorded_peak(const CaseResult& result,
                                                const catalog::MetricDeclaration& metric);

}  // namespace assay::judge
