// SPDX-License-Identifier: Apache-2.0
//
// A YAML document as a tree with positions, before anyone asks what it means. Stricter than YAML: one
// document, no tags, no merge keys, plain text keys, each key once.
#pragma once

#include "base/diagnostics.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::yaml {

// What a document may cost. Larger ones are refused, so that no input makes the parser run away.
inline constexpr std::size_t kMaximumBytes = std::size_t{1} << 20;
inline constexpr int kMaximumDepth = 32;
inline constexpr std::size_t kMaximumNodes = 100'000;  // aliases count as what they stand for

// The text that nodes point into. Shared by all nodes of one file.
struct Source {
  std::string file;
  std::string text;            // without a byte order mark
  int column_offset = 0;       // added to the columns of line 1; for a value on the command line
  std::string kind = "suite";  // what it is: "suite.syntax" is the code of a problem
  std::size_t most_bytes = kMaximumBytes;

  [[nodiscard]] std::string code(std::string_view problem) const { return kind + "." + std::string(problem); }
  // What only suites have.
  [[nodiscard]] std::string of_suites(std::string hint) const {
    return kind == "suite" ? std::move(hint) : "";
  }
};

struct Node {
  enum class Kind { null, scalar, list, map } kind = Kind::null;
  std::string text;     // of a scalar: decoded; of a null: as written, "~", "null" or ""
  bool quoted = false;  // quoted or a block scalar: text, whatever it looks like
  std::vector<std::shared_ptr<const Node>> items;  // of a list
  // Of a map, key first.
  std::vector<std::pair<std::shared_ptr<const Node>, std::shared_ptr<const Node>>> entries;
  std::shared_ptr<const Source> source;
  std::size_t offset = 0;  // in source->text, of the first byte of the value
  std::size_t nodes = 1;   // in this tree
  int depth = 0;           // of lists and maps in this tree
  Position position;

  [[nodiscard]] const Node* find(std::string_view key) const;
};
using NodePtr = std::shared_ptr<const Node>;

// Reads one document. Returns nullptr after a syntax error and for an empty document; both are errors in
// `diagnostics`. Duplicate keys, tags and merge keys are errors, too, but are only left out of the tree, so that
// one pass finds all problems.
[[nodiscard]] NodePtr read_yaml(const std::shared_ptr<const Source>& source, Diagnostics& diagnostics);

// The place in the file of every byte of a scalar's text, and of its end: text.size() + 1 positions. Follows
// quotes, escapes and folded lines.
[[nodiscard]] std::vector<Position> places_of(const Node& scalar);

// Says with this code what keeps the node from being a map, or is no key of one. True if it is a map.
bool is_map_of(const Node& node, const std::string& what, const std::vector<std::string>& keys,
               const std::string& code, Diagnostics& diagnostics);
// The same of a file of `these` which has to be of version 1.
bool is_file_of(const Node& document, const std::string& these, const std::vector<std::string>& keys,
                const std::string& code, Diagnostics& diagnostics);

// "a list", "text", "a number": what a node is, for messages.
[[nodiscard]] std::string describe(const Node& node);

}  // namespace assay::yaml
