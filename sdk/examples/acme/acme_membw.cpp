// SPDX-License-Identifier: Apache-2.0
#include "membw.hpp"

namespace {

class AcmeMembw final : public acme::Membw<90> {
 public:
  using Membw::Membw;
  static void describe(assay::Description<Params>& is) { acme::describe_membw(is); }
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Acme").license("Apache-2.0").summary("memory bandwidth of Acme accelerators, simulated");
  }
};

}  // namespace

ASSAY_PLUGIN("com.acme.membw", "1.0.0", acme::kBackend, AcmeMembw, About)
