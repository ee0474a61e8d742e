// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace assay::statistics {

// Quantile of the standard normal distribution. probability in (0, 1).
[[nodiscard]] double normal_quantile(double probability);

// Quantile of Student's t. probability in (0, 1); degrees_of_freedom > 0, not necessarily whole.
[[nodiscard]] double student_t_quantile(double probability, double degrees_of_freedom);

// Fisher's F; both degrees of freedom above 0.
[[nodiscard]] double f_quantile(double probability, double numerator, double denominator);

}  // namespace assay::statistics
