// SPDX-License-Identifier: Apache-2.0
#include "cli/amounts.hpp"

#include "base/error.hpp"
#include "base/quantity.hpp"
#include "text/text.hpp"

namespace assay::cli {

double share_of(const std::string& option, const std::string& text) {
  const auto quantity = parse_quantity(text);
  if (quantity && quantity->dimension.none() && quantity->value >= 0 && quantity->value < 1)
    return quantity->value;
  throw Error("usage.share", option + " cannot be '" + printable(text) +
                                 "' (it is a share from 0 to below 1, such as 2% or 0.02)");
}

double seconds_of(const std::string& option, const std::string& text) {
  const auto quantity = parse_quantity(text);
  if (quantity && quantity->dimension == parse_unit("s")->dimension && quantity->value > 0)
    return quantity->value;
  throw Error("usage.time",
              option + " cannot be '" + printable(text) + "' (it is a time above 0, such as 10min or 90s)");
}

}  // namespace assay::cli
