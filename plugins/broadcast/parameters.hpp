// SPDX-License-Identifier: Apache-2.0
//
// What every provider of the benchmark says alike.
#pragma once

#include "broadcast/schedule.hpp"

#include <assay/contracts/broadcast_1.hpp>
#include <assay/description.hpp>

namespace assay::plugins::broadcast {

namespace contract = contracts::broadcast_1;

template <class Params>
void describe_shape(Description<Params>& is) {
  contract::shape(is, &Params::shape)
      .choices({{"star", Shape::star}, {"chain", Shape::chain}, {"tree", Shape::tree}});
}

template <class Params>
void describe_metrics(Description<Params>& is, const char* mechanism) {
  contract::bandwidth(is).mechanism(mechanism);
  contract::aggregate_bandwidth(is).mechanism(mechanism);
  contract::lower_bound(is);
  contract::source_bandwidth(is);
  contract::onward_bandwidth(is);
}

}  // namespace assay::plugins::broadcast
