// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace assay::cli {

// The whole command: parses the arguments, does what they say, gives the exit code. One of the three borders
// at which Error is caught.
int run_program(int argc, char** argv);

}  // namespace assay::cli
