// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace assay::judge {

// The text of a document, byte for byte what dump(1) gives of the whole, without the whole ever being a tree:
// of 10,000 cases that would take ten times the text's memory. Members and elements stand in the order in
// which they are added, and their texts are made printable. Keys are plain words.
class DocumentText {
 public:
  // Of the object that was begun last; the document itself is the outermost.
  void add(std::string_view key, Json value);
  void add_members(const Json& object);
  void begin_object(std::string_view key);
  void begin_list(std::string_view key);
  // Of the list that was begun last.
  void element(Json value);
  // Ends the object or list that was begun last.
  void end();
  [[nodiscard]] std::size_t size() const { return text_.size(); }
  // Ends the document, with a final newline.
  [[nodiscard]] std::string take();

 private:
  void begin(std::string_view key, char closer);
  void next_line();
  void key(std::string_view name);
  void append(Json value);

  struct OpenObject {
    char closer;
    bool empty = true;
  };
  std::string text_ = "{";
  std::vector<OpenObject> open_ = std::vector<OpenObject>(1, OpenObject{'}'});
};

}  // namespace assay::judge
