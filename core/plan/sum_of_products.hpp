// SPDX-License-Identifier: Apache-2.0
//
// An expression multiplied out: 3 + 2·time - time²/rate. Internal to this component.
#pragma once

#include "plan/constant_relation.hpp"

#include <cmath>
#include <map>
#include <string>

namespace assay::plan {

enum class ProvedSign { positive, not_negative, zero, not_positive, negative, unknown };

[[nodiscard]] bool is_at_least_zero(ProvedSign sign);
[[nodiscard]] bool is_at_most_zero(ProvedSign sign);

class SumOfProducts {
 public:
  using Powers = std::map<std::string, int>;  // of names and of what is not multiplied out; none is 0

  SumOfProducts() = default;
  explicit SumOfProducts(double constant) {
    add_term({}, {constant, std::fabs(constant)}, ProvedSign::positive);
  }
  SumOfProducts(const std::string& name, ProvedSign sign) { add_term({{name, 1}}, {1, 1}, sign); }

  void add(const SumOfProducts& other, double factor);
  // False, and nothing is changed, if that makes too much of it.
  [[nodiscard]] bool multiply(const SumOfProducts& other);
  // By one product that is never 0. False, and nothing is changed, if it is none.
  [[nodiscard]] bool divide(const SumOfProducts& other);

  // False if rounding could have decided whether something cancels, or a number is too large.
  [[nodiscard]] bool is_certain() const;
  [[nodiscard]] bool is_constant() const;
  [[nodiscard]] double constant() const;
  [[nodiscard]] ProvedSign sign_of_products() const;  // of all but the constant
  [[nodiscard]] ProvedSign sign() const;

 private:
  // The coefficient, and the sum of the sizes that it was added up from.
  struct Coefficient {
    double value = 0, size = 0;
  };
  struct Product {
    Coefficient coefficient;
    ProvedSign sign = ProvedSign::unknown;  // without the coefficient's
  };
  void add_term(const Powers& powers, const Coefficient& coefficient, ProvedSign sign);
  [[nodiscard]] ProvedSign sign_of(bool with_constant) const;

  std::map<Powers, Product> terms_;
};

// Multiplies expressions out, derived names included. What cannot be is one name, with the sign that is known of it.
class Expander {
 public:
  explicit Expander(const RelationNames& names) : names_(names) {}

  [[nodiscard]] SumOfProducts of(const suite::Expression& expression);

 private:
  struct Derived {
    SumOfProducts sum;
    bool is_one_number = true;
  };
  [[nodiscard]] SumOfProducts name(const std::string& name);
  [[nodiscard]] SumOfProducts share(const suite::Expression& share);
  [[nodiscard]] SumOfProducts call(const suite::Expression& call);
  [[nodiscard]] SumOfProducts product(const suite::Expression& expression);
  [[nodiscard]] SumOfProducts quotient(const suite::Expression& expression);
  // Of what stands for a whole expression: the same one wherever that stands, if its names are.
  [[nodiscard]] SumOfProducts whole(const suite::Expression& expression, ProvedSign sign);
  [[nodiscard]] bool is_one_number(const suite::Expression& expression);
  [[nodiscard]] const Derived& derived(const std::string& name, const suite::Expression& from);
  [[nodiscard]] std::string fresh() { return "#" + std::to_string(count_++); }

  const RelationNames& names_;
  std::map<std::string, Derived> derived_;
  int count_ = 0;
};

}  // namespace assay::plan
