// SPDX-License-Identifier: Apache-2.0
#include "suite/case_reader.hpp"

#include <string>

namespace assay::suite {

namespace {

SuiteExpectation read_expectation(const MapFields& fields, const Node& node) {
  SuiteExpectation found;
  found.position = node.position;
  if (node.kind != Node::Kind::map)
    read_relation(fields, *find_key(KeyScope::expectation, "that"), node, found);
  else
    (void)fields.read_map(node, found);
  return found;
}

}  // namespace

void read_relation(const MapFields& fields, const Key& key, const Node& node, SuiteExpectation& out) {
  out.text = node.text;
  out.that = fields.expression(key, node);
  if (!out.that) return;
  if (!is_relation(*out.that))
    fields.error("suite.expression", node.position, "an expectation needs a comparison",
                 "for example " + std::string(key.example));
  else if ((names(*out.that).empty() && !has_share_of(*out.that, "band")) ||
           to_text(*out.that->operands[0]) == to_text(*out.that->operands[1]))
    fields.error("suite.expression", node.position, "this is the same whatever is measured",
                 "compare a metric with a limit");
  for (const Expression* name : names(*out.that))
    if (name->kind == Expression::Kind::selector)
      fields.error("suite.expression", name->position, "an expectation can't look at other cases",
                   "name a metric of this case, or write a finding");
}

void read_expectations(const MapFields& fields, const Key& key, const Node& node, SuiteCase& out) {
  out.expect.clear();
  if (node.kind != Node::Kind::list) return fields.wrong(key, node);
  for (const NodePtr& item : node.items) out.expect.push_back(read_expectation(fields, *item));
}

void read_case(const MapFields& fields, const Node& node, SuiteCase& out, bool partial) {
  out.position = node.position;
  fields.for_each_key(
      node, KeyScope::one_case,
      [&](const Key& key, const Node& name, const Node& value) {
        if (partial && key.name == "id")
          fields.error("suite.unknown-key", name.position, "'id' can't have a default",
                       "each case needs its own");
        else
          fields.read_key(key, value, out);
      },
      partial);
}

}  // namespace assay::suite
