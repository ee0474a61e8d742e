// SPDX-License-Identifier: Apache-2.0
//
// The variants of a case, compared with each other: what each sets, and what it leaves as the case has it. Internal to
// this component.
#pragma once

#include "base/diagnostics.hpp"
#include "catalog/catalog.hpp"
#include "plan/points.hpp"
#include "suite/suite.hpp"

#include <optional>
#include <string>
#include <vector>

namespace assay::plan {

// Fills in, as the value of each, what any of them sets: name → text, as it is or as the case has it; null for a variable
// that is removed, nothing where nobody says anything. Reports variants that are the same, and one without a value that
// the benchmark needs.
void resolve_variants(const suite::SuiteCase& one, const catalog::Benchmark& benchmark,
                      const suite::SuiteAxis& written, std::vector<Choice>& variants,
                      Diagnostics& diagnostics);

// The identifier of the first one's plugin, if every variant names one: several may offer the benchmark. Else "".
[[nodiscard]] std::string plugin_of_variants(const suite::SuiteCase& one, const catalog::Catalog& catalog);

// Of the plugin that a variant names, which does the same work as the usual one; nothing after a report.
[[nodiscard]] std::optional<catalog::Provider> provider_of_variant(const suite::Located<std::string>& named,
                                                                   const suite::SuiteCase& one,
                                                                   const catalog::Provider& usual,
                                                                   const catalog::Catalog& catalog,
                                                                   Diagnostics& diagnostics);

// How a variant's value says a setting: a text as it is, a number with its unit, null for what is removed. `text` is that of an id, which
// has signs of a text as %20.
[[nodiscard]] Json variant_value(const Json& value, const std::string& text);

// "each", "4", "cuda:0+cuda:2"; "" if nothing is said.
[[nodiscard]] std::string to_text(const suite::DeviceChoice& devices);

}  // namespace assay::plan
