// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "suite/fields.hpp"
#include "suite/suite.hpp"
#include "yaml/node.hpp"

#include <vector>

namespace assay::suite {

[[nodiscard]] SuiteFinding read_finding(const MapFields& fields, const Node& node);
// Readers that rows of the key table are bound to.
void read_let(const MapFields& fields, const Key& key, const Node& node, SuiteFinding& finding);
void read_labels(const MapFields& fields, const Key& key, const Node& node, SuiteFinding& finding);
void read_claim(const MapFields& fields, const Key& key, const Node& node, SuiteFinding& finding);

// Whether each selector of the findings names a case of the suite, its axes and their values.
void check_selectors(const Suite& suite, Diagnostics& diagnostics);

// `derive`: metrics computed from metrics. Reports names that are taken and definitions that go in a circle.
void read_derive(const MapFields& fields, const Key& key, const Node& node, Suite& suite);
void check_derive(const std::vector<Derive>& derive, Diagnostics& diagnostics);

}  // namespace assay::suite
