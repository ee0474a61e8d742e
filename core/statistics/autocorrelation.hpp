// SPDX-License-Identifier: Apache-2.0
//
// The number of consecutive samples that carry the information of one independent sample.
#pragma once

#include <span>

namespace assay::statistics {

// Integrated autocorrelation time, in samples, at least 1: 1 + 2 * (sum of autocorrelations), truncated by Geyer's
// initial positive sequence (adds pairs of neighbouring lags while their sum is positive) and at lag n/4.
// n / time is the effective sample size. 1 for fewer than 8 values, and for constant values.
//
// Series longer than 2048 are first averaged in equal blocks, so that at most 2048 values remain and the cost
// stays below two million operations. Averaging preserves the sum of autocovariances, so the result is still in
// samples.

// Of the values themselves: governs the error of a mean.
[[nodiscard]] double autocorrelation_time(std::span<const double> values);

// Of sign(x - median): governs the error of a median; outliers do not disturb it.
[[nodiscard]] double sign_autocorrelation_time(std::span<const double> values);

}  // namespace assay::statistics
