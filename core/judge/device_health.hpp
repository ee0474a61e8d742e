// SPDX-License-Identifier: Apache-2.0
//
// What a case's devices told of themselves meanwhile, and what follows from it whatever the suite says: a fault
// fails the case, a device that somebody else used makes its figures worthless.
#pragma once

#include "judge/case_result.hpp"
#include "system/inventory.hpp"

namespace assay::judge {

// Takes from the inventory which quantities the case's devices do not have.
void find_lacking(CaseResult& result, const system::Inventory& inventory);

// Raises device_told, telemetry_failed and counter_reset.
void flag_devices(CaseResult& result);

// Lets faults and others' use decide: device.fault and device.errors fail a case that had an end, and name the
// cause of one that had none; device.shared makes a case invalid whose results were not wrong. A case that is
// invalid has no figures. Reasons that were there before follow in the text.
void blame_devices(CaseResult& result, const system::Inventory& inventory);

}  // namespace assay::judge
