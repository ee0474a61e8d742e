// SPDX-License-Identifier: Apache-2.0
//
// Gradients that are reduced together: buckets fill in the order in which the backward pass ends with
// gradients, which is the reverse of that in which tensors were made.
#pragma once

#include "lib/model/model.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::plugins::model {

// A range of the gradients' array.
struct Bucket {
  std::size_t offset = 0, size = 0;  // elements
  int lowest_tensor = 0;             // the one whose gradient is there last
};

// As PyTorch's DistributedDataParallel assigns them (compute_bucket_assignment_by_size): a tensor goes into the
// open bucket, which is closed once it holds its limit or more; the first has a limit of its own, so that
// communication begins early. Limits in bytes; a tensor is never split.
inline std::vector<Bucket> make_buckets(const Model& model, std::size_t element_bytes,
                                        std::uint64_t first_limit, std::uint64_t limit) {
  std::vector<Bucket> buckets;
  bool open = false;
  for (std::size_t i = model.tensors.size(); i-- > 0;) {
    const Tensor& tensor = model.tensors[i];
    if (!open) buckets.push_back({});
    Bucket& bucket = buckets.back();
    bucket.offset = tensor.offset;
    bucket.size += tensor.size();
    bucket.lowest_tensor = static_cast<int>(i);
    open = bucket.size * element_bytes < (buckets.size() == 1 ? first_limit : limit);
  }
  return buckets;
}

}  // namespace assay::plugins::model
