// SPDX-License-Identifier: Apache-2.0
#include "suite/rule.hpp"

#include "suite/expression.hpp"
#include "text/text.hpp"
#include "yaml/node.hpp"

#include <memory>
#include <set>

namespace assay::suite {
namespace {

using yaml::Node;

constexpr const char* kInvalidRules = "rules.invalid";

class RuleReader {
 public:
  explicit RuleReader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  std::vector<Rule> read(const Node& document) {
    std::vector<Rule> rules;
    if (!yaml::is_file_of(document, "rules", {"version", "rules"}, kInvalidRules, diagnostics_)) return rules;
    const Node* list = document.find("rules");
    if (list == nullptr || list->kind != Node::Kind::list) {
      error(list ? *list : document, "'rules' is not a list");
      return rules;
    }
    for (const auto& item : list->items) rules.push_back(rule(*item));
    return rules;
  }

 private:
  Rule rule(const Node& node) {
    Rule rule;
    if (!yaml::is_map_of(node, "a rule",
                         {"id", "uses", "env", "evidence", "symptom", "cause", "remedy", "source"},
                         kInvalidRules, diagnostics_))
      return rule;
    rule.id = text(node, "id", true);
    rule.uses = text(node, "uses", false);
    rule.symptom = text(node, "symptom", true);
    rule.cause = text(node, "cause", true);
    rule.remedy = text(node, "remedy", true);
    rule.source = text(node, "source", false);
    if (const Node* env = node.find("env")) read_env(*env, rule);
    if (const Node* evidence = node.find("evidence")) read_evidence(*evidence, rule);
    if (rule.env.empty() && rule.evidence.empty())
      error(node, "a rule needs evidence",
            "give it 'evidence' with comparisons that must all hold, or 'env'");
    if (!rule.id.empty() && !ids_.insert(rule.id).second)
      error(node, "there are two rules '" + rule.id + "'");
    return rule;
  }

  void read_env(const Node& node, Rule& rule) {
    if (node.kind != Node::Kind::map) return error(node, "'env' is not a map of variables and their values");
    for (const auto& [key, value] : node.entries) {
      std::vector<std::string>& values = rule.env[printable(key->text)];
      if (value->kind == Node::Kind::list)
        for (const auto& item : value->items) values.push_back(printable(item->text));
      else if (value->text != "*")
        values.push_back(printable(value->text));
    }
  }

  void read_evidence(const Node& node, Rule& rule) {
    if (node.kind != Node::Kind::list) return error(node, "'evidence' is not a list of comparisons");
    for (const auto& item : node.items) {
      const ExpressionPtr expression = parse_expression(item->text, item->position, diagnostics_);
      if (expression == nullptr) continue;
      if (!is_relation(*expression))
        error(*item, "'" + printable(item->text) + "' is not a comparison",
              "write for example starved >= 20%");
      rule.evidence.push_back(printable(item->text));
    }
  }

  std::string text(const Node& node, const char* key, bool needed) {
    const Node* value = node.find(key);
    if (value != nullptr && value->kind == Node::Kind::scalar && !value->text.empty())
      return printable(value->text);
    if (needed || value != nullptr)
      error(value ? *value : node, "a rule needs '" + std::string(key) + "', a text");
    return {};
  }

  void error(const Node& node, std::string text, std::string hint = {}) {
    diagnostics_.error(kInvalidRules, node.position, std::move(text), std::move(hint));
  }

  Diagnostics& diagnostics_;
  std::set<std::string> ids_;
};

}  // namespace

std::vector<Rule> parse_rules(const std::string& file, const std::string& text, Diagnostics& diagnostics) {
  auto source = std::make_shared<yaml::Source>(yaml::Source{file, text, 0, "rules", yaml::kMaximumBytes});
  const yaml::NodePtr root = yaml::read_yaml(source, diagnostics);
  return root ? RuleReader(diagnostics).read(*root) : std::vector<Rule>{};
}

}  // namespace assay::suite
