// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/field.hpp"

namespace assay::model {

// Seconds of processors while a case was measured: all that there were, what programs outside of the run had of them, and
// what the hypervisor gave to other machines.
struct ProcessorUse {
  double available_s = 0, others_s = 0, stolen_s = 0;
};
constexpr auto fields_of(const ProcessorUse*) {
  return object(field("available_s", &ProcessorUse::available_s), field("others_s", &ProcessorUse::others_s),
                field("stolen_s", &ProcessorUse::stolen_s));
}
inline bool is_absent(const ProcessorUse& use) { return use.available_s <= 0; }

}  // namespace assay::model
