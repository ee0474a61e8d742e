// SPDX-License-Identifier: Apache-2.0
//
// The result as a report to send on: verdict, what went wrong, findings, tables over the matrix, system, how
// to repeat it.
#pragma once

#include "lib/document.hpp"
#include "lib/options.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace assay::reporters {

enum class Flavor { github, gitlab, plain };

struct MarkdownOptions {
  Flavor flavor = Flavor::github;
  int heading_base = 1;            // level of the title, 1 to 4
  std::size_t budget = 1'000'000;  // largest size in bytes; the least important parts are left out first
  bool charts = true;              // pictures beside the report
};

// Throws BadOption.
[[nodiscard]] MarkdownOptions markdown_options(const OptionList& options);

// What stands beside the report: names of files, which it links to, and what is in them.
using PictureFiles = std::vector<std::pair<std::string, std::string>>;

// Without `pictures` the report has none, whatever the options say.
[[nodiscard]] std::string render_markdown(const Document& document, const MarkdownOptions& options,
                                          PictureFiles* pictures = nullptr);

}  // namespace assay::reporters
