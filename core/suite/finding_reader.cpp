// SPDX-License-Identifier: Apache-2.0
#include "suite/finding_reader.hpp"

#include "base/suggest.hpp"
#include "suite/axis_index.hpp"
#include "suite/undecidable.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>

namespace assay::suite {

namespace {

bool check_free_name(const MapFields& fields, const Node& name) {
  if (!is_identifier(name.text)) {
    fields.error("suite.value", name.position, describe(name) + " can't be a name in an expression",
                 "use letters, digits and '_'");
    return false;
  }
  if (is_free_name(name.text)) return true;
  fields.error("suite.reserved", name.position, "'" + name.text + "' has a meaning of its own in expressions",
               "take another name");
  return false;
}

// A row of a finding has one value a round: best() chooses it among several rows, and the functions over an axis make
// one of them.
void check_calls(const MapFields& fields, const Expression& expression, bool best_is_allowed) {
  if (finds_value(expression))
    return fields.error(
        kNotInFinding, expression.position,
        "'" + expression.name +
            "()' must be one whole side of a claim with == or !=, beside a value of its axis",
        "write claim: " + expression.name + "(rate over batch) == 8, and name the rate in 'let'");
  const bool of_rows = expression.kind == Expression::Kind::call && reduces_rows(expression);
  if (expression.kind == Expression::Kind::call &&
      ((expression.name != "best" && !of_rows) || !best_is_allowed))
    fields.error(kNotInFinding, expression.position,
                 "'" + expression.name + "()' can't stand in a finding" +
                     (best_is_allowed ? "" : "'s claim; only 'let' names rows"),
                 "name rows one by one, let best() choose among them in 'let', or write there "
                 "mean(CASE[axis=value].METRIC over axis)");
  if (expression.kind == Expression::Kind::percent_of &&
      (expression.name == "peers" || expression.name == "band"))
    fields.error("suite.expression", expression.position,
                 "'" + expression.name + "' can't stand in a finding",
                 "write it as an expectation of the case");
  for (const ExpressionPtr& operand : expression.operands) check_calls(fields, *operand, best_is_allowed);
}

// argmax() goes over the rows of one selector.
void check_found_value(const MapFields& fields, const SuiteFinding& finding, const Expression& call) {
  const std::string& name = call.operands.front()->name;
  for (const auto& [known, expression] : finding.let)
    if (known.value == name && expression->kind != Expression::Kind::selector)
      fields.error("suite.expression", call.position,
                   "'" + call.name + "()' needs rows, and '" + name + "' is computed",
                   "let '" + name + "' be a selector, as in CASE[].METRIC");
}

void check_claim(const MapFields& fields, const SuiteFinding& finding) {
  const Expression& claim = *finding.claim;
  if (!is_relation(claim))
    fields.error("suite.expression", finding.claim_position, "a claim needs a comparison",
                 "for example bound >= 1.05 * free");
  if (const FoundValue found = found_value(claim); found.call)
    check_found_value(fields, finding, *found.call);
  else
    check_calls(fields, claim, false);
  std::vector<std::string> known;
  for (const auto& [name, expression] : finding.let) known.push_back(name.value);
  std::set<std::string> used;
  for (const Expression* item : names(claim)) {
    used.insert(item->name);
    if (item->kind == Expression::Kind::selector) {
      fields.error("suite.expression", item->position, "selectors belong in 'let'", "give it a name there");
    } else if (!contains(known, item->name)) {
      fields.error("suite.reference", item->position, "'" + item->name + "' is not named in 'let'",
                   suggestion(item->name, known, "name it in 'let'"));
    }
  }
  for (const auto& [name, expression] : finding.let)
    if (!used.contains(name.value))
      fields.error("suite.unused", name.position, "'" + name.value + "' is not used by the claim",
                   "use it or remove it");
  for (const auto& [name, label] : finding.labels) {
    if (contains(known, name.value)) continue;
    fields.error("suite.reference", name.position, "'" + name.value + "' is not named in 'let'",
                 suggestion(name.value, known, "labels are for the names of 'let'"));
  }
}

}  // namespace

void read_let(const MapFields& fields, const Key& key, const Node& node, SuiteFinding& finding) {
  const std::size_t errors = fields.diagnostics().error_count();
  if (node.kind != Node::Kind::map) return fields.wrong(key, node);
  if (node.entries.empty())
    fields.error("suite.empty", node.position, "'let' names nothing",
                 "for example " + std::string(key.example));
  for (const auto& [name, value] : node.entries) {
    if (!check_free_name(fields, *name)) continue;
    const ExpressionPtr expression = fields.expression(key, *value);
    if (!expression) continue;
    check_calls(fields, *expression, true);
    const auto used = names(*expression);
    const auto bare = std::find_if(used.begin(), used.end(), [](const Expression* item) {
      return item->kind != Expression::Kind::selector;
    });
    if (is_relation(*expression))
      fields.error("suite.expression", value->position, "a comparison belongs in 'claim'",
                   "'let' names operands");
    else if (bare != used.end())
      fields.error("suite.expression", (*bare)->position, "'" + (*bare)->name + "' doesn't say of which case",
                   "write CASE[axis=value]." + (*bare)->name);
    else if (used.empty())
      fields.error("suite.expression", value->position, "'" + name->text + "' names no case",
                   "for example " + std::string(key.example));
    finding.let.emplace_back(Located<std::string>{name->text, name->position}, expression);
  }
  finding.let_is_valid = errors == fields.diagnostics().error_count();
}

void read_labels(const MapFields& fields, const Key& key, const Node& node, SuiteFinding& finding) {
  if (node.kind != Node::Kind::map) return fields.wrong(key, node);
  for (const auto& [name, value] : node.entries)
    if (auto label = fields.text(key, *value))
      finding.labels.emplace_back(Located<std::string>{name->text, name->position}, std::move(label->value));
}

void read_claim(const MapFields& fields, const Key& key, const Node& node, SuiteFinding& finding) {
  finding.claim = fields.expression(key, node);
  finding.claim_text = node.text;
  finding.claim_position = node.position;
}

SuiteFinding read_finding(const MapFields& fields, const Node& node) {
  SuiteFinding finding;
  finding.position = node.position;
  (void)fields.read_map(node, finding);
  // With a broken 'let' every name of the claim would look wrong.
  if (finding.claim && finding.let_is_valid) check_claim(fields, finding);
  return finding;
}

namespace {

// An axis that a function goes over is one of the case that it reads: of its matrix, or the devices that tell rows apart.
bool check_axis(const Suite& suite, const std::string& id, const Expression& call,
                const std::map<std::string, AxisIndex>& indices, Diagnostics& diagnostics) {
  const auto one = std::find_if(suite.cases.begin(), suite.cases.end(),
                                [&](const SuiteCase& each) { return each.id.value == id; });
  if (one == suite.cases.end()) return false;
  std::vector<std::string> axes;
  for (const SuiteAxis& axis : one->matrix.axes) axes.push_back(axis.name.value);
  for (const char* devices : {"device", "pair"})
    if (indices.at(id).has(devices)) axes.emplace_back(devices);
  if (contains(axes, call.axis)) return true;
  diagnostics.error("suite.reference", call.position,
                    "'" + call.axis + "' is not an axis of case '" + id + "'",
                    suggestion(call.axis, axes,
                               axes.empty() ? "the case has no axis" : "its axes are " + join(axes, ", ")));
  return false;
}

void check_axes(const Suite& suite, const Expression& expression,
                const std::map<std::string, AxisIndex>& indices, Diagnostics& diagnostics) {
  for (const ExpressionPtr& operand : expression.operands) check_axes(suite, *operand, indices, diagnostics);
  if (reduces_rows(expression))
    (void)check_axis(suite, expression.operands.front()->name, expression, indices, diagnostics);
}

// argmax(rate over batch) == 8: the axis and its value are those of the case that `rate` reads.
void check_value_of_axis(const Suite& suite, const SuiteFinding& finding,
                         const std::map<std::string, AxisIndex>& indices, Diagnostics& diagnostics) {
  const FoundValue found = finding.claim ? found_value(*finding.claim) : FoundValue{};
  if (!found.call) return;
  for (const auto& [name, expression] : finding.let) {
    if (name.value != found.call->operands.front()->name || expression->kind != Expression::Kind::selector)
      continue;
    if (!check_axis(suite, expression->name, *found.call, indices, diagnostics)) return;
    SelectorTerm term;
    term.axis = found.call->axis;
    term.text = found.text;
    term.position = found.call->position;
    term.value_position = found.value->position;
    for (const SelectorTerm& fixed : expression->terms)
      if (fixed.axis == term.axis)
        return diagnostics.error("suite.expression", found.call->position,
                                 "'" + name.value + "' has one value of '" + term.axis + "' already",
                                 "leave '" + term.axis + "' out of its selector");
    indices.at(expression->name).check(term, diagnostics);
  }
}

}  // namespace

void check_selectors(const Suite& suite, Diagnostics& diagnostics) {
  if (suite.findings.empty()) return;
  std::vector<std::string> ids;
  std::map<std::string, AxisIndex> indices;
  std::set<std::string> broken;
  for (const SuiteCase& one : suite.cases) {
    ids.push_back(one.id.value);
    if (one.matrix.broken) broken.insert(one.id.value);
    indices.emplace(one.id.value, AxisIndex(one));
  }
  for (const SuiteFinding& finding : suite.findings) {
    if (broken.empty()) check_value_of_axis(suite, finding, indices, diagnostics);
    for (const auto& [name, expression] : finding.let) {
      if (broken.empty()) check_axes(suite, *expression, indices, diagnostics);
      for (const Expression* item : names(*expression)) {
        if (item->kind != Expression::Kind::selector) continue;
        const auto found = indices.find(item->name);
        if (found == indices.end()) {
          diagnostics.error("suite.reference", item->position, "there is no case '" + item->name + "'",
                            suggestion(item->name, ids, "name the id of a case"));
          continue;
        }
        if (broken.contains(item->name)) continue;
        for (const SelectorTerm& term : item->terms) found->second.check(term, diagnostics);
      }
    }
  }
}

void read_derive(const MapFields& fields, const Key& key, const Node& node, Suite& suite) {
  std::vector<Derive>& derive = suite.derive;
  if (node.kind != Node::Kind::map) return fields.wrong(key, node);
  for (const auto& entry : node.entries) {
    const auto& name = entry.first;
    const auto& value = entry.second;
    if (!check_free_name(fields, *name)) continue;
    const auto same = [&](const Derive& other) { return other.name.value == name->text; };
    if (const auto other = std::find_if(derive.begin(), derive.end(), same); other != derive.end()) {
      fields.error("suite.duplicate", name->position,
                   "'" + name->text + "' is derived twice, first in " + other->name.position.file + ":" +
                       std::to_string(other->name.position.line),
                   "take another name");
      continue;
    }
    const ExpressionPtr expression = fields.expression(key, *value);
    if (!expression) continue;
    if (is_relation(*expression))
      fields.error("suite.expression", value->position, "a derived metric is a value, not a comparison",
                   "write the comparison under 'expect'");
    for (const Expression* item : names(*expression))
      if (item->kind == Expression::Kind::selector)
        fields.error("suite.expression", item->position, "a derived metric can't look at other cases",
                     "name metrics of the same case");
    derive.push_back({{name->text, name->position}, expression, value->text});
  }
}

void check_derive(const std::vector<Derive>& derive, Diagnostics& diagnostics) {
  std::map<std::string, const Derive*> by_name;
  for (const Derive& one : derive) by_name.emplace(one.name.value, &one);
  enum class VisitMark { fresh, open, done };
  std::map<std::string, VisitMark> states;
  // Depth is at most the number of definitions; each is entered once.
  const std::function<void(const Derive&)> visit = [&](const Derive& one) {
    states[one.name.value] = VisitMark::open;
    for (const Expression* item : names(*one.expression)) {
      const auto next = by_name.find(item->name);
      if (next == by_name.end()) continue;
      if (states[item->name] == VisitMark::open)
        diagnostics.error("suite.cycle", item->position,
                          "'" + one.name.value + "' is derived from itself through '" + item->name + "'",
                          "derive it from metrics of the benchmark");
      else if (states[item->name] == VisitMark::fresh)
        visit(*next->second);
    }
    states[one.name.value] = VisitMark::done;
  };
  for (const Derive& one : derive)
    if (states[one.name.value] == VisitMark::fresh) visit(one);
}

}  // namespace assay::suite
