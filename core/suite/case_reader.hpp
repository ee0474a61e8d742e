// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "suite/fields.hpp"
#include "suite/suite.hpp"
#include "yaml/node.hpp"

namespace assay::suite {

// A case's keys, defaults already merged in. Missing required keys are reported unless `partial` (for
// 'defaults').
void read_case(const MapFields& fields, const Node& node, SuiteCase& out, bool partial);

// Readers that rows of the key table are bound to.
void read_matrix(const MapFields& fields, const Key& key, const Node& node, SuiteCase& out);
void read_variants(const MapFields& fields, const Key& key, const Node& node, SuiteCase& out);
void read_points(const MapFields& fields, const Key& key, const Node& node, Matrix& out);
void read_expectations(const MapFields& fields, const Key& key, const Node& node, SuiteCase& out);
void read_relation(const MapFields& fields, const Key& key, const Node& node, SuiteExpectation& out);

// What a value of a bundle or a variant sets, by the names that axes over it would have.
[[nodiscard]] std::vector<Located<std::string>> names_set_by(const AxisValue& value);

// The values of one axis: a list or a range. False if it is neither.
bool read_axis(const MapFields& fields, const Node& node, SuiteAxis& axis);

// What `defaults` say, under what the case itself says. Maps merge key by key, scalars and lists replace.
// What the case says about a setting in one way (with, env, measure; an axis) replaces what defaults say
// about it in the other.
[[nodiscard]] NodePtr merge_defaults(const NodePtr& defaults, const NodePtr& own);

// What one case can contradict by itself, without knowing any benchmark.
void check_case(const SuiteCase& one, Diagnostics& diagnostics);

}  // namespace assay::suite
