// SPDX-License-Identifier: Apache-2.0
#include "run/run.hpp"

#include "base/error.hpp"
#include "base/suggest.hpp"
#include "process/orphan_reaper.hpp"
#include "run/backend.hpp"
#include "run/controller.hpp"
#include "run/device_lock.hpp"
#include "run/run_registry.hpp"
#include "text/clock.hpp"
#include "text/text.hpp"

#include <unistd.h>

#include <memory>
#include <set>
#include <utility>

namespace assay::run {
namespace {

std::string nobody_provides(const std::string& backend, const catalog::Catalog& catalog) {
  std::vector<std::string> provided;
  for (const catalog::Manifest& manifest : catalog.manifests())
    if (!manifest.provides_backend.empty()) provided.push_back(manifest.provides_backend);
  const std::string meant = nearest(backend, provided);
  return "no plugin provides backend '" + backend + "'" +
         (meant.empty() ? "" : " (did you mean '" + meant + "'?)");
}

std::vector<const system::Device*> devices_in_use(const plan::Plan& plan,
                                                  const system::Inventory& inventory) {
  std::set<std::string> used;
  for (const plan::PlannedVisit& planned : plan.order) {
    const plan::PlannedCase& current = plan.cases[planned.case_index];
    if (current.predetermined) continue;
    for (const plan::RankPlacement& rank : current.placement.ranks)
      used.insert(rank.devices.begin(), rank.devices.end());
  }
  std::vector<const system::Device*> devices;
  for (const std::string& name : used) {
    if (const system::Device* device = inventory.find_device(name)) devices.push_back(device);
  }
  return devices;
}

// The processors that the plan's workers may use. Empty if one may use any that this process may, and nobody
// knows which these are.
std::vector<int> cpus_in_use(const plan::Plan& plan, const system::Inventory& inventory) {
  std::set<int> used;
  for (const plan::PlannedCase& current : plan.cases) {
    if (current.predetermined) continue;
    for (const plan::RankPlacement& rank : current.placement.ranks) {
      const bool bound = !rank.cpus.empty();
      if (!bound && !inventory.topology) return {};
      const bool inherits = current.placement.bind == "inherit";
      const std::vector<int>& cpus = bound      ? rank.cpus
                                     : inherits ? inventory.topology->inherited_cpus
                                                : inventory.topology->cpus;
      used.insert(cpus.begin(), cpus.end());
    }
  }
  return {used.begin(), used.end()};
}

}  // namespace

std::shared_ptr<const DeviceLocks> hold_devices(const plan::Plan& plan, const system::Inventory& inventory,
                                                const RunSettings& settings) {
  return std::make_shared<const DeviceLocks>(settings.lock_folder, devices_in_use(plan, inventory));
}

std::shared_ptr<const RunRegistry> register_run(const plan::Plan& plan, const system::Inventory& inventory,
                                                const RunSettings& settings, const std::string& suite,
                                                bool alone) {
  RunNotice notice{static_cast<int>(getpid()), suite, unix_s(), cpus_in_use(plan, inventory), alone};
  return std::make_shared<const RunRegistry>(settings.lock_folder, std::move(notice));
}

system::Backend read_backend(const catalog::Manifest& manifest, const Json& answer) {
  Json entry = Json::object();
  entry["name"] = manifest.provides_backend;
  entry["plugin"] = manifest.id;
  for (const char* key : {"devices", "facts"}) {
    if (const auto found = answer.find(key); found != answer.end()) entry[key] = *found;
  }
  try {
    return system::backend_from_json(entry);
  } catch (const Error& error) {
    throw Error(error.code(), "plugin '" + manifest.id + "' cannot be used as a backend: " + error.what() +
                                  "; report it to the plugin's vendor");
  }
}

system::Inventory take_inventory(const catalog::Catalog& catalog, const std::vector<std::string>& backends,
                                 const RunSettings& settings) {
  struct AskedBackend {
    const catalog::Manifest* manifest = nullptr;
    std::unique_ptr<BackendProcess> backend;
  };
  const process::OrphanReaper reaper;  // outlives the workers
  std::vector<AskedBackend> asked;
  for (const std::string& name : backends) {
    AskedBackend one;
    one.manifest = catalog.backend(name);
    if (one.manifest != nullptr) {
      one.backend = std::make_unique<BackendProcess>(*one.manifest, settings);
      one.backend->ask_inventory();
    }
    asked.push_back(std::move(one));
  }
  system::Inventory inventory;
  for (std::size_t i = 0; i < backends.size(); ++i) {
    system::Backend found;
    found.name = backends[i];
    try {
      if (!asked[i].backend) throw Error("backend.unavailable", nobody_provides(backends[i], catalog));
      found.plugin = asked[i].manifest->id;
      found = read_backend(*asked[i].manifest, asked[i].backend->inventory());
      asked[i].backend->close();
    } catch (const Error& error) {
      found.unavailable = printable(error.what());
    }
    asked[i].backend.reset();
    inventory.backends.push_back(std::move(found));
  }
  return inventory;
}

Record run(const plan::Plan& plan, const system::Inventory& inventory, const catalog::Catalog& catalog,
           const RunSettings& settings, const std::vector<result::Visit>& done,
           const std::function<StopRequest()>& stop, const Finished& finished, const RunWatch& watch) {
  return Controller(plan, inventory, catalog, settings, stop, finished, watch).run(done);
}

}  // namespace assay::run
