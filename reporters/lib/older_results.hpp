// SPDX-License-Identifier: Apache-2.0
//
// What results of older versions leave out or say in words that nobody reads, as today's have it.
#pragma once

#include "lib/document.hpp"

#include <string>

namespace assay::reporters {

// Older results have of a claim no more than its text: what it asks for, where a side is a name, or a number and names.
void add_what_is_asked(Finding& finding);

// Why sides are not comparable, without more than five of the things that they differ in.
[[nodiscard]] std::string with_few_names(const std::string& why);

// The text of a flag, or the advice of a reason.
[[nodiscard]] std::string in_todays_words(const std::string& text);

// A flag that tells values apart which read alike, by rules that did not ask how much counts.
[[nodiscard]] bool tells_nothing(const Flag& flag);

}  // namespace assay::reporters
