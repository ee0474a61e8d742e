// SPDX-License-Identifier: Apache-2.0
//
// `--set case.key=value`, read by the same readers as the file.
#include "base/suggest.hpp"
#include "suite/case_reader.hpp"
#include "text/text.hpp"
#include "yaml/source_check.hpp"

#include <string>
#include <vector>

namespace assay::suite {

namespace {

std::shared_ptr<Node> node_at(Node::Kind kind, const Position& position) {
  auto node = std::make_shared<Node>();
  node->kind = kind;
  node->position = position;
  return node;
}

NodePtr name_node(std::string_view name, const Position& position) {
  auto node = node_at(Node::Kind::scalar, position);
  node->text = name;
  node->source = std::make_shared<Source>(Source{position.file, std::string(name), position.column - 1});
  return node;
}

// A word or number stands for itself, as in a shell; only lists, maps and quotes are YAML. So '>=2' needs no
// quotes.
NodePtr value_node(const std::shared_ptr<const Source>& source, Diagnostics& diagnostics) {
  const std::string& text = source->text;
  if (std::string_view("[{\"'").find(text[0]) != std::string_view::npos)
    return read_yaml(source, diagnostics);
  if (!check_source(*source, diagnostics)) return nullptr;
  const bool null = text == "~" || text == "null";
  auto node =
      node_at(null ? Node::Kind::null : Node::Kind::scalar, {source->file, 1, source->column_offset + 1});
  node->text = text;
  node->source = source;
  return node;
}

// {name: value}
NodePtr map_of(const NodePtr& name, const NodePtr& value) {
  auto map = node_at(Node::Kind::map, name->position);
  map->entries.emplace_back(name, value);
  return map;
}

struct OverridePath {
  std::string_view head, tail;  // "measure", "samples"; tail is empty if there is one word
  int head_column = 0, tail_column = 0;
};

// What the setting is called if the matrix has an axis for it: "with.dtype" and "matrix.dtype" are "dtype".
std::string_view axis_name_of(const OverridePath& path, std::string_view whole) {
  const bool inside = path.head == "with" || path.head == "matrix" || path.head == "measure";
  return inside && !path.tail.empty() ? path.tail : whole;
}

class Override {
 public:
  Override(SuiteCase& one, const std::string& option, Diagnostics& diagnostics)
      : one_(one), option_(option), fields_(diagnostics) {}

  void apply(std::string_view whole, const OverridePath& path, const NodePtr& value) {
    const std::string_view axis_name = axis_name_of(path, whole);
    for (SuiteAxis& axis : one_.matrix.axes) {
      if (axis.name.value == axis_name && !axis.of_variants) return set_axis(axis, value);
      if (axis.name.value == "bind") continue;
      for (const AxisValue& bundle : axis.values)
        for (const Located<std::string>& name : names_set_by(bundle))
          if (name.value == axis_name)
            return fields_.error("suite.conflict", at(path.head_column),
                                 "'" + name.value + "' is set by axis '" + axis.name.value + "'",
                                 "set " + one_.id.value + "." +
                                     (axis.of_variants ? "variants to a map of maps"
                                                       : axis.name.value + " to a list of maps"));
    }
    if (const Key* key = find_key(KeyScope::one_case, path.head)) return set_key(*key, path, value);
    if (!path.tail.empty()) {
      return fields_.error("suite.unknown-key", at(path.head_column),
                           "a case has no key '" + printable(path.head) + "'",
                           suggestion(path.head, key_names(KeyScope::one_case),
                                      "keys of a case with parts are with, env, measure, requires and when"));
    }
    fields_.read_key(*find_key(KeyScope::one_case, "with"),
                     *map_of(name_node(path.head, at(path.head_column)), value), one_);
    check();
  }

 private:
  [[nodiscard]] Position at(int column) const { return {option_, 1, column}; }

  void set_axis(SuiteAxis& axis, const NodePtr& value) {
    if (value->kind == Node::Kind::list || value->kind == Node::Kind::map) {
      read_axis(fields_, *value, axis);
      return;
    }
    auto list = node_at(Node::Kind::list, value->position);
    list->items.push_back(value);
    read_axis(fields_, *list, axis);
  }

