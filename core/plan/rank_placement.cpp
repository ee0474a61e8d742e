// SPDX-License-Identifier: Apache-2.0
#include "plan/rank_placement.hpp"

#include "system/binding.hpp"

#include <utility>

namespace assay::plan {
namespace {

system::BindRequest request_of(const suite::Bind& bind) {
  return {static_cast<system::BindKind>(bind.kind), bind.cpu, bind.memory};
}
static_assert(static_cast<int>(system::BindKind::explicit_nodes) ==
                  static_cast<int>(suite::Bind::Kind::explicit_nodes) &&
              static_cast<int>(system::BindKind::local) == static_cast<int>(suite::Bind::Kind::local));

}  // namespace

Placement place(const CaseSettings& settings, const Layout& layout, const system::Inventory* inventory,
                bool is_there, std::string& problem) {
  Placement placement;
  placement.bind = to_text(settings.bind);
  placement.load = settings.together && layout.device.empty() ? "together" : "alone";
  for (const auto& devices : layout.ranks) {
    RankPlacement rank;
    rank.devices = devices;
    if (is_there && inventory != nullptr) {
      const std::string name = devices.empty() ? "" : devices.front();
      const system::Device* device = inventory->find_device(name);
      const system::Topology* topology = inventory->topology ? &*inventory->topology : nullptr;
      system::Binding binding = system::resolve_binding(request_of(settings.bind), topology, name,
                                                        device == nullptr ? -1 : device->numa_node);
      rank.cpus = std::move(binding.cpus);
      rank.memory_nodes = std::move(binding.memory_nodes);
      if (!binding.problem.empty() && problem.empty())
        problem = "bind: " + placement.bind + " is not possible: " + binding.problem;
    }
    placement.ranks.push_back(std::move(rank));
  }
  return placement;
}

std::string worker_key(const PlannedCase& planned) {
  // Of two files of one plugin, each has workers of its own.
  std::string key = planned.manifest->id + "|" + planned.manifest->library +
                    "|ranks=" + std::to_string(planned.placement.ranks.size());
  for (const auto& [name, value] : planned.environment)
    key += "|" + name + (value ? "=" + *value : " removed");
  key += "|" + planned.placement.bind;
  std::string last;
  for (const RankPlacement& rank : planned.placement.ranks) {
    std::string part = "|" + std::to_string(rank.node) + ":" + system::to_cpu_list(rank.cpus) + ":" +
                       system::to_cpu_list(rank.memory_nodes);
    if (part != last) key += part;
    last = std::move(part);
  }
  if (planned.benchmark->own_process) key += "|" + planned.id;
  return key;
}

}  // namespace assay::plan
