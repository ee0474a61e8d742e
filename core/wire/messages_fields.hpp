// SPDX-License-Identifier: Apache-2.0
//
// How a device stands in messages, to a worker and to what checks a plugin.
#pragma once

#include "model/field.hpp"
#include "wire/messages.hpp"

namespace assay::wire {

constexpr auto fields_of(const VisitDevice*) {
  return model::object(model::field("name", &VisitDevice::name), model::field("uuid", &VisitDevice::uuid),
                       model::field("ordinal", &VisitDevice::ordinal),
                       model::field("numa_node", &VisitDevice::numa_node));
}

}  // namespace assay::wire
