// SPDX-License-Identifier: Apache-2.0
#include "statistics/distribution.hpp"

#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace assay::statistics {

double normal_quantile(double probability) {
  return boost::math::quantile(boost::math::normal_distribution<double>(), probability);
}

double student_t_quantile(double probability, double degrees_of_freedom) {
  return boost::math::quantile(boost::math::students_t_distribution<double>(degrees_of_freedom), probability);
}

double f_quantile(double probability, double numerator, double denominator) {
  return boost::math::quantile(boost::math::fisher_f_distribution<double>(numerator, denominator),
                               probability);
}

}  // namespace assay::statistics
