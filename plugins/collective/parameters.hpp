// SPDX-License-Identifier: Apache-2.0
//
// What every provider of the benchmark says of its parameters and metrics alike, and refuses alike.
#pragma once

#include "collective/codes.hpp"
#include "collective/operation.hpp"

#include <assay/contracts/collective_1.hpp>
#include <assay/description.hpp>
#include <assay/errors.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace assay::plugins::collective {

namespace contract = contracts::collective_1;

enum class Placement { out, in };
enum class Timing { back_to_back, isolated };

// op and bytes.
template <class Params>
void describe_size(Description<Params>& is) {
  contract::op(is, &Params::op)
      .choices({{"all_reduce", Operation::all_reduce},
                {"all_gather", Operation::all_gather},
                {"reduce_scatter", Operation::reduce_scatter},
                {"broadcast", Operation::broadcast},
                {"reduce", Operation::reduce},
                {"all_to_all", Operation::all_to_all},
                {"gather", Operation::gather},
                {"scatter", Operation::scatter},
                {"send_recv", Operation::send_recv}});
  contract::bytes(is, &Params::bytes).range(8, std::uint64_t{1} << 40);
}

// reduction, placement, root and timing.
template <class Params>
void describe_way(Description<Params>& is) {
  contract::reduction(is, &Params::reduction)
      .choices({{"sum", Operator::sum},
                {"prod", Operator::product},
                {"min", Operator::minimum},
                {"max", Operator::maximum},
                {"avg", Operator::average}});
  contract::placement(is, &Params::placement).choices({{"out", Placement::out}, {"in", Placement::in}});
  contract::root(is, &Params::root).range(0, 4095);
  contract::timing(is, &Params::timing)
      .choices({{"back_to_back", Timing::back_to_back}, {"isolated", Timing::isolated}});
}

// `peak` is what the bus is compared with; nullptr: nothing.
template <class Params>
void describe_metrics(Description<Params>& is, const char* mechanism, const char* peak) {
  auto bus = contract::bus_bandwidth(is);
  bus.counting("bytes times 2(n-1)/n for all_reduce, (n-1)/n where ranks have parts, else 1; n ranks")
      .mechanism(mechanism)
      .headline();
  if (peak) bus.peak(peak);
  contract::algorithm_bandwidth(is).mechanism(mechanism);
  contract::latency(is);
}

// For probe(): counts of elements for this many ranks. Throws BadParameter for what no ranks could do, Skip if
// there are too few bytes for these.
template <class Params>
Counts require_possible(const Params& params, std::size_t element_bytes, std::uint32_t ranks) {
  if (params.placement == Placement::in && !can_be_in_place(params.op))
    throw BadParameter("placement", "all_to_all and send_recv have buffers of their own only");
  if (has_root(params.op) && params.root >= ranks) {
    throw BadParameter("root", "it is rank " + std::to_string(params.root) + " of " + std::to_string(ranks) +
                                   ", counted from 0");
  }
  const Counts counts = counts_of(params.op, params.bytes, element_bytes, ranks);
  if (counts.whole == 0) {
    throw Skip("each of " + std::to_string(ranks) + " ranks has a part of at least " +
               std::to_string(kPartAlignment) + " bytes, which " + std::to_string(params.bytes) +
               " bytes are too few for");
  }
  return counts;
}

}  // namespace assay::plugins::collective
