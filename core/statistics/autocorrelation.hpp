// SPDX-License-Identifier: Apache-2.0
//
// How many consecutive samples carry the information of one independent one.
#pragma once

#include <span>

namespace assay::statistics {

// Integrated autocorrelation time, in samples, at least 1: 1 + 2 * (sum of autocorrelations), cut by Geyer's
// initial positive sequence (pairs of neighbouring lags are added while their sum is positive), lags up to
// n/4. n / time is the number of independent samples that would be as informative. Fewer than 8 values, or
// constant ones: 1.
//
// Series longer than 2048 are first averaged in equal blocks so that at most 2048 remain; the sum of
// autocovariances keeps its meaning under that, so the result stays in samples, and the cost below two million
// operations.

// Of the values themselves: governs the error of a mean.
[[nodiscard]] double autocorrelation_time(std::span<const double> values);

// Of sign(x - median): governs the error of a median; outliers do not disturb it.
[[nodiscard]] double sign_autocorrelation_time(std::span<const double> values);

}  // namespace assay::statistics
