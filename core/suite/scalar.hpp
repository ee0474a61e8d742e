// SPDX-License-Identifier: Apache-2.0
//
// What a YAML scalar is. YAML 1.1 and 1.2 read some words differently; those are refused instead of guessed.
#pragma once

#include "base/diagnostics.hpp"
#include "base/quantity.hpp"
#include "suite/suite.hpp"
#include "yaml/node.hpp"

#include <optional>
#include <string>

namespace assay::suite {

enum class ScalarUse {
  typed,       // a number is a number, true is a boolean
  environment  // the text as it is written
};

// A scalar or null node as a Scalar, or nothing after reporting that it reads differently elsewhere (yes,
// 010, 1:30, 1_000, 0x1F), is not finite or too large, or is a list or map.
[[nodiscard]] std::optional<Scalar> read_scalar(const yaml::Node& node, ScalarUse use,
                                                Diagnostics& diagnostics);

// The value as a quantity: a number, or plain text such as 64MiB. Quoted text is text.
[[nodiscard]] std::optional<Quantity> to_quantity(const Scalar& scalar);

// Equal for scalars that mean the same value: 1024KiB and 1MiB, 1 and 1.0, but not 1 and "1".
[[nodiscard]] std::string value_key(const Scalar& scalar);

}  // namespace assay::suite
