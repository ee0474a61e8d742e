// SPDX-License-Identifier: Apache-2.0
//
// What a claim is compared with, and the verdict on an interval beside it.
#include "judge/claim.hpp"
#include "judge/estimate.hpp"
#include "judge/evaluate.hpp"
#include "text/lookup.hpp"

#include <cctype>
#include <cmath>

namespace assay::judge {

double claim_tolerance(const Claim& claim, double theta) {
  if (suite::is_within(*claim.finding->claim)) return claim.finding->claim->quantity.value;
  // Sameness needs a tolerance, whoever wrote the margin.
  const bool sameness =
      claim.comparison == ComparisonOperator::equal || claim.comparison == ComparisonOperator::not_equal;
  return claim.explicit_margin && !sameness ? 0 : theta;
}

std::vector<double> claim_limits(const Claim& claim, double theta) {
  const double margin = std::log(claim.margin);
  const double tolerance = std::log1p(claim_tolerance(claim, theta));
  switch (claim.comparison) {
    case ComparisonOperator::greater:
    case ComparisonOperator::less_equal:
      return {margin + tolerance};
    case ComparisonOperator::greater_equal:
    case ComparisonOperator::less:
      return {margin - tolerance};
    case ComparisonOperator::equal:
    case ComparisonOperator::not_equal:
      return {margin - tolerance, margin + tolerance};
  }
  return {margin};
}

namespace {

// Names of `let` as reports call them. What stands in brackets is a selector's.
std::string labelled(const std::string& text, const suite::SuiteFinding& finding) {
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  std::string out;
  int depth = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    if (end == at) {
      depth += text[at] == '[' ? 1 : text[at] == ']' ? -1 : 0;
      out += text[at++];
      continue;
    }
    const std::string word = text.substr(at, end - at);
    const auto* const label =
        find_in(finding.labels, [&](const auto& each) { return each.first.value == word; });
    out += depth == 0 && label != nullptr ? label->second : word;
    at = end;
  }
  return out;
}

}  // namespace

model::Threshold limit_of(const Claim& claim, double theta) {
  model::Threshold limit{to_text(claim.comparison),
                         claim.margin,
                         claim_tolerance(claim, theta),
                         labelled(claim.left_name, *claim.finding),
                         labelled(claim.right_name, *claim.finding),
                         labelled(claim.measured, *claim.finding),
                         measured_limits(claim, theta),
                         {}};
  if (claim.percent)
    limit.unit = "%";
  else if (!claim.quantity.dimension.none())
    limit.unit = base_unit(claim.quantity.dimension);
  else if (claim.form == ClaimForm::ratio || !claim.left.over.empty())
    limit.unit =
        "×";  // nothing else is times something: a plain number, or a sum or a product of such, has no unit
  return limit;
}

std::vector<double> measured_limits(const Claim& claim, double theta) {
  if (claim.form == ClaimForm::difference) return {claim.quantity.value};
  std::vector<double> limits = claim_limits(claim, theta);
  for (double& limit : limits) limit = std::exp(limit) * claim.quantity.value;
  return limits;
}

FindingVerdict difference_verdict(const Claim& claim, const ValueRange& difference) {
  const double limit = claim.quantity.value;
  const bool exact = agree(difference.low, limit) && agree(difference.high, limit);
  const double low = exact ? limit : difference.low, high = exact ? limit : difference.high;
  const bool apart = low > limit || high < limit;
  const auto verdict = [](bool confirmed, bool refuted) {
    return confirmed ? FindingVerdict::confirmed
           : refuted ? FindingVerdict::refuted
                     : FindingVerdict::undecided;
  };
  switch (claim.comparison) {
    case ComparisonOperator::greater:
      return verdict(low > limit, high <= limit);
    case ComparisonOperator::greater_equal:
      return verdict(low >= limit, high < limit);
    case ComparisonOperator::less:
      return verdict(high < limit, low >= limit);
    case ComparisonOperator::less_equal:
      return verdict(high <= limit, low > limit);
    case ComparisonOperator::equal:
      return verdict(exact, apart);
    case ComparisonOperator::not_equal:
      return verdict(apart, exact);
  }
  return FindingVerdict::undecided;
}

FindingVerdict claim_verdict(const Claim& claim, const ValueRange& ratio, double theta) {
  double low = std::log(ratio.low);
  double high = std::log(ratio.high);
  const double margin = std::log(claim.margin);
  const std::vector<double> limits = claim_limits(claim, theta);
  for (const double each : {margin, limits.front(), limits.back()})
    if (agree(ratio.low, std::exp(each)) && agree(ratio.high, std::exp(each))) low = high = each;
  const auto verdict = [&](bool confirmed, bool refuted) {
    if (confirmed || refuted) return confirmed ? FindingVerdict::confirmed : FindingVerdict::refuted;
    return low > margin || high < margin ? FindingVerdict::small : FindingVerdict::undecided;
  };
  switch (claim.comparison) {
    case ComparisonOperator::greater:
      return verdict(low > limits.front(), high <= limits.front());
    case ComparisonOperator::greater_equal:
      return verdict(low >= limits.front(), high < limits.front());
    case ComparisonOperator::less:
      return verdict(high < limits.front(), low >= limits.front());
    case ComparisonOperator::less_equal:
      return verdict(high <= limits.front(), low > limits.front());
    case ComparisonOperator::equal:
    case ComparisonOperator::not_equal: {
      const bool same = low >= limits.front() && high <= limits.back();
      const bool apart = low > limits.back() || high < limits.front();
      return claim.comparison == ComparisonOperator::equal ? verdict(same, apart) : verdict(apart, same);
    }
  }
  return FindingVerdict::undecided;
}

}  // namespace assay::judge
