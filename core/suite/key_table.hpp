// SPDX-License-Identifier: Apache-2.0
//
// Every key of a suite, once. The parser finds a key's reader and its suggestions here, the JSON Schema its
// properties and the reference page its rows, so that none of the three can know a key that the others don't.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace assay::suite {

// A map that has keys of its own.
enum class Place {
  suite,
  one_case,
  requirement,
  policy,
  measure,
  matrix,
  range,
  bind,
  expectation,
  exit,    // of an external command
  verify,  // of an external command
  metric,  // of an external command
  finding,
  verdict
};

// What a key's value looks like. Each form has one reader, one schema and one description.
enum class Form {
  version,
  name,  // letters, digits, '_' and '-'; a suite's name may have dots
  text,
  url,           // kept for editors, not read
  files,         // a path or a list of them
  benchmark,     // gemm, gemm@cuda, gemm@cuda:com.acme.fastgemm
  backends,      // a name or a list of them
  libraries,     // the same
  flag,          // true or false
  version_text,  // 580.65 or ">=580"
  count,         // a whole number
  device_count,  // 8 or ">=2"
  memory,        // a data size
  duration,
  percent,
  choice,        // one of Key::values
  devices,       // each, all, pairs, a count or a list
  bind,          // a choice or {cpu, memory}
  node,          // node:N
  parameters,    // parameter -> value
  environment,   // variable -> value or ~
  points,        // a list of maps, axis -> value or list
  match,         // axis -> value or list
  point,         // axis -> value
  scalar,        // a number or a quantity
  factor,        // a number
  relation,      // an expression with a comparison
  let,           // name -> expression
  expressions,   // name -> expression without selectors
  expectations,  // a list of relations or of maps
  arguments,     // a list of texts
  statuses,      // an exit status or a list of them
  exit,
  verify,
  metrics,  // name -> map
  cases,
  findings,
  defaults,
  requirement,
  policy,
  measure,
  matrix,
  verdict
};

enum class KeyId {
  suite_schema,
  suite_version,
  suite_name,
  suite_description,
  suite_requires,
  suite_policy,
  suite_include,
  suite_defaults,
  suite_cases,
  suite_derive,
  suite_findings,
  case_id,
  case_uses,
  case_backend,
  case_with,
  case_matrix,
  case_env,
  case_devices,
  case_load,
  case_ranks,
  case_bind,
  case_processes,
  case_measure,
  case_timeout,
  case_requires,
  case_when,
  case_reference,
  case_expect,
  case_command,
  case_shell,
  case_directory,
  case_exit,
  case_verify,
  case_metrics,
  requires_backend,
  requires_devices,
  requires_memory,
  requires_driver,
  requires_libraries,
  policy_strict,
  policy_complete,
  policy_stated,
  policy_alone,
  measure_option,
  matrix_exclude,
  matrix_include,
  range_from,
  range_to,
  range_factor,
  range_step,
  bind_cpu,
  bind_memory,
  expect_that,
  expect_where,
  expect_say,
  expect_alone,
  exit_passed,
  exit_skipped,
  verify_pattern,
  verify_exit,
  metric_json,
  metric_pattern,
  metric_from,
  metric_take,
  metric_unit,
  metric_direction,
  metric_as,
  finding_id,
  finding_question,
  finding_let,
  finding_claim,
  finding_over,
  finding_assert,
  finding_confirmed,
  finding_refuted,
  finding_undecided,
  verdict_say,
  verdict_do
};

struct Key {
  KeyId id;
  Place place;
  std::string_view name;
  Form form;
  std::string_view doc;                  // one line, for editors and the reference page
  std::string_view fallback;             // what holds without the key; "" if nothing is to be said
  std::string_view since;                // first version with it
  std::string_view example;              // as YAML flow
  std::vector<std::string> values = {};  // of a choice
  double minimum = 0;                    // of counts; of durations in seconds and shares, exclusive
  double maximum = std::numeric_limits<double>::infinity();
  bool required = false;
  bool axis = false;  // may be the name of an axis
};

[[nodiscard]] const std::vector<Key>& keys();
[[nodiscard]] std::vector<const Key*> keys_of(Place place);
// nullptr if there is no such key there.
[[nodiscard]] const Key* find_key(Place place, std::string_view name);
[[nodiscard]] std::vector<std::string> key_names(Place place);

// "a case", "a finding": where a key stands, for messages.
[[nodiscard]] std::string_view describe(Place place);
// "a time, like 5s": what a value should be, for messages and the reference page.
[[nodiscard]] std::string describe(const Key& key);

// Words that may be axes without being parameters: bind, load, devices, ranks, cache, launch, data, thermal,
// seed.
[[nodiscard]] std::vector<std::string> axis_words();

// Words that no parameter may have as its name, because a suite, an identifier or an expression means
// something else by them. Manifests are checked against this list, too.
[[nodiscard]] const std::vector<std::string>& reserved_words();
[[nodiscard]] bool is_reserved(std::string_view word);

}  // namespace assay::suite
