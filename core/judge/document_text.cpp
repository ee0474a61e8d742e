// SPDX-License-Identifier: Apache-2.0
#include "judge/document_text.hpp"

#include "model/document.hpp"

#include <utility>

namespace assay::judge {
void DocumentText::add(std::string_view name, Json value) {
  key(name);
  append(std::move(value));
}

void DocumentText::add_members(const Json& object) {
  for (const auto& [name, value] : object.items()) add(name, value);
}

void DocumentText::begin_object(std::string_view name) { begin(name, '}'); }

void DocumentText::begin_list(std::string_view name) { begin(name, ']'); }

void DocumentText::element(Json value) {
  next_line();
  append(std::move(value));
}

void DocumentText::end() {
  const OpenObject ended = open_.back();
  open_.pop_back();
  if (!ended.empty) text_.append(1, '\n').append(open_.size(), ' ');
  text_ += ended.closer;
}

std::string DocumentText::take() {
  end();
  text_ += '\n';
  return std::move(text_);
}

void DocumentText::begin(std::string_view name, char closer) {
  key(name);
  text_ += closer == ']' ? '[' : '{';
  open_.push_back({closer});
}

void DocumentText::next_line() {
  text_ += open_.back().empty ? "\n" : ",\n";
  text_.append(open_.size(), ' ');
  open_.back().empty = false;
}

void DocumentText::key(std::string_view name) {
  next_line();
  text_ += '"';
  text_ += name;
  text_ += "\": ";
}

void DocumentText::append(Json value) {
  model::make_printable(value);
  const std::string piece = value.dump(1);
  // Inside of texts a newline is written as \n, so every newline here begins a line.
  std::size_t begin = 0;
  for (std::size_t end = piece.find('\n'); end != std::string::npos; end = piece.find('\n', begin)) {
    text_.append(piece, begin, end + 1 - begin);
    text_.append(open_.size(), ' ');
    begin = end + 1;
  }
  text_.append(piece, begin);
}

}  // namespace assay::judge
