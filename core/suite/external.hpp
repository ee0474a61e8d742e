// SPDX-License-Identifier: Apache-2.0
//
// Cases that use `external`: any command, whose metrics the case itself declares.
#pragma once

#include "base/diagnostics.hpp"
#include "suite/fields.hpp"
#include "suite/suite.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::suite {

// The placeholder for the number of a case's devices; no parameter may have this name.
inline constexpr const char* kDeviceCount = "device_count";

// Whether cases of this benchmark have keys of their own, and declare their parameters and metrics themselves.
[[nodiscard]] bool is_of_commands(std::string_view benchmark);
[[nodiscard]] bool runs_command(const SuiteCase& one);

// Readers that rows of the key table are bound to.
void read_command(const MapFields& fields, const Key& key, const Node& node, External& out);
void read_shell(const MapFields& fields, const Key& key, const Node& node, External& out);
void read_metrics(const MapFields& fields, const Key& key, const Node& node, External& out);

// Reports a command's keys in other cases, and in its own: neither or both of command and shell, parameters
// that the command does not use, placeholders that mean nothing, metrics without one source, patterns and
// pointers that are none.
void check_external(const SuiteCase& one, Diagnostics& diagnostics);

// Names that `with` and `matrix` give values to, in the order written. An external case has no others.
[[nodiscard]] std::vector<std::string> external_parameters(const SuiteCase& one);

// The text with each {NAME} replaced by what `value` says of it; one of which it says nothing stays. {{NAME}}
// becomes {NAME}; every other brace stands for itself.
using PlaceholderValue = std::function<std::optional<std::string>(const std::string& name)>;
[[nodiscard]] std::string fill_placeholders(const std::string& text, const PlaceholderValue& value);

// Why the text is not a regular expression for `pattern`, or "". `groups` gets the number of its groups.
[[nodiscard]] std::string pattern_problem(const std::string& text, std::size_t& groups);

}  // namespace assay::suite
