// SPDX-License-Identifier: Apache-2.0
#include "run/rank_set.hpp"

#include "text/clock.hpp"
#include "wire/load_of.hpp"

#include <signal.h>

#include <algorithm>
#include <map>

namespace assay::run {

RankSet::RankSet(std::vector<RankSetup> setups, const catalog::Manifest& manifest)
    : setups_(std::move(setups)), segment_(wire::Segment::create(static_cast<int>(setups_.size()))) {
  ready_.resize(setups_.size(), false);
  int nodes = 0;
  for (const RankSetup& setup : setups_) nodes = std::max(nodes, setup.node + 1);
  std::map<int, int> on_node;
  for (int rank = 0; rank < static_cast<int>(setups_.size()); ++rank) {
    wire::Load load = wire::load_of(manifest);
    load.rank = rank;
    load.rank_count = static_cast<int>(setups_.size());
    load.node = setup(rank).node;
    load.node_count = nodes;
    load.local_rank = on_node[load.node]++;
    process::Launch launch = setup(rank).launch;
    launch.descriptors = {segment_.descriptor()};
    workers_.push_back(std::make_unique<wire::Child>(std::move(launch), load));
  }
}

void RankSet::collect(std::vector<pollfd>& polled) {
  for (const auto& worker : workers_) worker->collect(polled);
}

void RankSet::pump(const std::vector<pollfd>& polled) {
  for (const auto& worker : workers_) worker->pump(polled);
}

std::string RankSet::lost() {
  wire::wait_for(workers_, 0);
  for (const auto& worker : workers_) {
    if (worker->ended() || worker->hung_up()) return worker->end_text();
  }
  return "";
}

void RankSet::close(double limit_s) {
  for (const auto& worker : workers_) worker->send(Json{{"type", "exit"}});
  const double deadline_s = monotonic_s() + limit_s;
  const auto ended = [](const auto& worker) { return worker->ended(); };
  for (double left_s = limit_s; left_s > 0 && !std::all_of(workers_.begin(), workers_.end(), ended);
       left_s = deadline_s - monotonic_s()) {
    wire::wait_for(workers_, left_s);
  }
  for (const auto& worker : workers_) worker->signal(SIGKILL);
  workers_.clear();
}

}  // namespace assay::run
