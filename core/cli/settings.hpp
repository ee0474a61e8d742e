// SPDX-License-Identifier: Apache-2.0
//
// key=value words of a command line as the YAML of a case.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace assay::cli {

using Setting = std::pair<std::string, std::string>;

// Quoted where YAML would read something else than the text.
[[nodiscard]] std::string yaml_scalar(const std::string& text);

// What a setting may name besides a parameter and env.NAME.
[[nodiscard]] std::vector<std::string> setting_keys();

// The keys of a case behind its `uses`, each with its lines. "a,b,c", "from..to*factor" and "from..to+step" are axes.
struct CaseText {
  std::string with, matrix, env, measure, rest;

  void add_parameter(const Setting& setting, bool is_boolean = false);
  // False, and nothing is added, if it is no key of a case, of `measure` or an env.NAME.
  [[nodiscard]] bool add_key(const Setting& setting);
  [[nodiscard]] std::string text() const;
};

}  // namespace assay::cli
