// SPDX-License-Identifier: Apache-2.0
#include "plan/site.hpp"

#include "base/quantity.hpp"
#include "base/suggest.hpp"
#include "plan/plan.hpp"
#include "plan/requirements.hpp"
#include "suite/scalar.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"
#include "yaml/node.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

namespace assay::plan {
namespace {

using suite::Scalar;
using yaml::Node;

constexpr const char* kDevices = "devices";
// Numbers went through a text on their way.
constexpr double kSame = 1e-9;

enum class FactRelation { equal, at_least, at_most };

FactRelation relation_of(const Scalar& wanted) {
  if (wanted.text.starts_with(">=")) return FactRelation::at_least;
  return wanted.text.starts_with("<=") ? FactRelation::at_most : FactRelation::equal;
}

std::string without_relation(const Scalar& wanted) {
  std::string text = wanted.text.substr(relation_of(wanted) == FactRelation::equal ? 0 : 2);
  text.erase(0, text.find_first_not_of(' '));
  return text;
}

bool holds(FactRelation relation, double here, double wanted) {
  const bool same = std::abs(here - wanted) <= kSame * std::max(std::abs(here), std::abs(wanted));
  if (relation == FactRelation::equal) return same;
  return same || (relation == FactRelation::at_least ? here > wanted : here < wanted);
}

bool is_version(const std::string& key) {
  return key == "driver" || key.find("version") != std::string::npos;
}

bool is_met(const std::string& key, const Scalar& wanted, const Json& here) {
  const FactRelation relation = relation_of(wanted);
  if (here.is_boolean()) return wanted.kind == Scalar::Kind::boolean && wanted.boolean == here.get<bool>();
  if (here.is_number()) {
    const auto number = parse_quantity(without_relation(wanted));
    return wanted.kind != Scalar::Kind::boolean && number &&
           holds(relation, here.get<double>(), number->value);
  }
  if (!here.is_string()) return false;
  const std::string text = here.get<std::string>();
  if (relation != FactRelation::equal || is_version(key)) return is_that_version(text, wanted.text);
  return wanted.text == text;
}

std::string value_text(const Json& value) {
  if (value.is_null()) return "unknown";
  return printable(value.is_string() ? value.get<std::string>() : value.dump());
}

// ---- Reading

class SiteReader {
 public:
  SiteReader(std::string file, std::string text, Diagnostics& diagnostics) : diagnostics_(diagnostics) {
    site_.file = std::move(file);
    site_.text = std::move(text);
  }

  Site run() {
    auto source = std::make_shared<yaml::Source>();
    source->file = site_.file;
    source->text = site_.text.starts_with("\xEF\xBB\xBF") ? site_.text.substr(3) : site_.text;
    const yaml::NodePtr root = yaml::read_yaml(std::move(source), diagnostics_);
    if (!root || !is_map(*root, "a site file")) return std::move(site_);
    const Node* version = root->find("version");
    if (version == nullptr || version->text != "1" || version->quoted)
      error("site.version", version != nullptr ? version->position : root->position,
            "a site file begins with version: 1", "write one with: assay system --write-site FILE");
    for (const auto& [name, value] : root->entries) {
      if (name->text == "host") {
        if (is_map(*value, "'host'")) site_.host = facts(*value, {});
      } else if (name->text == "backends") {
        read_backends(*value);
      } else if (name->text != "version") {
        unknown(*name, {"version", "host", "backends"});
      }
    }
    if (site_.host.empty() && site_.backends.empty() && !diagnostics_.has_errors())
      error("site.empty", root->position, "the site file holds a machine to nothing",
            "write one with: assay system --write-site FILE");
    return std::move(site_);
  }

 private:
  void error(std::string code, const Position& position, std::string text, std::string hint) {
    diagnostics_.error(std::move(code), position, std::move(text), std::move(hint));
  }

  void unknown(const Node& name, const std::vector<std::string>& known) {
    error("site.unknown-key", name.position, "unknown key '" + printable(name.text) + "'",
          suggestion(name.text, known));
  }

  bool is_map(const Node& node, const std::string& what) {
    if (node.kind == Node::Kind::map) return true;
    error("site.type", node.position, what + " must be a map, not " + yaml::describe(node),
          "write NAME: VALUE lines below it");
    return false;
  }

  void read_backends(const Node& backends) {
    if (!is_map(backends, "'backends'")) return;
    for (const auto& [name, value] : backends.entries) {
      if (!is_map(*value, "'" + printable(name->text) + "'")) continue;
      SiteBackend& backend = site_.backends.emplace_back();
      backend.name = {name->text, name->position};
      backend.facts = facts(*value, "models");
      const Node* models = value->find("models");
      if (models == nullptr) continue;
      if (models->kind != Node::Kind::list) {
        error("site.type", models->position, "'models' must be a list, not " + yaml::describe(*models),
              "begin each model with: - model: NAME");
        continue;
      }
      for (const auto& item : models->items) read_model(*item, backend);
    }
  }

  void read_model(const Node& node, SiteBackend& backend) {
    if (!is_map(node, "a model")) return;
    const Node* name = node.find("model");
    if (name == nullptr || name->kind != Node::Kind::scalar || name->text.empty()) {
      error("site.missing-key", node.position, "a model needs its name", "add model: NAME");
      return;
    }
    backend.models.push_back({{name->text, name->position}, facts(node, "model")});
  }

