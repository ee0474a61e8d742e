// SPDX-License-Identifier: Apache-2.0
#include "lib/schedule/simulate.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace assay::plugins::schedule {
namespace {

const TransferCosts& transfer_of(const Channel& channel, const Costs& costs) {
  return (channel.is_forward() ? costs.activations : costs.gradients)[channel.boundary()];
}

void require_whole(const Schedule& schedule, const Costs& costs) {
  const std::size_t parts = schedule.parts();
  if (costs.of_part.size() != parts || costs.activations.size() + 1 != parts ||
      costs.gradients.size() + 1 != parts || costs.optimizer.size() != schedule.stages)
    throw std::invalid_argument("the costs are of another number of parts or stages");
}

// Of one channel: when its messages, in order, are there to be received, and when they have been.
struct Messages {
  std::vector<double> sent, there, taken;
};

class Simulator {
 public:
  Simulator(const Schedule& schedule, const Costs& costs)
      : schedule_(schedule), costs_(costs), program_(make_program(schedule)), stages_(schedule.stages) {
    result_.of_stage.resize(schedule.stages);
  }

  // Stages go on as far as they can, in turn, until none can. What one does when does not depend on the turns.
  Simulation run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::uint32_t stage = 0; stage < schedule_.stages; ++stage)
        while (advance(stage)) moved = true;
    }
    for (std::uint32_t stage = 0; stage < schedule_.stages && result_.deadlock.empty(); ++stage)
      if (!is_done(stage)) result_.deadlock = chain_from(stage);
    if (result_.deadlock.empty()) finish();
    return std::move(result_);
  }

 private:
  struct Stage {
    std::size_t next = 0;  // action
    double now = 0;
    bool awaits = false;  // has sent, and waits until that has been received
    std::vector<Event> events;
  };

  bool is_done(std::uint32_t stage) const { return stages_[stage].next == program_[stage].size(); }

  bool advance(std::uint32_t number) {
    if (is_done(number)) return false;
    Stage& stage = stages_[number];
    const Action& action = program_[number][stage.next];
    switch (action.what) {
      case What::compute:
        compute(number, action);
        break;
      case What::receive:
        if (!receive(number, action)) return false;
        break;
      case What::send:
        if (!send(number, action)) return false;
        break;
    }
    ++stage.next;
    return true;
  }

  void occupy(std::uint32_t number, const Action& action, double seconds) {
    Stage& stage = stages_[number];
    stage.events.push_back({number, action, stage.now, stage.now + seconds});
    stage.now += seconds;
  }

  void compute(std::uint32_t number, const Action& action) {
    const std::uint32_t part = schedule_.part(number, action.operation.chunk);
    const double seconds = cost_of(action.operation, costs_.of_part[part]);
    occupy(number, action, seconds);
    result_.of_stage[number].busy += seconds;
  }

  bool receive(std::uint32_t number, const Action& action) {
    Stage& stage = stages_[number];
    Messages& messages = channels_[action.channel];
    const std::size_t which = messages.taken.size();
    if (messages.there.size() <= which) return false;
    StageUse& use = result_.of_stage[number];
    // Until it was sent the stage has waited for its neighbour, since then for the transfer.
    use.transferring += std::max(0.0, messages.there[which] - std::max(stage.now, messages.sent[which]));
    stage.now = std::max(stage.now, messages.there[which]);
    const double seconds = transfer_of(action.channel, costs_).receive;
    occupy(number, action, seconds);
    use.transferring += seconds;
    messages.taken.push_back(stage.now);
    return true;
  }

  bool send(std::uint32_t number, const Action& action) {
    Stage& stage = stages_[number];
    Messages& messages = channels_[action.channel];
    if (!stage.awaits) {
      const std::size_t which = messages.there.size();
      if (costs_.buffers > 0 && which >= costs_.buffers) {
        if (messages.taken.size() + costs_.buffers <= which) return false;
        stage.now = std::max(stage.now, messages.taken[which - costs_.buffers]);
      }
      const TransferCosts& transfer = transfer_of(action.channel, costs_);
      occupy(number, action, transfer.send);
      result_.of_stage[number].transferring += transfer.send;
      messages.sent.push_back(stage.now);
      messages.there.push_back(stage.now + transfer.travel);
      if (costs_.buffers > 0) return true;
    }
    stage.awaits = messages.taken.size() < messages.there.size();
    if (stage.awaits) return false;
    stage.now = std::max(stage.now, messages.taken.back());
    return true;
  }

  std::string wait_text(std::uint32_t stage) const {
    const Action& action = program_[stage][stages_[stage].next];
    const bool sends = action.what == What::send;
    const std::uint32_t part = sends ? action.channel.to : action.channel.from;
    return "stage " + std::to_string(stage) + " waits " + (sends ? "to hand over" : "for") + " the " +
           (action.channel.is_forward() ? "activations" : "gradients") + " of micro-batch " +
           std::to_string(action.operation.micro_batch) + (sends ? " to stage " : " from stage ") +
           std::to_string(schedule_.stage_of(part));
  }

  // From one stage to the one that it waits for, until one comes again or is done.
  std::string chain_from(std::uint32_t stage) const {
    std::vector<std::uint32_t> chain;
    while (!is_done(stage) && std::find(chain.begin(), chain.end(), stage) == chain.end()) {
      chain.push_back(stage);
      const Action& action = program_[stage][stages_[stage].next];
      stage = schedule_.stage_of(action.what == What::send ? action.channel.to : action.channel.from);
    }
    // Those that lead to a circle are not in it.
    if (!is_done(stage)) chain.erase(chain.begin(), std::find(chain.begin(), chain.end(), stage));
    std::string text;
    for (const std::uint32_t each : chain) text += (text.empty() ? "" : "; ") + wait_text(each);
    return is_done(stage) ? text + "; stage " + std::to_string(stage) + " is done" : text;
  }

  void finish() {
    for (std::uint32_t number = 0; number < schedule_.stages; ++number) {
      Stage& stage = stages_[number];
      result_.of_stage[number].busy += costs_.optimizer[number];
      result_.of_stage[number].end = stage.now + costs_.optimizer[number];
      result_.makespan = std::max(result_.makespan, result_.of_stage[number].end);
      result_.events.insert(result_.events.end(), stage.events.begin(), stage.events.end());
    }
  }

  const Schedule& schedule_;
  const Costs& costs_;
  const std::vector<std::vector<Action>> program_;
  std::vector<Stage> stages_;
  std::map<Channel, Messages> channels_;
  Simulation result_;
};

