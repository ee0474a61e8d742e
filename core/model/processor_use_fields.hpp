// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/field.hpp"
#include "model/processor_use.hpp"

namespace assay::model {

constexpr auto fields_of(const ProcessorUse*) {
  return object(field("available_s", &ProcessorUse::available_s), field("others_s", &ProcessorUse::others_s),
                field("stolen_s", &ProcessorUse::stolen_s));
}

}  // namespace assay::model
