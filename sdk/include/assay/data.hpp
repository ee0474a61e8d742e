// SPDX-License-Identifier: Apache-2.0
//
// What inputs hold, by the `data` condition. The same rule for every benchmark, because data changes power
// and with it speed.
#pragma once

#include <assay/case.hpp>
#include <assay/random.hpp>

#include <cstdint>

namespace assay {

// Element `index` of an input. `standard` is `normal`. Integers lie in [-3, 3], so that sums of products stay
// exact for long in any type. On a device, too: integers and uniform numbers are the same there bit for bit,
// normal ones to within the last places of a double.
ASSAY_HOST_DEVICE inline double element(Data data, const Random& random, std::uint64_t index) {
  switch (data) {
    case Data::uniform:
      return random.uniform(index);
    case Data::integer:
      return static_cast<double>(random.integer(index, -3, 3));
    case Data::zeros:
      return 0;
    case Data::ones:
      return 1;
    case Data::standard:
    case Data::normal:
      break;
  }
  return random.normal(index);
}

}  // namespace assay
