// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json.hpp"

#include <string>
#include <string_view>

namespace assay::judge {

// The text of a document, byte for byte what dump(1) gives of the whole, without the whole ever being a tree:
// of 10,000 cases that would take ten times the text's memory. Keys and elements stand in the order in which
// they are added; texts are made printable. Keys are plain words.
class DocumentText {
 public:
  void add(std::string_view key, Json value);
  // A list, element by element.
  void begin_list(std::string_view key);
  void element(Json value);
  void end_list();
  // Ends the document, with a final newline.
  [[nodiscard]] std::string take();

 private:
  void key(std::string_view name);
  void append(Json value, std::size_t depth);

  std::string text_ = "{";
  bool any_key_ = false;
  bool any_element_ = false;
};

}  // namespace assay::judge
