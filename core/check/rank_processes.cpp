// SPDX-License-Identifier: Apache-2.0
#include "check/rank_processes.hpp"

#include "base/error.hpp"
#include "text/clock.hpp"
#include "wire/segment.hpp"

#include <signal.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

namespace assay::check {
namespace {

constexpr double kGrace_s = 3;  // for ranks whose peer died
constexpr double kStep_s = 60;  // between two looks where nothing comes

struct RankProcess {
  std::unique_ptr<wire::Child> child;
  Answers answers{};
  bool ended_seen = false;  // until its end

  [[nodiscard]] bool well() const { return child->ended_well() && answers.verdict.has_value(); }
  void take() {
    try {
      answers.take(*child);
    } catch (const Error&) {
      child->signal(SIGKILL);  // as if it had been lost
    }
  }
};

// Until all have ended. When one dies the others are told, and get a while to end by themselves.
void await_ranks(const Subject& subject, std::vector<RankProcess>& ranks, wire::Segment& group,
                 wire::Segment& check_segment) {
  double end_s = std::numeric_limits<double>::infinity();
  for (std::size_t left = ranks.size(); left > 0;) {
    std::vector<wire::Child*> children;
    for (const RankProcess& rank : ranks) children.push_back(rank.child.get());
    wire::wait_for(children, std::clamp(end_s - monotonic_s(), 0.0, kStep_s));
    const Stage before = ranks.front().answers.stage;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      RankProcess& rank = ranks[i];
      if (rank.ended_seen) continue;
      rank.take();
      if (!rank.child->ended()) continue;
      rank.ended_seen = true;
      --left;
      if (rank.well()) continue;
      end_s = std::min(end_s, monotonic_s() + kGrace_s);
      group.declare_dead(static_cast<int>(i));
      check_segment.declare_dead(static_cast<int>(i));
    }
    if (const Stage& now = ranks.front().answers.stage; now != before) subject.enter(now.text, now.may_die);
    if (monotonic_s() < end_s) continue;
    for (const RankProcess& rank : ranks) rank.child->signal(SIGKILL);
  }
}

}  // namespace

CheckVerdict in_ranks(const Subject& subject, CheckRequest request, const std::string& benchmark, int ranks,
                      const process::Launch& launch) {
  wire::Segment group = wire::Segment::create(ranks), check_segment = wire::Segment::create(ranks);
  request.benchmark = benchmark;
  std::vector<RankProcess> processes;
  for (int number = 0; number < ranks; ++number) {
    wire::Load load;
    load.rank = number;
    load.rank_count = ranks;
    process::Launch own = launch;
    own.descriptors = {group.descriptor(), check_segment.descriptor()};
    processes.push_back({std::make_unique<wire::Child>(std::move(own), load)});
    processes.back().child->send(to_json(request));
  }
  await_ranks(subject, processes, group, check_segment);

  if (const int dead = check_segment.dead_rank(); dead >= 0) {
    const RankProcess& lost = processes[static_cast<std::size_t>(dead)];
    const std::string text = "rank " + std::to_string(dead) + " " + lost.child->end_text();
    if (lost.answers.verdict) return failed(text + " after the check");
    return lost.child->end_signal() != 0 && check_segment.progress(dead).first != 0 ? passed(text)
                                                                                    : failed(text);
  }
  CheckVerdict worst = *processes.front().answers.verdict;
  for (std::size_t i = 1; i < processes.size(); ++i) {
    const CheckVerdict& verdict = *processes[i].answers.verdict;
    if (!is_worse(verdict.result, worst.result)) continue;
    worst = {verdict.result, "rank " + std::to_string(i) + ": " + verdict.text};
  }
  return worst;
}

}  // namespace assay::check
