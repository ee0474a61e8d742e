// SPDX-License-Identifier: Apache-2.0
//
// A pipeline whose stages need not be here: what a step would take, by the simulator alone.
#pragma once

#include "lib/available_memory.hpp"
#include "lib/cpu_team.hpp"
#include "lib/host_products.hpp"
#include "lib/model/rank_cpus.hpp"
#include "lib/schedule/simulate.hpp"
#include "pipeline/layout.hpp"
#include "pipeline/parameters.hpp"
#include "pipeline/prediction.hpp"
#include "pipeline/stage.hpp"
#include "pipeline/stage_costs.hpp"
#include "pipeline/step_board.hpp"

#include <assay/case.hpp>
#include <assay/memory.hpp>
#include <assay/verification.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace assay::plugins::pipeline {

class SimulatedPipeline {
 public:
  // With forward_cost costs are given; else the stages' passes are measured here, one stage after the other. Throws
  // Skip where one of them does not fit.
  SimulatedPipeline(const Parameters& params, const Case& run, Layout layout)
      : params_(params), run_(run), layout_(std::move(layout)) {
    run_.fact("costs",
              params.forward_cost > 0 ? "given" : "measured on one rank of this machine, stage after stage");
    costs_ = params.forward_cost > 0 ? given_costs(params, layout_) : measured_costs();
    simulate();
    say();
  }

  void simulate() { seen_ = schedule::simulate(layout_.schedule, costs_); }
  double seconds() const { return seen_.makespan; }
  const Layout& layout() const { return layout_; }

  void verify(Verification& seen) const {
    seen.method("each event of the simulation held to the schedule, to its costs and to what it waits for");
    const std::string problem = schedule::contradiction_of(seen_, layout_.schedule, costs_);
    seen.count(seen_.events.size(), problem.empty() ? 0 : 1, problem);
  }
  void destroy() { seen_.events.clear(); }

 private:
  schedule::Costs measured_costs() const {
    require_countable(layout_);
    const std::vector<int> allowed = allowed_cpus();
    model::RankCpus cpus = model::cpus_of_rank(allowed, 0, 1, params_.threads != 0 ? params_.threads : 1);
    use_product_threads(static_cast<int>(cpus.threads));
    model::HostWorkers workers(std::move(cpus.mine));
    const StageOptions options = stage_options_of(params_);
    schedule::Costs costs = schedule::uniform_costs(layout_.schedule, 0, 0, 0);
    costs.buffers = params_.buffers;
    for (std::uint32_t number = 0; number < layout_.schedule.stages; ++number) {
      run_.throw_if_cancelled();
      const StageSizes sizes = sizes_of(layout_, number, options);
      require_memory(sizes.bytes(), available_memory(),
                     "stage " + std::to_string(number) + ": " + formula_of(sizes));
      std::vector<HostBuffer<float>> arrays;
      const auto allocate = [&](std::size_t floats) { return arrays.emplace_back(run_, floats).data(); };
      const auto clock = [this] { return run_.now_ns(); };
      Stage stage(layout_, number, options, allocate, workers, clock);
      stage.restore(run_.seed());
      StageCosts measured(stage, clock, [this] { run_.throw_if_cancelled(); });
      measured.measure_passes();
      for (std::uint32_t chunk = 0; chunk < layout_.schedule.chunks; ++chunk)
        costs.of_part[layout_.schedule.part(number, chunk)] = measured.of_chunk(chunk);
      costs.optimizer[number] = measured.update();
    }
    for (auto* transfers : {&costs.activations, &costs.gradients})
      for (schedule::TransferCosts& transfer : *transfers) transfer.travel = params_.transfer_cost;
    return costs;
  }

  void say() const {
    std::vector<double> busy;
    for (std::uint32_t stage = 0; stage < seen_.of_stage.size(); ++stage) {
      busy.push_back(seen_.of_stage[stage].busy);
      run_.value("simulated_stage_busy_time", stage, busy.back());
      run_.value("simulated_transfer_exposed", stage, seen_.of_stage[stage].transferring);
    }
    run_.value("simulated_stage_busy_cv", variation_of(busy));
    run_.value("simulated_bubble", seen_.bubble());
    run_.value("simulated_samples", static_cast<double>(layout_.batch) / seen_.makespan);
  }

  const Parameters& params_;
  const Case& run_;
  const Layout layout_;
  schedule::Costs costs_;
  schedule::Simulation seen_;
};

}  // namespace assay::plugins::pipeline
