// SPDX-License-Identifier: Apache-2.0
//
// A second provider of membw on the backend acme. A suite that means one of them writes
// membw@acme:org.fast.membw.
#include "membw.hpp"

namespace {

class FastMembw final : public acme::Membw<97> {
 public:
  using Membw::Membw;
  static void describe(assay::Description<Params>& is) { acme::describe_membw(is); }
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Fast")
        .license("Apache-2.0")
        .summary("memory bandwidth of Acme accelerators by other kernels, simulated");
  }
};

}  // namespace

ASSAY_PLUGIN("org.fast.membw", "1.0.0", acme::kBackend, FastMembw, About)