  std::vector<SiteFact> facts(const Node& map, const std::string& but) {
    std::vector<SiteFact> found;
    for (const auto& [name, value] : map.entries) {
      if (!but.empty() && name->text == but) continue;
      if (value->kind != Node::Kind::scalar) {
        error("site.type", value->position,
              "'" + printable(name->text) + "' must be a number, true, false or text, not " +
                  yaml::describe(*value),
              "leave it out to hold the machine to nothing there");
        continue;
      }
      const auto scalar = suite::read_scalar(*value, suite::ScalarUse::typed, diagnostics_);
      if (!scalar) continue;
      if (without_relation(*scalar).empty() || (name->text == kDevices && !is_count(*scalar))) {
        error("site.value", value->position,
              "'" + printable(name->text) + "' cannot be '" + printable(scalar->text) + "'",
              name->text == kDevices ? "write a number, or \">=N\""
                                     : "write what it should be, or \">=VALUE\"");
        continue;
      }
      found.push_back({{name->text, name->position}, *scalar});
    }
    return found;
  }

  static bool is_count(const Scalar& scalar) {
    const std::string number = without_relation(scalar);
    return number.size() < 6 &&
           std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
  }

  Diagnostics& diagnostics_;
  Site site_;
};

// ---- Comparing

class SiteComparison {
 public:
  SiteComparison(const Site& site, const system::Inventory& inventory, const Json& host)
      : site_(site), inventory_(inventory), host_(host) {}

  std::vector<Unmet> run() {
    for (const SiteFact& fact : site_.host) {
      Json here = host_.value(fact.name.value, Json());
      if (here.is_array()) here = here.size();  // numa_nodes
      std::vector<std::string> names;
      if (here.is_null() && host_.is_object())
        for (const auto& [name, value] : host_.items()) names.push_back(name);
      const std::string hint = here.is_null() ? nearest(fact.name.value, names) : "";
      expect(fact, here, "of the host", hint);
    }
    for (const SiteBackend& backend : site_.backends) compare(backend);
    return std::move(unmet_);
  }

 private:
  void add(const Position& position, std::string text) {
    unmet_.push_back({std::move(text), position, "site.differs"});
  }

  void expect(const SiteFact& fact, const Json& here, const std::string& of, const std::string& hint = {}) {
    if (is_met(fact.name.value, fact.wanted, here)) return;
    add(fact.wanted.position, printable(fact.name.value) + " " + of + " is " + value_text(here) +
                                  "; the site file says " + printable(fact.wanted.text) +
                                  (hint.empty() ? "" : " (is '" + printable(hint) + "' meant?)"));
  }

  void compare(const SiteBackend& wanted) {
    const std::string& name = wanted.name.value;
    if (!is_available(inventory_, name)) {
      add(wanted.name.position, why_unavailable(inventory_, name) + "; the site file has some");
      return;
    }
    const system::Backend& backend = *inventory_.find(name);
    for (const SiteFact& fact : wanted.facts) {
      if (fact.name.value == kDevices) {
        expect(fact, backend.devices.size(), "of " + name);
      } else {
        expect(fact, backend.facts.value(fact.name.value, Json()), "of the backend " + name);
      }
    }
    for (const SiteModel& model : wanted.models) compare(model, backend);
  }

  void compare(const SiteModel& wanted, const system::Backend& backend) {
    std::vector<const system::Device*> devices;
    for (const system::Device& device : backend.devices)
      if (device.model == wanted.name.value) devices.push_back(&device);
    if (devices.empty()) {
      add(wanted.name.position, "no device of " + backend.name + " is '" + printable(wanted.name.value) +
                                    "', which the site file has; here are " + models_of(backend));
      return;
    }
    for (const SiteFact& fact : wanted.facts) {
      if (fact.name.value == kDevices) {
        expect(fact, devices.size(), "of model " + printable(wanted.name.value));
        continue;
      }
      // Devices that differ alike are one line.
      std::map<std::string, std::pair<Json, std::vector<std::string>>> different;
      for (const system::Device* device : devices) {
        const Json here = device->facts.value(fact.name.value, Json());
        if (is_met(fact.name.value, fact.wanted, here)) continue;
        auto& [value, names] = different[value_text(here)];
        value = here;
        names.push_back(device->name);
      }
      for (const auto& [text, found] : different) expect(fact, found.first, "of " + join(found.second, ", "));
    }
  }

  static std::string models_of(const system::Backend& backend) {
    std::vector<std::string> names;
    for (const system::Device& device : backend.devices) {
      const std::string name = "'" + printable(device.model) + "'";
      add_once(names, name);
    }
    return join(names, ", ");
  }

  const Site& site_;
  const system::Inventory& inventory_;
  const Json& host_;
  std::vector<Unmet> unmet_;
};

}  // namespace

bool Site::states_devices_of(const std::string& backend) const {
  return std::any_of(backends.begin(), backends.end(), [&](const SiteBackend& one) {
    return one.name.value == backend &&
           std::any_of(one.facts.begin(), one.facts.end(), [](const SiteFact& fact) {
             return fact.name.value == kDevices && relation_of(fact.wanted) == FactRelation::equal;
           });
  });
}

Site parse_site(const std::string& file, const std::string& text, Diagnostics& diagnostics) {
  return SiteReader(file, text, diagnostics).run();
}

std::vector<Unmet> differences(const Site& site, const system::Inventory& inventory, const Json& host) {
  return SiteComparison(site, inventory, host).run();
}

}  // namespace assay::plan
