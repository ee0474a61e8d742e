// SPDX-License-Identifier: Apache-2.0
//
// --failed: what is kept of a case's attempts in the run before. A journal's header holds it as
// {"run": ID, "of": CASES, "cases": {ID: {"outcome": …, "text": …, "visits": […]}}}.
#pragma once

#include "model/document.hpp"

#include <optional>
#include <string>
#include <vector>

namespace assay::judge {

struct Earlier {
  std::string run;      // its id
  std::string outcome;  // of the case
  std::string text;     // of the case's reason; may be empty
  std::vector<model::Visit> visits;
  int attempts = 0;  // the largest number among them
};

// Nothing if the case has no earlier attempt.
[[nodiscard]] std::optional<Earlier> earlier_of(const Json& earlier, const std::string& case_id);

// What a journal keeps of a result document, for the cases that are measured again.
[[nodiscard]] Json earlier_from_document(const model::Document& document);

}  // namespace assay::judge
