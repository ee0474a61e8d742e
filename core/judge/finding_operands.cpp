// SPDX-License-Identifier: Apache-2.0
#include "judge/finding_operands.hpp"

#include "judge/selection.hpp"
#include "model/measure_keys.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <map>

namespace assay::judge {
namespace {

using suite::Expression;
using Kind = Expression::Kind;

class Finder {
 public:
  Finder(const suite::SuiteFinding& finding, const suite::Suite& suite, const std::vector<CaseResult>& cases,
         const std::vector<plan::LeftOut>& left_out)
      : finding_(finding), suite_(suite), cases_(cases), left_out_(left_out) {}

  void visit(const Expression& expression, int depth) {
    if (depth > 32) {
      problem = "the names in 'let' refer to each other in a circle";
      return;
    }
    if (expression.kind == Kind::selector) {
      add(expression, false, nullptr);
    } else if (expression.kind == Kind::call) {
      if (expression.name == "best" && expression.operands.size() == 1 &&
          expression.operands.front()->kind == Kind::selector)
        add(*expression.operands.front(), true, nullptr);
      else if (suite::finds_value(expression))
        add_rows_of(expression);
      else if (suite::reduces_rows(expression))
        add(*expression.operands.front(), false, &expression);
      else
        problem = "'" + suite::to_text(expression) + "' cannot stand in a claim";
    } else if (expression.kind == Kind::name || expression.kind == Kind::percent_of) {
      const Expression* let = let_named(expression.name);
      if (let)
        visit(*let, depth + 1);
      else
        problem = "'" + expression.name + "' is not defined in 'let'";
    } else {
      for (const suite::ExpressionPtr& operand : expression.operands) visit(*operand, depth + 1);
    }
  }

  std::vector<ClaimOperand> operands;
  std::string problem;

 private:
  const Expression* let_named(const std::string& name) const {
    for (const auto& [key, expression] : finding_.let)
      if (key.value == name) return expression.get();
    return nullptr;
  }

  void add_rows_of(const Expression& call) {
    const Expression* let = let_named(call.operands.front()->name);
    if (let && let->kind == Kind::selector)
      add(*let, false, &call);
    else
      problem = "'" + call.operands.front()->name + "' does not name rows in 'let'";
  }

  void add(const Expression& selector, bool best, const Expression* over) {
    for (const ClaimOperand& known : operands)
      if (known.selector == &selector) return;
    ClaimOperand operand;
    operand.selector = &selector;
    operand.best = best;
    operand.over = over;
    for (const CaseResult& each : cases_)
      if (is_named(each.planned->suite_case, each.planned->axes, selector)) operand.cases.push_back(&each);
    for (const plan::LeftOut& each : left_out_)
      if (is_named(each.suite_case, each.axes, selector)) operand.left_out.push_back(&each);
    if (operand.cases.empty() && problem.empty()) {
      problem = operand.left_out.empty()
                    ? "no case of this run matches '" + suite::to_text(selector) + "'"
                    : "all rows of '" + suite::to_text(selector) + "' were left out of this run";
    }
    operands.push_back(std::move(operand));
  }

  bool is_named(std::size_t suite_case, const std::vector<plan::AxisPoint>& axes,
                const Expression& selector) const {
    return suite_case < suite_.cases.size() && suite_.cases[suite_case].id.value == selector.name &&
           std::all_of(selector.terms.begin(), selector.terms.end(),
                       [&](const suite::SelectorTerm& term) { return matches(axes, term); });
  }

