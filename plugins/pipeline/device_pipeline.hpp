// SPDX-License-Identifier: Apache-2.0
//
// A pipeline on GPUs: the stages of this rank, which is one with a GPU of its own, or all of them on one GPU.
#pragma once

#include "lib/cublaslt.hpp"
#include "lib/model/cuda_fused_attention.hpp"
#include "lib/rank_memory.hpp"
#include "pipeline/abort_watch.hpp"
#include "pipeline/device_costs.hpp"
#include "pipeline/device_messages.hpp"
#include "pipeline/device_stage.hpp"
#include "pipeline/layout.hpp"
#include "pipeline/parameters.hpp"
#include "pipeline/peer_memories.hpp"
#include "pipeline/sm_partitions.hpp"
#include "pipeline/stage_map.hpp"
#include "pipeline/step_board.hpp"
#include "pipeline/times.hpp"

#include <assay/case.hpp>
#include <assay/cuda/device.hpp>
#include <assay/cuda/graph.hpp>
#include <assay/cuda/memory.hpp>
#include <assay/group.hpp>
#include <assay/verification.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace assay::plugins::pipeline {

// What it runs on. Outlives it.
struct DevicePlace {
  const Case& run;
  const Group& group;
  const cuda::Device& device;
  const cublaslt::Handle& handle;
  cudaStream_t stream;             // of checks, and of a stage that has the GPU to itself
  const SmPartitions* partitions;  // null: there are none
  model::FusedAttention* fused;    // null: attention is unfused
};

class DevicePipeline {
 public:
  // An action of a traced step, by the host's clock.
  struct Span {
    std::uint32_t stage = 0;
    schedule::Action action;
    std::int64_t begin_ns = 0, end_ns = 0;
  };

  // Ranks all make it, with the same layout. Throws Skip where they cannot reach each other's memory.
  DevicePipeline(const DevicePlace& place, const Layout& layout, const DeviceOptions& options, bool graph);
  DevicePipeline(const DevicePipeline&) = delete;  // kernels hold addresses in its memory
  DevicePipeline& operator=(const DevicePipeline&) = delete;
  ~DevicePipeline();

  // The first step, which loads kernels; and the graph of one, where it is wanted. Throws Cancelled.
  void start();

  // These return when the device is done. Throw Cancelled.
  void restore();
  void destroy_gradients();
  StepRecord step();
  void verify(Verification& seen) const;

  // Counts the last step among those of the sample.
  void keep();
  // Of the last step.
  std::vector<Span> spans() const;
  // At the end of a sample, of whose steps parts are the mean.
  void record();
  void record_loss() const { place_.run.value("loss", last_.loss); }
  // Costs of stages alone, and what the simulator makes of them. Once more after the samples: what disturbed the machine
  // for a while is not in both.
  void measure_costs();

  const Layout& layout() const { return layout_; }

 private:
  bool has_all_stages() const { return place_.group.size() == 1; }
  // Stages alone have what they have in a step.
  bool is_predictable() const { return stages_.size() == 1 || place_.partitions != nullptr; }
  cudaStream_t stream_of(std::size_t stage);
  void make_stage(std::uint32_t number);
  void queue();
  void queue_or_launch();
  void wait_for_stages() const;
  StageRecord record_of(const DeviceStage& stage, std::int64_t begin_ns, std::int64_t end_ns) const;
  void measure_passes();
  void say_facts() const;
  double seconds_of_a_step(std::int64_t all_ns) const;

  const DevicePlace place_;
  const Layout& layout_;
  const DeviceOptions& options_;
  const bool graph_wanted_;
  const std::vector<StageMap> maps_;
  std::optional<AbortWatch> abort_;  // of stages that are ranks
  std::optional<RankMemory> shared_;
  std::optional<StepBoard> board_;
  std::vector<cuda::Stream> own_streams_;
  std::vector<cuda::DeviceBuffer<std::byte>> buffers_;  // of each stage of this rank
  std::optional<PeerMemories> peers_;
  std::vector<std::byte*> memories_;  // of each stage of all ranks
  std::vector<double> taken_;         // bytes, by each stage of this rank
  std::unique_ptr<DeviceMessages> messages_;
  std::vector<std::unique_ptr<DeviceStage>> stages_;  // of this rank
  std::vector<DeviceCosts> costs_;
  std::optional<cuda::Graph> graph_;

  StepRecord last_;
  std::vector<StageRecord> mine_;
  std::int64_t last_end_ns_ = 0;
  Times steps_, bubbles_;
  std::vector<Times> busy_;
  std::vector<std::int64_t> busy_ns_, transfer_ns_;  // of the sample's steps
  std::int64_t kept_ = 0;
};

}  // namespace assay::plugins::pipeline
