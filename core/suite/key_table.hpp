// SPDX-License-Identifier: Apache-2.0
//
// Every key of a suite, once, bound to the member that it sets. The parser finds a key's reader and its
// suggestions here, the JSON Schema its properties and the reference page its rows, so that none of the three
// can know a key that the others don't.
#pragma once

#include "yaml/node.hpp"

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::suite {

// A map that has keys of its own.
enum class KeyScope {
  suite,
  one_case,
  requirement,
  policy,
  measure,
  matrix,
  variant,
  range,
  bind,
  expectation,
  exit,    // of an external command
  verify,  // of an external command
  metric,  // of an external command
  finding,
  expected,
  verdict,
  table,
  table_rows
};

// What a key's value looks like. Each form has one reader, one schema and one description.
enum class Form {
  version,
  name,  // letters, digits, '_' and '-'; a suite's name may have dots
  text,
  advice,        // text without numbers
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
  texts,         // a text or a list of them
  labels,        // name of let -> text
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
  variants,  // name -> map
  expected,
  verdict,
  tables,
  rows_of_table,  // a case's id or a map, or a list of them
  row_of_table    // a case's id or a map
};

using yaml::Node;
using yaml::NodePtr;
using yaml::Source;

class MapFields;

struct Key {
  KeyScope place;
  std::string_view name;
  Form form;
  std::string_view doc;                  // one line, for editors and the reference page
  std::string_view example;              // as YAML flow
  std::string_view fallback = {};        // what holds without the key; "" if nothing is to be said
  std::string_view since = "0.1";        // first version with it
  std::vector<std::string> values = {};  // of a choice
  double minimum = 0;                    // of counts; of durations in seconds and shares, exclusive
  double maximum = std::numeric_limits<double>::infinity();
  bool required = false;
  bool axis = false;  // may be the name of an axis
  // Reads the value into the member that the row is bound to; call it through MapFields::read_key, which knows
  // the structure of the key's place.
  std::function<void(const MapFields&, const Key&, const Node&, void*)> read = {};

  Key& one_of(std::vector<std::string> words) { return values = std::move(words), *this; }
  Key& between(double least, double most) { return minimum = least, maximum = most, *this; }
  Key& needed() { return required = true, *this; }
  Key& may_be_axis() { return axis = true, *this; }
};

[[nodiscard]] const std::vector<Key>& keys();
[[nodiscard]] std::vector<const Key*> keys_of(KeyScope place);
// nullptr if there is no such key there.
[[nodiscard]] const Key* find_key(KeyScope place, std::string_view name);
[[nodiscard]] std::vector<std::string> key_names(KeyScope place);

// "a case", "a finding": where a key stands, for messages.
[[nodiscard]] std::string_view describe(KeyScope place);
// What the JSON schema calls it.
[[nodiscard]] std::string_view definition_of(KeyScope place);
// The place whose keys a map of this form has; nothing of other forms.
[[nodiscard]] std::optional<KeyScope> scope_of(Form form);
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
