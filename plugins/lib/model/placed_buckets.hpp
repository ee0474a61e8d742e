// SPDX-License-Identifier: Apache-2.0
//
// make_buckets() in places of a device's array: gaps between tensors go with the tensor before them.
#pragma once

#include "lib/model/buckets.hpp"
#include "lib/model/cuda_arithmetic.hpp"
#include "lib/model/model.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::plugins::model {

// Limits in bytes.
inline std::vector<Bucket> placed_buckets(const Model& model, const TensorPlaces& places,
                                          std::size_t element_bytes, std::uint64_t first_limit,
                                          std::uint64_t limit) {
  std::vector<Bucket> buckets = make_buckets(model, element_bytes, first_limit, limit);
  std::size_t end = places.size();
  for (Bucket& bucket : buckets) {
    bucket.offset = places.offset(static_cast<std::size_t>(bucket.lowest_tensor));
    bucket.size = end - bucket.offset;
    end = bucket.offset;
  }
  return buckets;
}

}  // namespace assay::plugins::model
