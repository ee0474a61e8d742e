// SPDX-License-Identifier: Apache-2.0
//
// What goes to the standard streams. Only this component writes there.
#pragma once

#include "base/diagnostics.hpp"

#include <string_view>

namespace assay::cli {

// Prints every diagnostic of what is not a file.
void print(const Diagnostics& diagnostics);

// Prints to standard output. Gives the error's number, or 0; a reader that has gone is not an error.
int print_out(std::string_view text);
// The first error that print_out met, or 0: what was lost must not look like success. Closed output is none.
[[nodiscard]] int output_error();
void print_error(std::string_view text);

// To be called before a file is opened: a standard stream that is closed is opened on nothing, so that no
// file gets its number and the text that was meant for people. And a closed pipe or a limit on the size of
// files is noticed when writing, not by dying.
void ensure_standard_streams();

}  // namespace assay::cli
