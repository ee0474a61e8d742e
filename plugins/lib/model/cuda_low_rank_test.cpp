// SPDX-License-Identifier: Apache-2.0
//
// Kernels of compressed gradients against the host's.
#include "lib/model/cuda_low_rank.hpp"

#include "lib/model/cuda_halves.hpp"
#include "lib/model/cuda_test.hpp"
#include "lib/model/low_rank.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

namespace assay::plugins::model {
namespace {

class CudaLowRank : public OnGpu {};

TEST_F(CudaLowRank, MakesColumnsOrthogonalAsTheHostDoes) {
  for (const auto& [rows, rank] : {std::pair(5U, 1U), std::pair(40U, 3U), std::pair(3000U, 17U)}) {
    Floats p = normal_numbers(std::size_t{rows} * rank, 4);
    // One depends on those before it, and becomes nothing.
    for (std::size_t row = 0; row < rows && rank > 2; ++row)
      p[row * rank + 2] = p[row * rank] - p[row * rank + 1];
    const OnDevice<float> there(p);
    orthogonalise(nullptr, rows, rank, there.data());
    orthogonalise(rows, rank, p.data());
    expect_close("columns of " + std::to_string(rows) + " rows", there.read(), p, 1e-4);
  }
}

TEST_F(CudaLowRank, DrawsWhatTheHostDraws) {
  const LowRank of{7, 3};
  Floats q(3 * 50);
  draw_columns(11, of, 50, q.data());
  const OnDevice<float> there(q.size());
  draw_columns(nullptr, columns_of(11, of), q.size(), there.data());
  expect_close("columns that were drawn", there.read(), q, 1e-6);
  // The second column is nothing, and comes back.
  for (std::size_t row = 0; row < 50; ++row) q[row * 3] = 2, q[row * 3 + 1] = 0;
  const OnDevice<float> lost(q);
  revive(nullptr, columns_of(11, of), 50, 3, lost.data());
  revive(11, of, 50, q.data());
  expect_close("columns that came back", lost.read(), q, 1e-6);
}

TEST_F(CudaLowRank, TakesAwayAShare) {
  const Floats from = normal_numbers(1001, 5);
  Floats to = normal_numbers(1001, 6);
  const OnDevice<float> from_there(from), to_there(to);
  take_away(nullptr, from.size(), 0.25F, from_there.data(), to_there.data());
  for (std::size_t i = 0; i < to.size(); ++i) to[i] -= 0.25F * from[i];
  expect_close("what is left", to_there.read(), to, 1e-6);
}

TEST_F(CudaLowRank, RoundsToHalvesAndBack) {
  Floats numbers = normal_numbers(1024, 8);
  numbers[3] = 1 + 0x1p-11F;  // in the middle of two halves: the even one
  const OnDevice<float> from(numbers), back(numbers.size());
  const cuda::DeviceBuffer<__half> halves(first_gpu(), numbers.size());
  round_to_halves(nullptr, numbers.size(), from.data(), halves.data());
  widen_halves(nullptr, numbers.size(), halves.data(), back.data());
  Floats expected = numbers;
  for (float& number : expected) number = __half2float(__float2half_rn(number));
  expect_close("halves", back.read(), expected, 0);
}

}  // namespace
}  // namespace assay::plugins::model
