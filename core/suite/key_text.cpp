// SPDX-License-Identifier: Apache-2.0
//
// Places and keys in words, for messages and the reference page.
#include "suite/key_table.hpp"
#include "text/text.hpp"

#include <array>
#include <string>

namespace assay::suite {

namespace {

// Larger limits are those of the integer type.
constexpr double kUnlimited = 9e18;

struct ScopeRow {
  KeyScope place;
  std::string_view words, definition;
};

constexpr std::array<ScopeRow, 18> kScopeRows{{
    {KeyScope::suite, "a suite", "suite"},
    {KeyScope::one_case, "a case", "case"},
    {KeyScope::requirement, "'requires'", "requires"},
    {KeyScope::policy, "'policy'", "policy"},
    {KeyScope::measure, "'measure'", "measure"},
    {KeyScope::matrix, "'matrix'", "matrix"},
    {KeyScope::variant, "a variant", "variant"},
    {KeyScope::range, "a range", "range"},
    {KeyScope::bind, "'bind'", "bind"},
    {KeyScope::expectation, "an expectation", "expectation"},
    {KeyScope::exit, "'exit'", "exit"},
    {KeyScope::verify, "'verify'", "verify"},
    {KeyScope::metric, "a metric", "metric"},
    {KeyScope::finding, "a finding", "finding"},
    {KeyScope::expected, "'expected'", "expected"},
    {KeyScope::verdict, "a verdict's text", "verdict"},
    {KeyScope::table, "a table", "table"},
    {KeyScope::table_rows, "a row of a table", "table_rows"},
}};

struct FormRow {
  Form form;
  std::string_view words;  // "": it has to be made up
  std::optional<KeyScope> scope = std::nullopt;
};

constexpr std::array<FormRow, 51> kFormRows{{
    {Form::version, "the number 1"},
    {Form::name, "a name of letters, digits, '_' and '-'"},
    {Form::text, "text"},
    {Form::advice, "text"},
    {Form::url, "text"},
    {Form::files, "a path or a list of paths"},
    {Form::benchmark, "a benchmark, like gemm or gemm@cuda"},
    {Form::backends, "a backend or a list of them, like cuda"},
    {Form::libraries, "a library or a list of them, like nccl"},
    {Form::flag, "true or false"},
    {Form::version_text, "a version, like 580.65 or \">=580\""},
    {Form::count, ""},
    {Form::device_count, "a number of devices, like 8 or \">=2\""},
    {Form::memory, "a data size, like 40GiB"},
    {Form::duration, "a time, like 5s or 2min"},
    {Form::percent, "a percentage, like 1%"},
    {Form::choice, ""},
    {Form::devices, "each, all, pairs, a number, or a list of devices"},
    {Form::bind, "none, inherit, local, remote, or {cpu: node:N, memory: node:N}"},
    {Form::node, "a NUMA node, like node:0"},
    {Form::parameters, "a map of parameters to values"},
    {Form::environment, "a map of variables to values or ~"},
    {Form::points, "a list of maps, axis to value"},
    {Form::match, "a map, axis to value or list"},
    {Form::point, "a map, axis to value"},
    {Form::scalar, "a number, with its unit if it has one"},
    {Form::factor, "a number above 1"},
    {Form::relation, "an expression with a comparison, like throughput >= 60% of peak"},
    {Form::let, "a map of names to selectors"},
    {Form::expressions, "a map of names to expressions"},
    {Form::expectations, "a list of comparisons or of maps with 'that'"},
    {Form::arguments, "a list of texts, like [nvbandwidth, -j]"},
    {Form::texts, "a text or a list of texts"},
    {Form::labels, "a map of names to texts"},
    {Form::statuses, "an exit status or a list of them, like 77"},
    {Form::exit, "", KeyScope::exit},
    {Form::verify, "", KeyScope::verify},
    {Form::metrics, "a map of metrics to maps"},
    {Form::cases, "a list of cases"},
    {Form::findings, "a list of findings"},
    {Form::defaults, "a map of a case's keys"},
    {Form::requirement, "", KeyScope::requirement},
    {Form::policy, "", KeyScope::policy},
    {Form::measure, "", KeyScope::measure},
    {Form::matrix, "a map of axes to lists or ranges", KeyScope::matrix},
    {Form::variants, ""},
    {Form::expected, "", KeyScope::expected},
    {Form::verdict, "", KeyScope::verdict},
    {Form::tables, "a list of tables"},
    {Form::rows_of_table, "the id of a case, a map with case and where, or a list of them"},
    {Form::row_of_table, "the id of a case, or a map with case and where"},
}};

// A row for each value of the enum, in its order.
template <class Rows, class Member>
constexpr bool is_in_order(const Rows& rows, Member member) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (static_cast<std::size_t>(rows[i].*member) != i) return false;
  return true;
}
static_assert(is_in_order(kScopeRows, &ScopeRow::place) && kScopeRows.back().place == KeyScope::table_rows);
static_assert(is_in_order(kFormRows, &FormRow::form) && kFormRows.back().form == Form::row_of_table);

const FormRow& row_of(Form form) { return kFormRows.at(static_cast<std::size_t>(form)); }

std::string bounds(const Key& key) {
  const std::string from = std::to_string(static_cast<long long>(key.minimum));
  if (key.maximum >= kUnlimited) return "a whole number from " + from;
  return "a whole number from " + from + " to " + std::to_string(static_cast<long long>(key.maximum));
}

}  // namespace

std::string_view describe(KeyScope place) { return kScopeRows.at(static_cast<std::size_t>(place)).words; }

std::string_view definition_of(KeyScope place) {
  return kScopeRows.at(static_cast<std::size_t>(place)).definition;
}

std::optional<KeyScope> scope_of(Form form) { return row_of(form).scope; }

std::string describe(const Key& key) {
  const FormRow& row = row_of(key.form);
  if (!row.words.empty()) return std::string(row.words);
  if (row.scope) return "a map with " + join(key_names(*row.scope), ", ");
  if (key.form == Form::count) return bounds(key);
  if (key.form == Form::variants)
    return "a map of names to maps of " + join(key_names(KeyScope::variant), ", ");
  return (key.values.size() == 1 ? "" : "one of: ") + join(key.values, ", ");
}

}  // namespace assay::suite
