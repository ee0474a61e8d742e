// SPDX-License-Identifier: Apache-2.0
//
// One file, and the files that it includes, as one suite.
#include "base/error.hpp"
#include "base/suggest.hpp"
#include "suite/case_reader.hpp"
#include "suite/finding_reader.hpp"
#include "suite/table_reader.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"
#include "yaml/node.hpp"

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace assay::suite {

namespace {

constexpr std::size_t kMaximumFiles = 64;

std::string printable_path(const std::string& path) { return "'" + printable(path) + "'"; }

class SuiteParser {
 public:
  SuiteParser(const ReadFile& read, Diagnostics& diagnostics)
      : read_(read), diagnostics_(diagnostics), fields_(diagnostics) {}

  Suite run(const std::string& file, const std::string& text) {
    suite_.file = file;
    suite_.source = text;
    if (const NodePtr node = read_map(file, text, diagnostics_)) {
      read_suite(*node, file, true);
    } else {
      complete_ = false;
    }
    if (suite_.cases.empty() && !diagnostics_.has_errors())
      diagnostics_.error("suite.empty", {file, 1, 1}, "the suite has no case", "add one under 'cases'");
    check_derive(suite_.derive, diagnostics_);
    if (complete_) check_selectors(suite_, diagnostics_);
    if (complete_) check_tables(suite_, diagnostics_);
    return std::move(suite_);
  }

 private:
  static NodePtr read_map(const std::string& file, const std::string& text, Diagnostics& diagnostics) {
    auto source = std::make_shared<Source>();
    source->file = file;
    source->text = text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text;
    NodePtr node = read_yaml(std::move(source), diagnostics);
    if (!node || node->kind == Node::Kind::map) return node;
    diagnostics.error("suite.type", node->position, "a suite must be a map, not " + describe(*node),
                      "it begins with 'version: 1'");
    return nullptr;
  }

  // The file's effective defaults. Its cases, derived metrics and findings go to the suite.
  NodePtr read_suite(const Node& node, const std::string& file, bool root) {
    const std::size_t first = suite_.cases.size();
    // Before anything else, whatever the order of keys: later parts build on it.
    NodePtr defaults = include_all(node, file);
    for (const auto& [name, value] : node.entries)
      if (name->text == "defaults") defaults = add_defaults(defaults, value);

    if (root) check_required(node);
    // An included file's name and description are not the suite's, and what it requires is for its cases.
    auto outer = std::tuple(suite_.name, suite_.description, std::exchange(suite_.requires_, {}));
    const Policy policy = suite_.policy;
    (void)fields_.read_map(node, suite_, true);
    if (!root) keep_asked(policy, suite_.policy);
    const Requires needed = suite_.requires_;
    if (!root) std::tie(suite_.name, suite_.description, suite_.requires_) = std::move(outer);
    for (std::size_t i = first; !root && i < suite_.cases.size(); ++i) inherit(suite_.cases[i], needed);
    for (const auto& [name, value] : node.entries) {
      if (value->kind == Node::Kind::null) continue;  // reported with the other keys
      if (name->text == "cases") read_cases(*value, defaults, root ? Requires{} : needed);
      if (name->text == "findings") read_findings(*value);
      if (name->text == "tables") read_tables(*value);
    }
    return defaults;
  }

  void check_required(const Node& node) {
    for (const Key* key : keys_of(KeyScope::suite)) {
      if (!key->required || node.find(key->name) || misspelt(node, KeyScope::suite, *key)) continue;
      if (key->name == "cases" && node.find("include")) continue;
      fields_.error("suite.missing-key", node.position, "a suite needs '" + std::string(key->name) + "'",
                    "add '" + std::string(key->name) + ": " + std::string(key->example) + "'");
    }
  }

  NodePtr add_defaults(const NodePtr& inherited, const NodePtr& own) {
    if (own->kind == Node::Kind::null) return inherited;  // reported with the other keys
    if (own->kind != Node::Kind::map) {
      fields_.wrong(*find_key(KeyScope::suite, "defaults"), *own);
      return inherited;
    }
    SuiteCase scratch;
    read_case(fields_, *own, scratch, true);
    return inherited ? merge_defaults(inherited, own) : own;
  }

  void read_cases(const Node& list, const NodePtr& defaults, const Requires& needed) {
    if (list.kind != Node::Kind::list) return fields_.wrong(*find_key(KeyScope::suite, "cases"), list);
    if (list.items.empty())
      fields_.error("suite.empty", list.position, "'cases' is an empty list",
                    "add a case: {id: gemm, uses: gemm}");
    for (const NodePtr& item : list.items) {
      SuiteCase one;
      const NodePtr merged = merge_defaults(defaults, item);
      read_case(fields_, *merged, one, false);
      if (item->kind != Node::Kind::map) {
        complete_ = false;
        continue;
      }
      check_case(one, diagnostics_);
      inherit(one, needed);
      if (one.id.value.empty()) {
        complete_ = false;
        continue;
      }
      if (is_new(case_ids_, "case", one.id)) suite_.cases.push_back(std::move(one));
    }
  }

  // What one file asks of the run, no file beside it takes back: that is for the suite that includes both.
  static void keep_asked(const Policy& before, Policy& policy) {
    policy.strict = policy.strict || before.strict;
    policy.decided = policy.decided || before.decided;
    for (Located<bool> Policy::*each : {&Policy::complete, &Policy::stated, &Policy::alone})
      if ((before.*each).value) policy.*each = before.*each;
  }

  // What an included file requires, its cases require wherever they run.
  static void inherit(SuiteCase& one, const Requires& needed) {
    if (needed.names_something()) one.of_includes.push_back(needed);
    if (one.requires_.backends.empty()) one.requires_.backends = needed.backends;
    if (!one.requires_.devices) one.requires_.devices = needed.devices;
    if (!one.requires_.memory) one.requires_.memory = needed.memory;
    if (!one.requires_.driver) one.requires_.driver = needed.driver;
    if (one.requires_.libraries.empty()) one.requires_.libraries = needed.libraries;
    if (!one.requires_.position.known()) one.requires_.position = needed.position;
    if (one.backends.empty()) one.backends = needed.backends;
  }

  void read_findings(const Node& list) {
    if (list.kind != Node::Kind::list) return fields_.wrong(*find_key(KeyScope::suite, "findings"), list);
    for (const NodePtr& item : list.items) {
      SuiteFinding finding = read_finding(fields_, *item);
      if (finding.id.value.empty() || is_new(finding_ids_, "finding", finding.id))
        suite_.findings.push_back(std::move(finding));
    }
  }

  void read_tables(const Node& list) {
    if (list.kind != Node::Kind::list) return fields_.wrong(*find_key(KeyScope::suite, "tables"), list);
    for (const NodePtr& item : list.items) {
      SuiteTable table = read_table(fields_, *item);
      if (table.id.value.empty() || is_new(table_ids_, "table", table.id))
        suite_.tables.push_back(std::move(table));
    }
  }

  NodePtr include_all(const Node& node, const std::string& file) {
    const Node* list = node.find("include");
    if (!list || list->kind == Node::Kind::null) return nullptr;
    open_.push_back(std::filesystem::path(file).lexically_normal().string());
    NodePtr defaults;
    for (const auto& path : fields_.files(*find_key(KeyScope::suite, "include"), *list))
      if (const NodePtr more = include(path, file))
        defaults = defaults ? merge_defaults(defaults, more) : more;
    open_.pop_back();
    return defaults;
  }

  NodePtr include(const Located<std::string>& path, const std::string& file) {
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    const std::string target = (folder / path.value).lexically_normal().string();
    if (contains(open_, target)) {
      fields_.error("suite.include", path.position,
                    "the include goes in a circle: " + join(open_, " includes ") + " includes " + target,
                    "remove one of the includes");
      complete_ = false;
      return nullptr;
    }
    if (const auto known = included_.find(target); known != included_.end()) return known->second;
    if (suite_.includes.size() >= kMaximumFiles) {
      fields_.error("suite.limit", path.position,
                    "the suite includes more than " + std::to_string(kMaximumFiles) + " files",
                    "join some of them");
      complete_ = false;
      return nullptr;
    }
    std::string text;
    try {
      if (!read_) throw Error("file.unreadable", "files can't be read here");
      text = read_(target);
    } catch (const Error& problem) {
      fields_.error(
          "suite.include", path.position,
          "the included file " + printable_path(target) + " can't be read: " + printable(problem.what()),
          "paths are relative to the file that has the include");
      complete_ = false;
      included_[target] = nullptr;
      return nullptr;
    }
    const NodePtr node = included_suite(target, text, path.position);
    if (!node) {
      complete_ = false;
      return included_[target] = nullptr;
    }
    suite_.includes.emplace_back(target, text);
    return included_[target] = read_suite(*node, target, false);
  }

  // A suite may come from elsewhere and name any file of this machine as one to include. So of a file that is
  // no suite (no YAML, no map, or with a key that no suite has) nothing is shown but the place.
  NodePtr included_suite(const std::string& target, const std::string& text, const Position& position) {
    Diagnostics problems;
    NodePtr node = read_map(target, text, problems);
    std::string why;
    if (!node) {
      const Position at = problems.sorted().front().position;
      why = "line " + std::to_string(at.line) + ", column " + std::to_string(at.column) +
            " is not as in a suite's YAML";
    } else {
      std::vector<std::string> known;
      for (const Key* key : keys_of(KeyScope::suite)) known.emplace_back(key->name);
      for (const auto& [name, value] : node->entries) {
        if (find_key(KeyScope::suite, name->text) != nullptr) continue;
        const std::string meant = nearest(name->text, known);
        why = "line " + std::to_string(name->position.line) + " has a key that no suite has" +
              (meant.empty() ? "" : "; did you mean '" + meant + "'?");
        break;
      }
    }
    if (why.empty()) {
      diagnostics_.append(problems);
      return node;
    }
    fields_.error("suite.include", position,
                  "the included file " + printable_path(target) + " is not a suite: " + why,
                  "'assay validate " + printable(target) + "' says more");
    return nullptr;
  }

  bool is_new(std::map<std::string, Position>& ids, const std::string& what, const Located<std::string>& id) {
    const auto [first, fresh] = ids.emplace(id.value, id.position);
    if (!fresh)
      fields_.error("suite.duplicate", id.position,
                    what + " id '" + id.value + "' is used twice, first in " + first->second.file + ":" +
                        std::to_string(first->second.line),
                    "take another id");
    return fresh;
  }

  const ReadFile& read_;
  Diagnostics& diagnostics_;
  MapFields fields_;
  Suite suite_;
  std::vector<std::string> open_;  // files being read, outermost first
  std::map<std::string, Position> case_ids_, finding_ids_, table_ids_;
  std::map<std::string, NodePtr> included_;  // defaults by file
  bool complete_ = true;                     // all cases are known; otherwise selectors can't be told wrong
};

}  // namespace

Suite parse_suite(const std::string& file, const std::string& text, const ReadFile& read,
                  Diagnostics& diagnostics) {
  // Defaults are read once for themselves and once in each case, so the same problem comes several times.
  Diagnostics all;
  Suite suite = SuiteParser(read, all).run(file, text);
  std::set<std::tuple<std::string, int, int, std::string>> seen;
  for (const Diagnostic& one : all.sorted()) {
    if (!seen.emplace(one.position.file, one.position.line, one.position.column, one.text).second) continue;
    if (one.severity == Severity::error)
      diagnostics.error(one.code, one.position, one.text, one.hint);
    else
      diagnostics.warning(one.code, one.position, one.text, one.hint);
  }
  return suite;
}

}  // namespace assay::suite
