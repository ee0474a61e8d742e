// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.hpp"
#include "cli/setting_words.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace assay::cli {

// Every provider that a name as in `uses` may mean. Throws Error "usage.benchmark" with a suggestion if there
// is none.
[[nodiscard]] std::vector<catalog::Provider> providers_of(const catalog::Catalog& catalog,
                                                          const std::string& name);

// The one that a suite takes for such a name: of a backend that has devices here; where none has any, or several have, the host's
// is not a fallback where another backend offers the benchmark.
struct ChosenProvider {
  catalog::Provider provider;
  std::string uses;          // the name, as a suite may say it
  std::string also_on = {};  // another backend that would do, where the name leaves it open
};
// Throws Error "usage.benchmark" if there is none, or if nothing says which of several. `has_devices` is asked where the name leaves
// open which backend is meant.
using HasDevices = std::function<bool(const std::string& backend)>;
[[nodiscard]] ChosenProvider choose_provider(const catalog::Catalog& catalog, const std::string& name,
                                             const HasDevices& has_devices);

// A suite of one case as YAML: key → value for parameters, "a,b,c", "from..to*factor" and "from..to+step" for
// axes; "samples", "devices", "env.X" and other keys of a case go where they belong.
[[nodiscard]] std::string bench_suite(const ChosenProvider& chosen, const std::vector<SettingText>& settings);
// The same without settings, to go on from: every parameter with its default and what it means. To be read,
// not run: reports would take all of them for choices of the suite.
[[nodiscard]] std::string template_suite(const ChosenProvider& chosen);

}  // namespace assay::cli
