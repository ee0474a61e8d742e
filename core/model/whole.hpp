// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/document.hpp"
#include "model/field_json.hpp"

#include <string>
#include <string_view>

namespace assay::model {

// The struct that a text is, read leniently and to its end: what breaks off is not a document either. Throws Unreadable; `what` is how its
// message names the text.
template <class T>
[[nodiscard]] T whole(std::string_view source, const std::string& what) {
  try {
    JsonCursor cursor(source);
    if (cursor.kind() != JsonKind::object) throw Unreadable(what + " is not a JSON object");
    auto out = from_text<T>(cursor, kLenient);
    cursor.end();
    return out;
  } catch (const BadJson& bad) {
    throw Unreadable(what + (bad.is_deep
                                 ? " is nested deeper than " + std::to_string(kMaximumJsonDepth) + " levels"
                                 : " is not a JSON object"));
  }
}

}  // namespace assay::model
