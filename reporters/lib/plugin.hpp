// SPDX-License-Identifier: Apache-2.0
//
// What the reporters' plugins share: the SDK's options as a list, and who made them.
#pragma once

#include "lib/options.hpp"

#include <assay/plugin.hpp>

#include <initializer_list>
#include <string>

namespace assay::reporters {

// Who made a reporter that says in kAbout what it makes.
template <class Reporter>
struct Ours {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary(Reporter::kAbout);
  }
};

// All of the named options, as texts with defaults filled in.
inline OptionList listed(const assay::Options& options, std::initializer_list<const char*> names) {
  OptionList out;
  for (const char* name : names) out.emplace_back(name, options.text(name));
  return out;
}

}  // namespace assay::reporters
