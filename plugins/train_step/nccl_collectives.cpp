// SPDX-License-Identifier: Apache-2.0
#include "train_step/collectives.hpp"

#include <assay/cuda/error.hpp>
#include <assay/cuda/stream.hpp>
#include <assay/nccl.hpp>

namespace assay::plugins::train_step {
namespace {

class NcclCollectives final : public Collectives {
 public:
  NcclCollectives(const CollectiveRanks& ranks, model::Arithmetic arithmetic)
      : settings_(*ranks.run),
        communicator_(nccl::communicator(*ranks.run, *ranks.group, {*ranks.device})),
        type_(model::bytes_of(arithmetic).parameter == sizeof(float) ? ncclFloat32 : ncclBfloat16) {
    communicator_.before_giving_up(ranks.forget_graphs);
  }
  ~NcclCollectives() override {
    // Operations that other ranks will never join would keep the memory from being freed.
    if (communicator_.usable() && cudaStreamQuery(stream_) == cudaErrorNotReady) communicator_.give_up();
    if (communicator_.usable()) communicator_.before_giving_up(nullptr);
  }

  cudaStream_t stream() const override { return stream_; }

  void sum(void* numbers, std::size_t count, bool average) const override {
    ASSAY_NCCL_CHECK(nccl_.ncclAllReduce(numbers, numbers, count, type_, average ? ncclAvg : ncclSum,
                                         communicator_.handle(), stream_));
  }
  void sum_halves(void* numbers, std::size_t count, bool average) const override {
    ASSAY_NCCL_CHECK(nccl_.ncclAllReduce(numbers, numbers, count, ncclFloat16, average ? ncclAvg : ncclSum,
                                         communicator_.handle(), stream_));
  }
  void gather(const void* share, void* whole, std::size_t count) const override {
    ASSAY_NCCL_CHECK(nccl_.ncclAllGather(share, whole, count, type_, communicator_.handle(), stream_));
  }
  void gather_bf16(const void* share, void* whole, std::size_t count) const override {
    ASSAY_NCCL_CHECK(nccl_.ncclAllGather(share, whole, count, ncclBfloat16, communicator_.handle(), stream_));
  }
  void reduce(const void* whole, void* share, std::size_t count, bool average) const override {
    ASSAY_NCCL_CHECK(nccl_.ncclReduceScatter(whole, share, count, type_, average ? ncclAvg : ncclSum,
                                             communicator_.handle(), stream_));
  }

 private:
  const nccl::FileSettings settings_;
  nccl::Communicator& communicator_;  // the plugin keeps it for later cases
  const nccl::Library& nccl_ = nccl::Library::get();
  const ncclDataType_t type_;
  cuda::Stream stream_;
};

}  // namespace

std::unique_ptr<Collectives> make_collectives(const CollectiveRanks& ranks, model::Arithmetic arithmetic) {
  return std::make_unique<NcclCollectives>(ranks, arithmetic);
}

std::string library_of_collectives() { return "NCCL " + nccl::Library::get().version(); }

}  // namespace assay::plugins::train_step
