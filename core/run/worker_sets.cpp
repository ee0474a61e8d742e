// SPDX-License-Identifier: Apache-2.0
#include "run/worker_sets.hpp"

#include "run/worker_environment.hpp"
#include "text/lookup.hpp"

#include <algorithm>
#include <charconv>

namespace assay::run {
namespace {

// A profiler writes its report after the program that it wraps has ended.
constexpr double kWrapLimit_s = 60;

std::string headline_kind(const catalog::Benchmark& benchmark) {
  for (const catalog::MetricDeclaration& metric : benchmark.metrics) {
    if (metric.headline) return metric.kind == catalog::MetricKind::rate ? "rate" : "duration";
  }
  return "duration";
}

}  // namespace

int number_in_name(const std::string& device) {
  int number = 0;
  const std::size_t colon = device.rfind(':');
  const char* begin = device.data() + (colon == std::string::npos ? 0 : colon + 1);
  const char* end = device.data() + device.size();
  return std::from_chars(begin, end, number).ptr == end ? number : 0;
}

WorkerSets::WorkerSets(const plan::Plan& plan, const system::Inventory& inventory,
                       const RunSettings& settings,
                       std::function<BackendProcess*(const std::string&)> backend,
                       std::function<bool(const std::string&)> hidden)
    : inventory_(inventory), settings_(settings), backend_(std::move(backend)), hidden_(std::move(hidden)) {
  for (const plan::PlannedCase& planned : plan.cases) {
    if (planned.predetermined) continue;
    auto& ranks = devices_[planned.worker_key];
    ranks.resize(std::max(ranks.size(), planned.placement.ranks.size()));
    for (std::size_t rank = 0; rank < planned.placement.ranks.size(); ++rank) {
      for (const std::string& device : planned.placement.ranks[rank].devices) add_once(ranks[rank], device);
    }
  }
  // In the inventory's order, whatever the order of the cases.
  std::map<std::string, std::size_t> place;
  for (const system::Backend& found : inventory.backends) {
    for (const system::Device& device : found.devices) place.emplace(device.name, place.size());
  }
  for (auto& [key, ranks] : devices_) {
    for (std::vector<std::string>& devices : ranks) {
      std::stable_sort(devices.begin(), devices.end(),
                       [&](const std::string& a, const std::string& b) { return place[a] < place[b]; });
    }
  }
}

WorkerSets::~WorkerSets() { end(false); }

RankSet& WorkerSets::get(const plan::PlannedCase& planned, int round, std::vector<std::string>& notes) {
  if (set_ && (key_ != planned.worker_key || round_ != round ||
               set_->size() != static_cast<int>(planned.placement.ranks.size()))) {
    end(true);
  }
  if (set_) {
    if (const std::string lost = set_->lost(); !lost.empty()) {
      notes.push_back("worker replaced: it " + lost + " between two visits");
      end(false);
    }
  }
  if (!set_) {
    set_ = std::make_unique<RankSet>(setups(planned), *planned.manifest);
    key_ = planned.worker_key;
    round_ = round;
  }
  return *set_;
}

void WorkerSets::end(bool politely) {
  if (!set_) return;
  const double limit_s =
      settings_.wrap.empty() ? settings_.grace_s : std::max(settings_.grace_s, kWrapLimit_s);
  set_->close(politely ? limit_s : 0);
  set_.reset();
}

std::vector<std::string> WorkerSets::visible(const plan::PlannedCase& planned, std::size_t rank) const {
  std::vector<std::string> devices = devices_.at(planned.worker_key).at(rank);
  std::erase_if(devices, hidden_);
  return devices;
}

std::vector<RankSetup> WorkerSets::setups(const plan::PlannedCase& planned) const {
  std::vector<RankSetup> setups;
  for (std::size_t rank = 0; rank < planned.placement.ranks.size(); ++rank) {
    const plan::RankPlacement& placement = planned.placement.ranks[rank];
    RankSetup setup;
    setup.node = placement.node;
    setup.visible = visible(planned, rank);
    std::map<std::string, std::string> environment;
    if (BackendProcess* backend = backend_(plan::backend_of(planned));
        backend != nullptr && !setup.visible.empty()) {
      environment = backend->visibility(setup.visible);
    }
    setup.renumbered = !environment.empty();
    setup.launch.arguments = settings_.wrap;
    setup.launch.arguments.push_back(settings_.program.string());
    setup.launch.arguments.push_back("worker");
    const bool is_command = plan::runs_command(planned) && !settings_.command_environment.empty();
    setup.launch.environment =
        worker_environment(is_command ? settings_.command_environment : settings_.base_environment,
                           settings_.library_path, planned.environment, environment);
    setup.launch.cpus = placement.cpus;
    setup.launch.memory_nodes = placement.memory_nodes;
    setups.push_back(std::move(setup));
  }
  return setups;
}

int WorkerSets::ordinal(const RankSetup& setup, const std::string& device) const {
  if (!setup.renumbered) return number_in_name(device);
  const auto found = std::find(setup.visible.begin(), setup.visible.end(), device);
  return static_cast<int>(found - setup.visible.begin());
}

std::vector<wire::StartVisit> WorkerSets::starts(const plan::PlannedCase& planned, RankSet& set) const {
  wire::StartVisit start;
  start.number = set.next_number();
  start.case_id = planned.id;
  start.benchmark = planned.benchmark->name;
  start.parameters = plan::given_to_plugin(planned);
  for (const catalog::MetricDeclaration& metric : planned.benchmark->metrics) {
    start.metrics.push_back(metric.name);
    if (metric.by_sample()) start.by_sample.push_back(metric.name);
  }
  for (const catalog::Fact& fact : planned.benchmark->facts) start.facts.push_back(fact.name);
  start.checks = planned.benchmark->checks;
  start.headline = headline_kind(*planned.benchmark);
  start.measure = planned.measure;
  start.timeout_s = planned.timeout_s;
  start.trace = settings_.trace && round_ == 1;
  start.profile = !settings_.wrap.empty();
  std::vector<wire::StartVisit> starts(planned.placement.ranks.size(), start);
  for (std::size_t rank = 0; rank < starts.size(); ++rank) {
    for (const std::string& name : planned.placement.ranks[rank].devices) {
      wire::VisitDevice device;
      device.name = name;
      device.ordinal = ordinal(set.setup(static_cast<int>(rank)), name);
      if (const system::Device* known = inventory_.find_device(name)) {
        device.uuid = known->uuid;
        device.numa_node = known->numa_node;
      }
      starts[rank].devices.push_back(std::move(device));
    }
  }
  if (starts.size() > 1) {
    std::map<int, int> on_node;
    std::vector<wire::VisitRank> ranks;
    for (std::size_t rank = 0; rank < starts.size(); ++rank) {
      const int node = planned.placement.ranks[rank].node;
      ranks.push_back({on_node[node]++, node, starts[rank].devices});
    }
    for (wire::StartVisit& each : starts) each.ranks = ranks;
  }
  return starts;
}

}  // namespace assay::run
