// SPDX-License-Identifier: Apache-2.0
#include "suite/case_reader.hpp"

#include "suite/external.hpp"
#include "suite/scalar.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace assay::suite {

namespace {

using Values = std::vector<std::pair<At<std::string>, Scalar>>;

void put(Values& values, Values more) {
  for (auto& entry : more) {
    const auto old = std::find_if(values.begin(), values.end(),
                                  [&](const auto& other) { return other.first.value == entry.first.value; });
    if (old == values.end())
      values.push_back(std::move(entry));
    else
      *old = std::move(entry);
  }
}

Expectation read_expectation(const Fields& fields, const Node& node) {
  Expectation found;
  found.position = node.position;
  const Key& that = *find_key(Place::expectation, "that");
  const auto relation = [&](const Node& text) {
    found.text = text.text;
    found.that = fields.expression(that, text);
    if (!found.that) return;
    if (!is_relation(*found.that))
      fields.error("suite.expression", text.position, "an expectation needs a comparison",
                   "for example " + std::string(that.example));
    for (const Expression* name : names(*found.that))
      if (name->kind == Expression::Kind::selector)
        fields.error("suite.expression", name->position, "an expectation can't look at other cases",
                     "name a metric of this case, or write a finding");
  };
  if (node.kind != Node::Kind::map) {
    relation(node);
    return found;
  }
  fields.for_each_key(node, Place::expectation, [&](const Key& key, const Node&, const Node& value) {
    if (key.id == KeyId::expect_that) relation(value);
    if (key.id == KeyId::expect_where) found.where = fields.terms(key, value, true);
    if (key.id == KeyId::expect_alone) found.skipped_alone = fields.choice(key, value).has_value();
    if (key.id == KeyId::expect_say) {
      if (const auto say = fields.advice(key, value)) found.say = say->value;
    }
  });
  return found;
}

}  // namespace

void read_case_key(const Fields& fields, const Key& key, const Node& value, Case& out) {
  const auto set = [](auto& target, auto found) {
    if (found) target = std::move(*found);
  };
  const auto set_count = [&](std::optional<At<int>>& target) {
    if (const auto found = fields.count(key, value))
      target = At<int>{static_cast<int>(found->value), found->position};
  };
  switch (key.id) {
    case KeyId::case_id:
      return set(out.id, fields.name(key, value));
    case KeyId::case_uses:
      return set(out.uses, fields.benchmark(key, value));
    case KeyId::case_backend:
      out.backends = fields.backends(key, value);
      return;
    case KeyId::case_with:
      return put(out.with, fields.parameters(key, value));
    case KeyId::case_matrix:
      return read_matrix(fields, value, out.matrix);
    case KeyId::case_env:
      return put(out.env, fields.environment(key, value));
    case KeyId::case_devices:
      return set(out.devices, fields.devices(key, value));
    case KeyId::case_load:
      return set(out.load, fields.choice(key, value));
    case KeyId::case_ranks:
      return set_count(out.ranks);
    case KeyId::case_bind:
      return set(out.bind, fields.bind(key, value));
    case KeyId::case_processes:
      return set_count(out.processes);
    case KeyId::case_measure:
      return fields.measure(value, out.measure);
    case KeyId::case_timeout:
      return set(out.timeout_s, fields.duration(key, value));
    case KeyId::case_requires:
      return fields.requirement(value, out.requires_);
    case KeyId::case_when:
      return fields.requirement(value, out.when);
    case KeyId::case_reference: {
      Values terms;
      for (auto& [axis, values] : fields.terms(key, value, false)) terms.emplace_back(axis, values.front());
      return put(out.reference, std::move(terms));
    }
    case KeyId::case_expect:
      out.expect.clear();
      if (value.kind != Node::Kind::list) return fields.wrong(key, value);
      for (const NodePtr& item : value.items) out.expect.push_back(read_expectation(fields, *item));
      return;
    default:
      return read_external_key(fields, key, value, out.external);
  }
}

void read_case(const Fields& fields, const Node& node, Case& out, bool partial) {
  out.position = node.position;
  fields.for_each_key(
      node, Place::one_case,
      [&](const Key& key, const Node& name, const Node& value) {
        if (partial && key.id == KeyId::case_id)
          fields.error("suite.unknown-key", name.position, "'id' can't have a default",
                       "each case needs its own");
        else
          read_case_key(fields, key, value, out);
      },
      partial);
}

}  // namespace assay::suite
