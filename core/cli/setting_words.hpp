// SPDX-License-Identifier: Apache-2.0
//
// key=value words of a command line as the YAML of a case.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace assay::cli {

using SettingText = std::pair<std::string, std::string>;

// With escapes that YAML reads as JSON does, so that no word means anything else.
[[nodiscard]] std::string yaml_text(const std::string& word);

// Quoted where YAML would read something else than the text.
[[nodiscard]] std::string yaml_scalar(const std::string& text);

// What a setting may name besides a parameter and env.NAME.
[[nodiscard]] std::vector<std::string> setting_keys();

// The text in letters that an id may have; `prefix` comes first where it would not begin with one.
[[nodiscard]] std::string id_from(std::string text, const std::string& prefix);

// One side of a question: what reports are to call it, and the row, as a selector names it.
struct AskedRow {
  std::string name, selector;
};
// A question as an entry of `findings`: is `row` less or more ("<", ">") than `base`? What cannot be a name of `let` is called
// `this` and `base` there, and by its name in reports.
[[nodiscard]] std::string finding_text(const std::string& id, const std::string& question,
                                       const AskedRow& row, const std::string& is, const AskedRow& base);

// The values of an axis as they are written, "a,b,c", without spaces around the commas; of a range none.
[[nodiscard]] std::vector<std::string> listed_values(const std::string& text);

// Throws Error "usage.parameter" for a key that suites have and a command line cannot give, such as `expect`.
void refuse_key_of_suites(const std::string& key);

// The keys of a case behind its `uses`, each with its lines. "a,b,c", "from..to*factor" and "from..to+step" are axes.
struct CaseText {
  std::string with, matrix, env, measure, rest;

  void add_parameter(const SettingText& setting, bool is_boolean = false);
  // False, and nothing is added, if it is not a key of a case, of `measure` or an env.NAME. Throws Error "usage.parameter" for a
  // reference that is not written axis=value.
  [[nodiscard]] bool add_key(const SettingText& setting);
  [[nodiscard]] std::string text() const;
};

}  // namespace assay::cli
