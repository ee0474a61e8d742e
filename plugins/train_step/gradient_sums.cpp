// SPDX-License-Identifier: Apache-2.0
#include "train_step/gradient_sums.hpp"

#include <assay/cuda/stream.hpp>
#include <assay/nccl.hpp>

#include <utility>

namespace assay::plugins::train_step {
namespace {

class NcclSums final : public GradientSums {
 public:
  NcclSums(const SumRanks& ranks, SummedArray array)
      : settings_(*ranks.run),
        communicator_(nccl::communicator(*ranks.run, *ranks.group, {*ranks.device})),
        array_(std::move(array)),
        element_bytes_(model::bytes_of(array_.arithmetic).parameter),
        filled_(array_.buckets.size()),
        begun_(array_.buckets.size()),
        ended_(array_.buckets.size()) {
    communicator_.before_giving_up(ranks.forget_graphs);
  }
  ~NcclSums() override {
    // Operations that other ranks will never join would keep the memory from being freed.
    if (communicator_.usable() && cudaStreamQuery(stream_) == cudaErrorNotReady) communicator_.give_up();
    if (communicator_.usable()) communicator_.before_giving_up(nullptr);
  }

  void ready(cudaStream_t stream, int lowest_tensor) override {
    if (array_.overlap) queue_filled(stream, lowest_tensor);
  }

  void finish(cudaStream_t stream) override {
    queue_filled(stream, 0);
    next_ = 0;
    all_.record(stream_);
    ASSAY_CUDA_CHECK(cudaStreamWaitEvent(stream, all_, 0));
  }

  double seconds() const override {
    double sum = 0;
    for (std::size_t i = 0; i < begun_.size(); ++i) sum += cuda::seconds_between(begun_[i], ended_[i]);
    return sum;
  }
  std::vector<PhaseSpan> spans(const cuda::Event& begin) const override {
    std::vector<PhaseSpan> spans;
    for (std::size_t i = 0; i < begun_.size(); ++i)
      spans.push_back({Phase::communication, nanoseconds_between(begin, begun_[i]),
                       nanoseconds_between(begin, ended_[i])});
    return spans;
  }
  std::size_t buckets() const override { return array_.buckets.size(); }

 private:
  void queue_filled(cudaStream_t stream, int lowest_tensor) {
    while (next_ < array_.buckets.size() && array_.buckets[next_].lowest_tensor >= lowest_tensor) {
      filled_[next_].record(stream);
      ASSAY_CUDA_CHECK(cudaStreamWaitEvent(stream_, filled_[next_], 0));
      begun_[next_].record_anywhere(stream_);
      sum(array_.buckets[next_]);
      ended_[next_].record_anywhere(stream_);
      ++next_;
    }
  }

  void sum(const model::Bucket& bucket) const {
    const nccl::Library& nccl = nccl::Library::get();
    std::byte* const at = static_cast<std::byte*>(array_.gradients) + bucket.offset * element_bytes_;
    const ncclDataType_t type = element_bytes_ == sizeof(float) ? ncclFloat32 : ncclBfloat16;
    ASSAY_NCCL_CHECK(nccl.ncclAllReduce(at, at, bucket.size, type, array_.shares ? ncclSum : ncclAvg,
                                        communicator_.handle(), stream_));
  }

  const nccl::FileSettings settings_;
  nccl::Communicator& communicator_;  // the plugin keeps it for later cases
  const SummedArray array_;
  const std::size_t element_bytes_;
  cuda::Stream stream_;
  std::vector<cuda::Event> filled_, begun_, ended_;  // of each bucket
  cuda::Event all_;
  std::size_t next_ = 0;  // the bucket of this step that is summed next
};

}  // namespace

std::unique_ptr<GradientSums> make_gradient_sums(const SumRanks& ranks, SummedArray array) {
  return std::make_unique<NcclSums>(ranks, std::move(array));
}

std::string library_of_sums() { return "NCCL " + nccl::Library::get().version(); }

}  // namespace assay::plugins::train_step
