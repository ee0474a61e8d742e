// SPDX-License-Identifier: Apache-2.0
#include "judge/document_text.hpp"

#include "base/text.hpp"

#include <utility>

namespace assay::judge {
namespace {

// Texts come from plugins, files and the environment; a document that cannot be written helps nobody.
void make_printable(Json& json) {
  if (json.is_string())
    json = printable(json.get_ref<const std::string&>());
  else if (json.is_structured())
    for (Json& each : json) make_printable(each);
}

}  // namespace

void DocumentText::add(std::string_view name, Json value) {
  key(name);
  append(std::move(value), 1);
}

void DocumentText::begin_list(std::string_view name) {
  key(name);
  text_ += '[';
  any_element_ = false;
}

void DocumentText::element(Json value) {
  text_ += any_element_ ? ",\n  " : "\n  ";
  any_element_ = true;
  append(std::move(value), 2);
}

void DocumentText::end_list() { text_ += any_element_ ? "\n ]" : "]"; }

std::string DocumentText::take() {
  text_ += any_key_ ? "\n}\n" : "}\n";
  return std::move(text_);
}

void DocumentText::key(std::string_view name) {
  text_ += any_key_ ? ",\n \"" : "\n \"";
  any_key_ = true;
  text_ += name;
  text_ += "\": ";
}

void DocumentText::append(Json value, std::size_t depth) {
  make_printable(value);
  const std::string piece = value.dump(1);
  // Inside of texts a newline is written as \n, so every newline here begins a line.
  std::size_t begin = 0;
  for (std::size_t end = piece.find('\n'); end != std::string::npos; end = piece.find('\n', begin)) {
    text_.append(piece, begin, end + 1 - begin);
    text_.append(depth, ' ');
    begin = end + 1;
  }
  text_.append(piece, begin);
}

}  // namespace assay::judge