  const suite::SuiteFinding& finding_;
  const suite::Suite& suite_;
  const std::vector<CaseResult>& cases_;
  const std::vector<plan::LeftOut>& left_out_;
};

// The texts of a case at some axes.
AxisTexts at(const CaseResult& result, const std::vector<std::string>& axes) {
  AxisTexts texts;
  for (const std::string& axis : axes)
    if (const plan::AxisPoint* point = point_of(result, axis)) texts.emplace_back(axis, point->text);
  return texts;
}

std::vector<std::string> axis_names(const ClaimOperand& operand) {
  std::vector<std::string> names;
  if (!operand.cases.empty())
    for (const plan::AxisPoint& point : operand.cases.front()->planned->axes) names.push_back(point.name);
  return names;
}

bool goes_over(const ClaimOperand& operand, const std::string& axis) {
  return operand.over && operand.over->axis == axis;
}

// A bundle is fixed by a parameter that it sets if that leaves one of its values.
bool fixes(const ClaimOperand& operand, const std::string& axis) {
  const auto left = [&](const CaseResult* each) { return point_of(*each, axis); };
  const auto one_left = [&] {
    return std::all_of(operand.cases.begin(), operand.cases.end(), [&](const CaseResult* each) {
      return left(each) && left(each)->text == left(operand.cases.front())->text;
    });
  };
  return std::any_of(
      operand.selector->terms.begin(), operand.selector->terms.end(), [&](const suite::SelectorTerm& term) {
        if (term.kind == suite::SelectorTerm::Kind::any) return false;
        if (term.axis == axis) return true;
        const plan::AxisPoint* const point = operand.cases.empty() ? nullptr : left(operand.cases.front());
        return point && sets(*point, term.axis) && one_left();
      });
}

bool has_axis(const ClaimOperand& operand, const std::string& axis) {
  const std::vector<std::string> names = axis_names(operand);
  return contains(names, axis);
}

// What the axes of both rows explain; a bundle, named by itself or by one of them, explains every parameter
// that it sets.
std::set<std::string> covered(const CaseResult& result, const std::set<std::string>& written) {
  std::set<std::string> names = written;
  for (const std::string& axis : written) {
    const plan::AxisPoint* point = point_of(result, axis);
    if (!point) point = bundle_of(result, axis);
    if (!point || !point->value.is_object()) continue;
    for (const auto& [key, value] : point->value.items()) names.insert(key);
  }
  return names;
}

std::map<std::string, std::string> environment_of(const CaseResult& result) {
  std::map<std::string, std::string> environment;
  for (const auto& [name, value] : result.planned->environment)
    environment["env." + name] = value ? *value : "~";
  return environment;
}

std::string devices_of(const CaseResult& result) {
  std::string devices;
  for (const plan::RankPlacement& rank : result.planned->placement.ranks)
    for (const std::string& device : rank.devices) devices += device + " ";
  return devices;
}

std::size_t device_count(const CaseResult& result) {
  std::set<std::string> devices;
  for (const plan::RankPlacement& rank : result.planned->placement.ranks)
    devices.insert(rank.devices.begin(), rank.devices.end());
  return devices.size();
}

std::string backend_of(const CaseResult& result) {
  const std::string devices = devices_of(result);
  return devices.substr(0, devices.find(':'));
}

}  // namespace

std::vector<ClaimOperand> find_operands(const suite::SuiteFinding& finding, const suite::Suite& suite,
                                        const std::vector<CaseResult>& cases,
                                        const std::vector<plan::LeftOut>& left_out, std::string* problem) {
  Finder finder(finding, suite, cases, left_out);
  if (finding.claim) finder.visit(*finding.claim, 0);
  *problem = finder.problem;
  return std::move(finder.operands);
}

std::set<std::string> written_axes(const std::vector<ClaimOperand>& operands) {
  std::set<std::string> axes;
  for (const ClaimOperand& operand : operands) {
    for (const suite::SelectorTerm& term : operand.selector->terms) axes.insert(term.axis);
    if (operand.over) axes.insert(operand.over->axis);
  }
  return axes;
}

std::vector<JoinedRow> join_rows(const std::vector<ClaimOperand>& operands) {
  const std::set<std::string> written = written_axes(operands);
  std::vector<std::string> shared;
  if (!operands.empty())
    for (const std::string& axis : axis_names(operands.front()))
      if (!written.count(axis) &&
          std::all_of(operands.begin(), operands.end(),
                      [&](const ClaimOperand& each) { return has_axis(each, axis) && !fixes(each, axis); }))
        shared.push_back(axis);

  std::vector<JoinedRow> rows = {{}};
  for (const ClaimOperand& operand : operands) {
    std::vector<std::string> open = shared;
    if (!operand.best)
      for (const std::string& axis : axis_names(operand))
        if (!fixes(operand, axis) && !goes_over(operand, axis) && !contains(open, axis)) open.push_back(axis);

    // The operand's cases by their point on its open axes, in the suite's order.
    std::vector<std::pair<AxisTexts, std::vector<const CaseResult*>>> points;
    for (const CaseResult* each : operand.cases) entry_of(points, at(*each, open)).push_back(each);
    std::vector<JoinedRow> next;
    for (const JoinedRow& row : rows) {
      bool any = false;
      for (const auto& point : points) {
        if (next.size() > kMostFindingRows) return next;
        const AxisTexts& texts = point.first;
        const bool fits = std::all_of(shared.begin(), shared.end(), [&](const std::string& axis) {
          const std::string *const own = find_value(texts, axis), *const other = find_value(row.axes, axis);
          return other == nullptr || own == nullptr || *own == *other;
        });
        if (!fits) continue;
        any = true;
        JoinedRow grown = row;
        for (const auto& text : texts)
          if (!contains(grown.axes, text)) grown.axes.push_back(text);
        grown.chosen.emplace_back(operand.selector, point.second);
        next.push_back(std::move(grown));
      }
      if (!any) {
        JoinedRow hole = row;
        hole.chosen.emplace_back(operand.selector, std::vector<const CaseResult*>{});
        next.push_back(std::move(hole));
      }
    }
    rows = std::move(next);
  }
  return rows;
}

std::string few_names(std::vector<std::string> names) {
  constexpr std::size_t kMost = 5;
  const std::size_t count = names.size();
  names.resize(std::min(count, kMost));
  return join(names, ", ") +
         (count > kMost ? " and " + std::to_string(count - kMost) + " more" : std::string());
}

std::vector<std::string> differences(const CaseResult& a, const CaseResult& b,
                                     const std::set<std::string>& written) {
  std::set<std::string> known = covered(a, written);
  for (const std::string& name : covered(b, written)) known.insert(name);
  std::set<std::string> found;
  const auto note = [&](const std::string& name, bool same) {
    if (!same && !known.count(name)) found.insert(name);
  };
  // Of two benchmarks that are different things, a step and a loader, only what both take can differ beside that.
  const catalog::Benchmark *one = a.planned->benchmark, *other = b.planned->benchmark;
  const bool unlike = one && other && one->name != other->name;
  if (unlike) note("benchmark", false);
  const Json& x = a.planned->parameters;
  const Json& y = b.planned->parameters;
  if (x.is_object() && y.is_object()) {
    for (const auto& [key, value] : x.items()) note(key, y.contains(key) ? y.at(key) == value : unlike);
    for (const auto& [key, value] : y.items()) note(key, x.contains(key) || unlike);
  }
  const std::map<std::string, std::string> left = environment_of(a), right = environment_of(b);
  for (const auto& [name, value] : left) note(name, right.count(name) && right.at(name) == value);
  for (const auto& [name, value] : right) note(name, left.count(name) > 0);
  const auto c = model::conditions_of(a.planned->measure), d = model::conditions_of(b.planned->measure);
  for (std::size_t i = 0; i < c.size(); ++i) note(c[i].first, c[i] == d[i]);
  const plan::Placement &p = a.planned->placement, &q = b.planned->placement;
  note("bind", p.bind == q.bind);
  note("load", p.load == q.load);
  // As many ranks for each device come with the devices.
  const bool by_devices = known.count("devices") > 0 && device_count(a) > 0 &&
                          p.ranks.size() * device_count(b) == q.ranks.size() * device_count(a);
  note("ranks", p.ranks.size() == q.ranks.size() || by_devices);
  if (!known.count("device") && !known.count("devices") && !known.count("ranks"))
    note("devices", devices_of(a) == devices_of(b) || (unlike && backend_of(a) != backend_of(b)));
  if (!unlike && a.planned->manifest && b.planned->manifest)
    note("plugin", a.planned->manifest->id == b.planned->manifest->id);
  return {found.begin(), found.end()};
}

}  // namespace assay::judge
