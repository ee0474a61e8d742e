// SPDX-License-Identifier: Apache-2.0
#include "model/cursor.hpp"

#include <cstdint>

namespace assay::model {

JsonKind TreeCursor::kind() const {
  switch (json_->type()) {
    case Json::value_t::object:
      return JsonKind::object;
    case Json::value_t::array:
      return JsonKind::array;
    case Json::value_t::string:
      return JsonKind::text;
    case Json::value_t::boolean:
      return JsonKind::boolean;
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
    case Json::value_t::number_float:
      return JsonKind::number;
    default:
      return JsonKind::null;
  }
}

Json TextCursor::json() const {
  Json out;
  switch (kind()) {
    case JsonKind::object:
      out = Json::object();
      members([&](const TextCursor& value, std::string_view key) { out[std::string(key)] = value.json(); });
      return out;
    case JsonKind::array:
      out = Json::array();
      elements([&](const TextCursor& element) { out.push_back(element.json()); });
      return out;
    case JsonKind::text: {
      std::string shown;
      text(shown);
      return shown;
    }
    case JsonKind::boolean:
      return boolean();
    case JsonKind::number: {
      const JsonNumber number = cursor_->number();
      if (const auto natural = number.integer<std::uint64_t>(); natural && number.digits.front() != '-')
        return *natural;
      if (const auto whole = number.integer<std::int64_t>()) return *whole;
      return number.value();
    }
    case JsonKind::null:
      pass();
      return out;
  }
  return out;
}

}  // namespace assay::model