bool alike(double a, double b) { return std::fabs(a - b) <= 1e-9 * (std::fabs(a) + std::fabs(b)); }
bool is_before(double a, double b) { return a < b && !alike(a, b); }

double seconds_of(const Event& event, const Schedule& schedule, const Costs& costs) {
  const Operation& operation = event.action.operation;
  if (event.action.what == What::compute)
    return cost_of(operation, costs.of_part[schedule.part(event.stage, operation.chunk)]);
  const TransferCosts& transfer = transfer_of(event.action.channel, costs);
  return event.action.what == What::send ? transfer.send : transfer.receive;
}

std::string text_of(const Event& event, const Schedule& schedule) {
  const char* const what[] = {"receiving for the ", "", "sending of the "};
  return "stage " + std::to_string(event.stage) + ": " + what[static_cast<std::size_t>(event.action.what)] +
         text_of(event.action.operation, schedule.chunks);
}

std::string contradiction_on_stages(const std::vector<std::vector<Event>>& events, const Schedule& schedule,
                                    const Costs& costs) {
  const std::vector<std::vector<Action>> program = make_program(schedule);
  for (std::uint32_t stage = 0; stage < schedule.stages; ++stage) {
    if (events[stage].size() != program[stage].size())
      return "stage " + std::to_string(stage) + " does not do all that it has to";
    double free = 0;
    for (std::size_t i = 0; i < events[stage].size(); ++i) {
      const Event& event = events[stage][i];
      if (event.action.what != program[stage][i].what ||
          event.action.operation != program[stage][i].operation)
        return text_of(event, schedule) + " is out of turn";
      if (is_before(event.begin, free)) return text_of(event, schedule) + " begins beside another";
      if (!alike(event.end - event.begin, seconds_of(event, schedule, costs)) &&
          !alike(event.end, event.begin + seconds_of(event, schedule, costs)))
        return text_of(event, schedule) + " takes another time than it costs";
      free = event.end;
    }
  }
  return {};
}

}  // namespace

Costs uniform_costs(const Schedule& schedule, double forward, double input_gradient, double weight_gradient) {
  Costs costs;
  costs.of_part.assign(schedule.parts(),
                       {forward, input_gradient + weight_gradient, input_gradient, weight_gradient, 0});
  costs.activations.resize(schedule.parts() - 1);
  costs.gradients.resize(schedule.parts() - 1);
  costs.optimizer.resize(schedule.stages);
  return costs;
}

double cost_of(const Operation& operation, const PartCosts& costs) {
  switch (operation.kind) {
    case Kind::forward:
      return costs.forward;
    case Kind::backward:
      return costs.recompute + costs.backward;
    case Kind::input_gradient:
      return costs.recompute + costs.input_gradient;
    case Kind::weight_gradient:
      break;
  }
  return costs.weight_gradient;
}

double Simulation::bubble() const {
  double busy = 0;
  for (const StageUse& use : of_stage) busy += use.busy;
  const double all = makespan * static_cast<double>(of_stage.size());
  return all > 0 ? 1 - busy / all : 0;
}

Simulation simulate(const Schedule& schedule, const Costs& costs) {
  require_whole(schedule, costs);
  return Simulator(schedule, costs).run();
}

std::string contradiction_of(const Simulation& simulation, const Schedule& schedule, const Costs& costs) {
  std::vector<std::vector<Event>> events(schedule.stages);
  for (const Event& event : simulation.events) events[event.stage].push_back(event);
  if (std::string text = contradiction_on_stages(events, schedule, costs); !text.empty()) return text;
  std::map<Channel, std::vector<Event>> sent, taken;
  for (const Event& event : simulation.events) {
    if (event.action.what == What::send) sent[event.action.channel].push_back(event);
    if (event.action.what == What::receive) taken[event.action.channel].push_back(event);
  }
  for (const auto& [channel, messages] : taken) {
    const std::vector<Event>& of = sent[channel];
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (i >= of.size() || of[i].action.operation.micro_batch != messages[i].action.operation.micro_batch)
        return text_of(messages[i], schedule) + " takes another micro-batch than was sent";
      if (is_before(messages[i].begin, of[i].end + transfer_of(channel, costs).travel))
        return text_of(messages[i], schedule) + " begins before it is there";
      if (costs.buffers > 0 && i >= costs.buffers && is_before(of[i].begin, messages[i - costs.buffers].end))
        return text_of(of[i], schedule) + " begins before there is a buffer";
    }
  }
  double end = 0;
  for (std::uint32_t stage = 0; stage < schedule.stages; ++stage)
    end = std::max(end, (events[stage].empty() ? 0 : events[stage].back().end) + costs.optimizer[stage]);
  // A stage that waits for its last message to be received is done later than its last event.
  return is_before(simulation.makespan, end) ? "the step ends before its last stage" : "";
}

}  // namespace assay::plugins::schedule
