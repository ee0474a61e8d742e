// SPDX-License-Identifier: Apache-2.0
//
// A shared object that is not a plugin, and says so if its code runs.
#include <cstdlib>

namespace {
const bool kLoaded = (std::abort(), true);
}

extern "C" int answer() { return kLoaded ? 42 : 0; }
