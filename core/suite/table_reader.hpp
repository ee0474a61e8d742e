// SPDX-License-Identifier: Apache-2.0
//
// `tables`: rows of cases side by side.
#pragma once

#include "suite/fields.hpp"
#include "suite/suite.hpp"

namespace assay::suite {

void read_columns(const MapFields& fields, const Key& key, const Node& node, SuiteTable& table);

[[nodiscard]] SuiteTable read_table(const MapFields& fields, const Node& node);

// Once all cases are known: the cases that tables name, and their axes.
void check_tables(const Suite& suite, Diagnostics& diagnostics);

}  // namespace assay::suite
