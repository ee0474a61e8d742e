// SPDX-License-Identifier: Apache-2.0
#include "yaml/node.hpp"

#include "base/suggest.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"
#include "yaml/source_check.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

namespace assay::yaml {

namespace {

// Ends the parse from inside a callback; what happened was reported.
struct StopReading {};

// Past the anchor and the tag that may stand before a value.
std::size_t skip_properties(const std::string& text, std::size_t at) {
  constexpr const char* kBlank = " \t\r\n";
  while (at < text.size() && (text[at] == '&' || text[at] == '!')) {
    at = std::min(text.find_first_of(kBlank, at), text.size());
    at = std::min(text.find_first_not_of(kBlank, at), text.size());
  }
  return at;
}

// Builds the tree from yaml-cpp's events, which, unlike its nodes, tell plain text from quoted and show
// duplicates.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(std::shared_ptr<const Source> source, Diagnostics& diagnostics)
      : source_(std::move(source)), diagnostics_(diagnostics) {}

  [[nodiscard]] NodePtr root() const { return root_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (started_) {
      diagnostics_.error(source_->code("documents"), place(mark), "a second document in one file",
                         "keep one document a file; combine files with 'include'");
      throw StopReading{};
    }
    started_ = true;
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    auto node = begin(mark, Node::Kind::null);
    const std::string_view rest = std::string_view(source_->text).substr(node->offset);
    for (const std::string_view written : {"~", "null", "Null", "NULL"})
      if (rest.starts_with(written)) node->text = written;
    // A value that isn't there is "at" whatever follows; the place to look is where it should have been.
    if (node->text.empty() && !levels_.empty())
      node->position = (levels_.back().key ? *levels_.back().key : *levels_.back().node).position;
    add(node, anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      diagnostics_.error(source_->code("alias"), place(mark), "an alias inside the value that it stands for",
                         "write the value out");
      throw StopReading{};
    }
    count(found->second->nodes, mark);
    if (static_cast<int>(levels_.size()) + found->second->depth > kMaximumDepth) too_deep(place(mark));
    add(found->second, 0);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    auto node = begin(mark, Node::Kind::scalar);
    node->text = value;
    node->quoted = tag != "?";
    check_tag(tag, node->position);
    if (node->quoted) check_closed(*node);
    add(node, anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(mark, Node::Kind::list, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(mark, Node::Kind::map, tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct OpenNode {
    std::shared_ptr<Node> node;
    YAML::anchor_t anchor = 0;
    NodePtr key;  // of a map, once read
    std::set<std::string> keys;
  };

  [[nodiscard]] Position place(const YAML::Mark& mark) const {
    return {source_->file, mark.line + 1, mark.column + 1 + (mark.line == 0 ? source_->column_offset : 0)};
  }

  void count(std::size_t nodes, const YAML::Mark& mark) {
    nodes_ += nodes;
    if (nodes_ <= kMaximumNodes) return;
    diagnostics_.error(
        source_->code("limit"), place(mark),
        "the file has more than " + std::to_string(kMaximumNodes) + " values, aliases included",
        "use fewer aliases, or ranges instead of lists");
    throw StopReading{};
  }

  std::shared_ptr<Node> begin(const YAML::Mark& mark, Node::Kind kind) {
    count(1, mark);
    auto node = std::make_shared<Node>();
    node->kind = kind;
    node->source = source_;
    node->position = place(mark);
    node->offset = std::min(static_cast<std::size_t>(std::max(mark.pos, 0)), source_->text.size());
    return node;
  }

  void check_tag(const std::string& tag, const Position& position) {
    if (tag == "?" || tag == "!" || tag.empty()) return;
    diagnostics_.error(source_->code("tag"), position, "a YAML tag ('" + printable(tag) + "')",
                       "leave it out; quotes make text, nothing else needs a tag");
  }

  // yaml-cpp takes the end of the file for a closing quote.
  void check_closed(const Node& node) const {
    const std::string& text = source_->text;
    std::size_t i = skip_properties(text, node.offset);
    const char quote = i < text.size() ? text[i] : '\0';
    if (quote != '"' && quote != '\'') return;
    for (++i; i < text.size() && text[i] != quote; ++i)
      if (quote == '"' && text[i] == '\\') ++i;
    if (i < text.size()) return;
    diagnostics_.error(source_->code("syntax"), node.position,
                       "this is not YAML: the text that begins here has no closing quote",
                       std::string("add a closing ") + quote);
    throw StopReading{};
  }

  [[noreturn]] void too_deep(const Position& position) {
    diagnostics_.error(source_->code("limit"), position,
                       "lists and maps are nested deeper than " + std::to_string(kMaximumDepth) + " levels",
                       source_->of_suites("no suite needs more; check the brackets"));
    throw StopReading{};
  }

  void open(const YAML::Mark& mark, Node::Kind kind, const std::string& tag, YAML::anchor_t anchor) {
    auto node = begin(mark, kind);
    check_tag(tag, node->position);
    if (static_cast<int>(levels_.size()) >= kMaximumDepth) too_deep(node->position);
    node->depth = 1;
    levels_.push_back({std::move(node), anchor, nullptr, {}});
  }

  void close() {
    OpenNode level = std::move(levels_.back());
    levels_.pop_back();
    add(level.node, level.anchor);
  }

  void add(const NodePtr& node, YAML::anchor_t anchor) {
    if (anchor != 0) anchors_[anchor] = node;
    if (levels_.empty()) {
      root_ = node;
      return;
    }
    OpenNode& level = levels_.back();
    level.node->nodes += node->nodes;
    level.node->depth = std::max(level.node->depth, node->depth + 1);
    if (level.node->kind == Node::Kind::list) {
      level.node->items.push_back(node);
    } else if (!level.key) {
      level.key = node;
    } else {
      const NodePtr key = std::move(level.key);
      level.key = nullptr;
      if (accept_key(level, *key)) level.node->entries.emplace_back(key, node);
    }
  }

  bool accept_key(OpenNode& level, const Node& key) {
    if (key.kind != Node::Kind::scalar) {
      diagnostics_.error(source_->code("key"), key.position, "a key must be a word, not " + describe(key),
                         "write 'key: value'");
      return false;
    }
    if (key.text == "<<" && !key.quoted) {
      diagnostics_.error(
          source_->code("merge-key"), key.position, "merge keys ('<<') are not part of YAML 1.2",
          source_->of_suites("put shared settings under 'defaults', or use an alias for a whole value"));
      return false;
    }
    if (level.keys.insert(key.text).second) return true;
    const auto first = std::find_if(level.node->entries.begin(), level.node->entries.end(),
                                    [&](const auto& entry) { return entry.first->text == key.text; });
    const std::string line = std::to_string(first->first->position.line);
    diagnostics_.error(source_->code("duplicate-key"), key.position,
                       "key '" + printable(key.text) + "' is there twice, first in line " + line,
                       "keep one of them");
    return false;
  }

  std::shared_ptr<const Source> source_;
  Diagnostics& diagnostics_;
  std::vector<OpenNode> levels_;
  std::map<YAML::anchor_t, NodePtr> anchors_;
  NodePtr root_;
  std::size_t nodes_ = 0;
  bool started_ = false;
};

constexpr std::string_view kUnknownAnchor = "the referenced anchor is not defined";

// What yaml-cpp found wrong; its later versions add the alias's name to one message.
std::string syntax_problem(const std::string& message) {
  return message.starts_with(kUnknownAnchor) ? std::string(kUnknownAnchor) : printable(message);
}

// What to do about it, where yaml-cpp doesn't say.
std::string syntax_hint(const std::string& message) {
  const auto has = [&](const char* text) { return message.find(text) != std::string::npos; };
  if (has(YAML::ErrorMsg::MAP_VALUE)) return "quote a value that has ': ' in it; check the indentation";
  if (has(YAML::ErrorMsg::END_OF_MAP_FLOW))
    return "a ',' or '}' is missing; quote a value that has brackets in it";
  if (has(YAML::ErrorMsg::END_OF_SEQ_FLOW))
    return "a ',' or ']' is missing; quote a value that has brackets in it";
  if (has(YAML::ErrorMsg::FLOW_END)) return "a ']' or '}' too many";
  if (has(YAML::ErrorMsg::END_OF_MAP) || has(YAML::ErrorMsg::END_OF_SEQ)) return "check the indentation";
  if (has(YAML::ErrorMsg::ALIAS_NOT_FOUND) || message.starts_with(kUnknownAnchor))
    return "quote a value that begins with '*'";
  if (has(YAML::ErrorMsg::ANCHOR_NOT_FOUND)) return "quote a value that begins with '&'";
  if (has(YAML::ErrorMsg::UNKNOWN_TOKEN))
    return "quote a value that begins with '%', '@' or '`', or has '?' before ','";
  if (has(YAML::ErrorMsg::EOF_IN_SCALAR)) return "a closing quote is missing";
  return {};
}

}  // namespace

const Node* Node::find(std::string_view key) const {
  for (const auto& [name, value] : entries)
    if (name->text == key) return value.get();
  return nullptr;
}

NodePtr read_yaml(const std::shared_ptr<const Source>& source, Diagnostics& diagnostics) {
  if (!check_source(*source, diagnostics)) return nullptr;
  TreeBuilder builder(source, diagnostics);
  std::istringstream stream(source->text);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const StopReading&) {
    return nullptr;
  } catch (const YAML::Exception& problem) {
    Position position{source->file, 1, 1 + source->column_offset};
    if (!problem.mark.is_null()) {
      position.line = problem.mark.line + 1;
      position.column = problem.mark.column + 1 + (problem.mark.line == 0 ? source->column_offset : 0);
    }
    diagnostics.error(source->code("syntax"), position, "this is not YAML: " + syntax_problem(problem.msg),
                      syntax_hint(problem.msg));
    return nullptr;
  }
  if (!builder.root())
    diagnostics.error(source->code("empty"), {source->file, 1, 1 + source->column_offset},
                      "there is nothing in it", source->of_suites("a suite begins with 'version: 1'"));
  return builder.root();
}

std::vector<Position> places_of(const Node& scalar) {
  const std::string& source = scalar.source->text;
  std::size_t at = scalar.offset;
  Position place = scalar.position;
  const auto byte = [&] { return at < source.size() ? source[at] : '\0'; };
  const auto blank = [&] { return byte() == ' ' || byte() == '\n' || byte() == '\r' || byte() == '\t'; };
  const auto advance = [&] {
    if (byte() == '\n') {
      ++place.line;
      place.column = 1;
    } else {
      ++place.column;
    }
    ++at;
  };
  const std::size_t value = skip_properties(source, at);
  while (at < value) advance();
  const char style = scalar.quoted ? byte() : '\0';
  if (style == '"' || style == '\'') advance();
  if (style == '|' || style == '>')
    while (at < source.size() && byte() != '\n') advance();

  std::vector<Position> places;
  places.reserve(scalar.text.size() + 1);
  for (const char wanted : scalar.text) {
    const bool space = wanted == ' ' || wanted == '\n' || wanted == '\t';
    if (space) {
      places.push_back(place);
      if (blank()) advance();
      continue;
    }
    while (at < source.size() && blank()) advance();
    if (style == '"' && byte() == '\\' && at + 1 < source.size()) {
      places.push_back(place);
      advance();
      if (byte() == wanted || !std::isalnum(static_cast<unsigned char>(byte()))) advance();
      continue;
    }
    if (style == '\'' && wanted == '\'' && byte() == '\'') {
      places.push_back(place);
      advance();
      advance();
      continue;
    }
    places.push_back(place);
    if (byte() == wanted) advance();
  }
  places.push_back(place);
  return places;
}

bool is_map_of(const Node& node, const std::string& what, const std::vector<std::string>& keys,
               const std::string& code, Diagnostics& diagnostics) {
  if (node.kind != Node::Kind::map) {
    diagnostics.error(code, node.position, what + " is not a map", "one of: " + join(keys, ", "));
    return false;
  }
  for (const auto& [key, value] : node.entries)
    if (!contains(keys, key->text))
      diagnostics.error(code, key->position, "unknown key '" + printable(key->text) + "' in " + what,
                        suggestion(key->text, keys));
  return true;
}

bool is_file_of(const Node& document, const std::string& these, const std::vector<std::string>& keys,
                const std::string& code, Diagnostics& diagnostics) {
  if (!is_map_of(document, "a file of " + these, keys, code, diagnostics)) return false;
  const Node* version = document.find("version");
  if (version != nullptr && version->text == "1") return true;
  diagnostics.error(code, (version == nullptr ? document : *version).position,
                    "this program reads " + these + " of version 1", "begin the file with 'version: 1'");
  return false;
}

std::string describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return "nothing";
    case Node::Kind::list:
      return "a list";
    case Node::Kind::map:
      return "a map";
    case Node::Kind::scalar:
      break;
  }
  constexpr std::size_t kLongest = 80;
  const bool long_text = node.text.size() > kLongest;
  const std::string text = printable(long_text ? node.text.substr(0, kLongest) + "…" : node.text);
  return (node.quoted ? "the text '" : "'") + text + "'";
}

}  // namespace assay::yaml
