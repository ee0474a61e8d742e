// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace assay::statistics {

// Quantile of the standard normal distribution. probability in (0, 1).
[[nodiscard]] double normal_quantile(double probability);

// Quantile of Student's t. probability in (0, 1); degrees_of_freedom > 0, not necessarily whole.
[[nodiscard]] double student_t_quantile(double probability, double degrees_of_freedom);

}  // namespace assay::statistics
