// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace assay::model {

// Seconds of processors while a case was measured: all that there were, what programs outside of the run had of them, and
// what the hypervisor gave to other machines.
struct ProcessorUse {
  double available_s = 0, others_s = 0, stolen_s = 0;
};
inline bool is_absent(const ProcessorUse& use) { return use.available_s <= 0; }

}  // namespace assay::model
