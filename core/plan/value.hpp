// SPDX-License-Identifier: Apache-2.0
//
// From what a suite wrote to what a plugin gets. Internal to this component.
#pragma once

#include "base/diagnostics.hpp"
#include "base/json.hpp"
#include "catalog/manifest.hpp"
#include "suite/suite.hpp"

#include <optional>
#include <string>

namespace assay::plan {

struct TypedValue {
  Json value;           // in base units
  std::string text;     // the one text of this value: 67108864 bytes are "64MiB"
  std::string written;  // as the suite has it, where that has a unit: "65536 kB"; else empty
};

// The value as the parameter's type, in its range and among its values; otherwise a report at the scalar's
// position. Integers with a unit of data may be plain numbers of bytes; every other unit must be written.
[[nodiscard]] std::optional<TypedValue> type_value(const catalog::Parameter& parameter,
                                                   const suite::Scalar& scalar, Diagnostics& diagnostics);

// What identifiers show of a value: what was written, "65536kB", where that has a unit and is plain and short; else its one text.
[[nodiscard]] std::string id_text(const TypedValue& typed);

// Text with everything that would end or split an identifier written as %XX: spaces, commas, brackets,
// quotes, controls.
[[nodiscard]] std::string id_text(const std::string& text);

}  // namespace assay::plan