  void set_key(const Key& key, const OverridePath& path, const NodePtr& value) {
    if (key.name == "id")
      return fields_.error("suite.value", at(path.head_column), "a case's id can't be changed",
                           "set another key");
    NodePtr whole = value;
    if (!path.tail.empty()) {
      const bool has_parts = key.form == Form::parameters || key.form == Form::environment ||
                             key.form == Form::measure || key.form == Form::requirement ||
                             key.form == Form::point;
      if (key.form == Form::matrix) {
        std::vector<std::string> names;
        for (const SuiteAxis& axis : one_.matrix.axes) names.push_back(axis.name.value);
        return fields_.error("suite.reference", at(path.tail_column),
                             "'" + printable(path.tail) + "' is not an axis of this case",
                             suggestion(path.tail, names, "axes are added in the suite"));
      }
      if (!has_parts)
        return fields_.error("suite.unknown-key", at(path.tail_column),
                             "'" + std::string(key.name) + "' has no parts",
                             "write " + one_.id.value + "." + std::string(key.name) + "=…");
      whole = map_of(name_node(path.tail, at(path.tail_column)), value);
    } else if (value->kind == Node::Kind::null) {
      return fields_.error("suite.type", value->position, "'" + std::string(key.name) + "' has no value",
                           "write " + describe(key));
    }
    // The command line decides how sampling ends; the file's other way would contradict it.
    if (key.form == Form::measure && whole->find("samples"))
      one_.measure.unstate(&model::MeasureOptions::precision);
    if (key.form == Form::measure && whole->find("precision"))
      one_.measure.unstate(&model::MeasureOptions::samples);
    if (key.form == Form::matrix) {
      Matrix fresh;
      for (SuiteAxis& axis : one_.matrix.axes)
        if (axis.of_variants) fresh.axes.push_back(std::move(axis));
      one_.matrix = std::move(fresh);
    }
    fields_.read_key(key, *whole, one_);
    check();
  }

  // The case by itself: what a later setting may mend is left out.
  void check() {
    SuiteCase alone = one_;
    alone.expect.clear();
    alone.reference.clear();
    alone.matrix.exclude.clear();
    alone.matrix.include.clear();
    check_case(alone, fields_.diagnostics());
  }

  SuiteCase& one_;
  const std::string& option_;
  MapFields fields_;
};

// `requires` and `policy` of the suite itself; a case of that name comes first.
void set_suite_key(Suite& suite, const std::string& head, const OverridePath& path, const NodePtr& value,
                   const std::string& option, Diagnostics& problems) {
  const NodePtr map = map_of(name_node(path.head, {option, 1, path.head_column}), value);
  MapFields(problems).read_key(*find_key(KeyScope::suite, head), *map, suite);
}

}  // namespace

void apply_override(Suite& suite, const std::string& assignment, Diagnostics& diagnostics,
                    const std::string& option) {
  const std::string_view all = assignment;
  const auto fail = [&](std::size_t offset, std::string code, std::string text, std::string hint) {
    diagnostics.error(std::move(code), {option, 1, static_cast<int>(offset) + 1}, std::move(text),
                      std::move(hint));
  };
  const std::size_t equals = all.find('=');
  const std::size_t dot = all.find('.');
  if (equals == std::string_view::npos || dot == std::string_view::npos || dot > equals || dot == 0 ||
      dot + 1 == equals)
    return fail(0, "suite.override", "'" + printable(all) + "' is not a setting",
                "write CASE.KEY=VALUE, like gemm.m=4096");
  const std::string id(all.substr(0, dot));
  std::vector<std::string> ids;
  SuiteCase* found = nullptr;
  for (SuiteCase& one : suite.cases) {
    ids.push_back(one.id.value);
    if (one.id.value == id) found = &one;
  }
  const bool of_the_suite = !found && (id == "requires" || id == "policy");
  if (!found && !of_the_suite) {
    return fail(0, "suite.reference", "there is no case '" + printable(id) + "'",
                suggestion(id, ids, "name the id of a case"));
  }
  const std::string_view whole = all.substr(dot + 1, equals - dot - 1);
  OverridePath path;
  const std::size_t second = whole.find('.');
  path.head = whole.substr(0, second);
  path.head_column = static_cast<int>(dot) + 2;
  if (second != std::string_view::npos) {
    path.tail = whole.substr(second + 1);
    path.tail_column = path.head_column + static_cast<int>(second) + 1;
  }
  if (equals + 1 == all.size())
    return fail(equals, "suite.type", "'" + printable(whole) + "' has no value", "write a value after '='");
  auto source = std::make_shared<Source>();
  source->file = option;
  source->text = all.substr(equals + 1);
  source->column_offset = static_cast<int>(equals) + 1;

  // All or nothing: a setting that is wrong changes nothing.
  Diagnostics problems;
  const NodePtr value = value_node(source, problems);
  Suite outer;  // only what the suite says itself
  outer.requires_ = suite.requires_;
  outer.policy = suite.policy;
  SuiteCase changed;
  if (found) changed = *found;
  if (value && of_the_suite) set_suite_key(outer, id, path, value, option, problems);
  if (value && found) Override(changed, option, problems).apply(whole, path, value);
  for (const Diagnostic& one : problems.sorted())
    diagnostics.error(one.code, one.position, one.text, one.hint);
  if (problems.has_errors()) return;
  if (found) {
    *found = std::move(changed);
  } else {
    suite.requires_ = std::move(outer.requires_);
    suite.policy = outer.policy;
  }
}

}  // namespace assay::suite
