// SPDX-License-Identifier: Apache-2.0
//
// Places and keys in words, for messages and the reference page.
#include "suite/key_table.hpp"
#include "text/text.hpp"

#include <string>

namespace assay::suite {

namespace {

// Larger limits are those of the integer type.
constexpr double kUnlimited = 9e18;

std::string bounds(const Key& key) {
  const std::string from = std::to_string(static_cast<long long>(key.minimum));
  if (key.maximum >= kUnlimited) return "a whole number from " + from;
  return "a whole number from " + from + " to " + std::to_string(static_cast<long long>(key.maximum));
}

}  // namespace

std::string_view describe(KeyScope place) {
  switch (place) {
    case KeyScope::suite:
      return "a suite";
    case KeyScope::one_case:
      return "a case";
    case KeyScope::requirement:
      return "'requires'";
    case KeyScope::policy:
      return "'policy'";
    case KeyScope::measure:
      return "'measure'";
    case KeyScope::matrix:
      return "'matrix'";
    case KeyScope::variant:
      return "a variant";
    case KeyScope::range:
      return "a range";
    case KeyScope::bind:
      return "'bind'";
    case KeyScope::expectation:
      return "an expectation";
    case KeyScope::exit:
      return "'exit'";
    case KeyScope::verify:
      return "'verify'";
    case KeyScope::metric:
      return "a metric";
    case KeyScope::finding:
      return "a finding";
    case KeyScope::expected:
      return "'expected'";
    case KeyScope::verdict:
      return "a verdict's text";
    case KeyScope::table:
      return "a table";
    case KeyScope::table_rows:
      return "a row of a table";
  }
  return "";
}

std::string describe(const Key& key) {
  const auto choices = [&] { return join(key.values, ", "); };
  switch (key.form) {
    case Form::version:
      return "the number 1";
    case Form::name:
      return "a name of letters, digits, '_' and '-'";
    case Form::text:
    case Form::advice:
    case Form::url:
      return "text";
    case Form::files:
      return "a path or a list of paths";
    case Form::benchmark:
      return "a benchmark, like gemm or gemm@cuda";
    case Form::backends:
      return "a backend or a list of them, like cuda";
    case Form::libraries:
      return "a library or a list of them, like nccl";
    case Form::flag:
      return "true or false";
    case Form::version_text:
      return "a version, like 580.65 or \">=580\"";
    case Form::count:
      return bounds(key);
    case Form::device_count:
      return "a number of devices, like 8 or \">=2\"";
    case Form::memory:
      return "a data size, like 40GiB";
    case Form::duration:
      return "a time, like 5s or 2min";
    case Form::percent:
      return "a percentage, like 1%";
    case Form::choice:
      return key.values.size() == 1 ? choices() : "one of: " + choices();
    case Form::devices:
      return "each, all, pairs, a number, or a list of devices";
    case Form::bind:
      return "none, inherit, local, remote, or {cpu: node:N, memory: node:N}";
    case Form::node:
      return "a NUMA node, like node:0";
    case Form::parameters:
      return "a map of parameters to values";
    case Form::environment:
      return "a map of variables to values or ~";
    case Form::points:
      return "a list of maps, axis to value";
    case Form::match:
      return "a map, axis to value or list";
    case Form::point:
      return "a map, axis to value";
    case Form::scalar:
      return "a number, with its unit if it has one";
    case Form::factor:
      return "a number above 1";
    case Form::relation:
      return "an expression with a comparison, like throughput >= 60% of peak";
    case Form::let:
      return "a map of names to selectors";
    case Form::expressions:
      return "a map of names to expressions";
    case Form::expectations:
      return "a list of comparisons or of maps with 'that'";
    case Form::arguments:
      return "a list of texts, like [nvbandwidth, -j]";
    case Form::texts:
      return "a text or a list of texts";
    case Form::labels:
      return "a map of names to texts";
    case Form::statuses:
      return "an exit status or a list of them, like 77";
    case Form::metrics:
      return "a map of metrics to maps";
    case Form::cases:
      return "a list of cases";
    case Form::findings:
      return "a list of findings";
    case Form::tables:
      return "a list of tables";
    case Form::rows_of_table:
      return "the id of a case, a map with case and where, or a list of them";
    case Form::row_of_table:
      return "the id of a case, or a map with case and where";
    case Form::defaults:
      return "a map of a case's keys";
    case Form::requirement:
    case Form::policy:
    case Form::measure:
    case Form::verdict:
    case Form::expected:
    case Form::exit:
    case Form::verify:
      break;
    case Form::matrix:
      return "a map of axes to lists or ranges";
    case Form::variants:
      return "a map of names to maps of " + join(key_names(KeyScope::variant), ", ");
  }
  const KeyScope inner = key.form == Form::requirement ? KeyScope::requirement
                         : key.form == Form::policy    ? KeyScope::policy
                         : key.form == Form::measure   ? KeyScope::measure
                         : key.form == Form::expected  ? KeyScope::expected
                         : key.form == Form::exit      ? KeyScope::exit
                         : key.form == Form::verify    ? KeyScope::verify
                                                       : KeyScope::verdict;
  return "a map with " + join(key_names(inner), ", ");
}

}  // namespace assay::suite
