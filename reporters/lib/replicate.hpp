// SPDX-License-Identifier: Apache-2.0
//
// How somebody else measures the same: the command, and the files that it needs.
#pragma once

#include "lib/document.hpp"

#include <string>
#include <utility>
#include <vector>

namespace assay::reporters {

struct Replication {
  std::string command;  // empty if the document has none
  // Name and text of the suite and of what it includes; none in documents of tools that did not keep them.
  std::vector<std::pair<std::string, std::string>> files;
  bool runs_files = false;  // the command names the suite as it is in `files`
};
[[nodiscard]] Replication replication(const Document& document);

// "all samples", or of how many cases only a share is kept.
[[nodiscard]] std::string kept_samples(const Document& document);

}  // namespace assay::reporters
