// SPDX-License-Identifier: Apache-2.0
//
// A site file: what a machine is held to, written down once (docs/reference/site.md). Every difference is an
// unmet requirement.
#pragma once

#include "base/diagnostics.hpp"
#include "base/json.hpp"
#include "suite/suite.hpp"
#include "system/inventory.hpp"

#include <string>
#include <utility>
#include <vector>

namespace assay::plan {

struct Unmet;

// A fact and what it should be: a value, or a text that begins with ">=" or "<=".
struct SiteFact {
  suite::Located<std::string> name;
  suite::Scalar wanted;
};

struct SiteModel {
  suite::Located<std::string> name;
  std::vector<SiteFact> facts;  // `devices` among them: how many
};

struct SiteBackend {
  suite::Located<std::string> name;
  std::vector<SiteFact> facts;  // of the backend, and `devices`
  std::vector<SiteModel> models;
};

struct Site {
  std::string file, text;
  std::vector<SiteFact> host;
  std::vector<SiteBackend> backends;

  // Whether it says exactly how many.
  [[nodiscard]] bool states_devices_of(const std::string& backend) const;
};

// Problems go to diagnostics, all in one pass.
[[nodiscard]] Site parse_site(const std::string& file, const std::string& text, Diagnostics& diagnostics);

// `host` is who this machine is (system/host.hpp).
[[nodiscard]] std::vector<Unmet> differences(const Site& site, const system::Inventory& inventory,
                                             const Json& host);

// What this machine has, as such a file. What devices of one model have in common is there; what tells them
// apart (serial numbers, addresses) and what changes by itself (clocks) is not.
[[nodiscard]] std::string site_text(const system::Inventory& inventory, const Json& host);

}  // namespace assay::plan
