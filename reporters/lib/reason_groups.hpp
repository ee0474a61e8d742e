// SPDX-License-Identifier: Apache-2.0
//
// Why a run did not pass, or what is to be remarked, in few lines.
#pragma once

#include "lib/document.hpp"

#include <string>
#include <vector>

namespace assay::reporters {

// A case and what happened to it; or several cases of one name that missed one limit of one metric: "p2p", "nvlink_crc 262 to 654, limit
// 10, in 12 cases".
struct ReasonLine {
  std::string subject, text;
  Position position;
};

// Reasons of the verdict that share code and next step, in the document's order.
struct ReasonGroup {
  std::string code;
  ReasonSeverity severity;
  std::string next;
  std::vector<ReasonLine> lines;
  // "suite.yaml:15:9, suite.yaml:20:9": where the suite asks for it, if few places hold for many lines. Else each line has its own.
  std::string places;

  [[nodiscard]] std::string place_of(const ReasonLine& line) const;
};
// Of a case whose limits keep it from passing, or leave it open, every such limit has a line: the one first that it misses by most, which
// what_was_found() names, too.
[[nodiscard]] std::vector<ReasonGroup> grouped_reasons(const Document& document);

}  // namespace assay::reporters
