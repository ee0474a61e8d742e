// SPDX-License-Identifier: Apache-2.0
//
// What is averaged in place of a bucket of gradients, so that less is sent: halves, or for matrices two of few
// columns with the error carried on to the next step (PowerSGD).
#pragma once

#include "lib/half.hpp"
#include "lib/model/buckets.hpp"
#include "lib/model/low_rank.hpp"
#include "lib/model/model.hpp"
#include "train_step/rank_exchange.hpp"
#include "train_step/step_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace assay::plugins::train_step {

// One at a time, on one thread at a time.
class Compression {
 public:
  using Clock = std::function<std::int64_t()>;  // nanoseconds

  Compression() = default;
  Compression(const Compression&) = delete;
  Compression& operator=(const Compression&) = delete;
  virtual ~Compression() = default;

  // Floats of memory that it needs.
  virtual std::size_t floats() const = 0;
  // Before anything below; memory and exchange outlive it.
  void use(float* memory, RankExchange& exchange, Clock now_ns) {
    memory_ = memory;
    exchange_ = &exchange;
    now_ns_ = std::move(now_ns);
  }

  // As before the first step.
  virtual void restore(std::uint64_t seed) = 0;
  // The average of the bucket, less what compressing loses, takes its place. Throws what the exchange throws.
  virtual void average(std::size_t bucket, float* gradients) = 0;
  // Of all ranks, on average, what the last step lost and carries on, for each parameter; 0 where it carries
  // nothing. Every rank calls it.
  virtual void remainder(float*) {}
  virtual bool carries_on() const { return false; }

  // Of the shared memory, in a step.
  virtual std::vector<RankExchange::Use> uses() const = 0;
  // Bytes that are averaged in a step.
  std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const RankExchange::Use& use : uses()) sum += std::uint64_t{use.count} * use.element_bytes;
    return sum;
  }

  // Nanoseconds in which ranks moved what is compressed, since the last call.
  std::int64_t take_exchange_ns() { return std::exchange(exchange_ns_, 0); }

 protected:
  template <class Element>
  void average_over_ranks(Element* data, std::size_t count, std::size_t slot) {
    const std::int64_t begin = now_ns_();
    exchange_->average(data, count, slot);
    exchange_ns_ += now_ns_() - begin;
  }
  float* memory() const { return memory_; }

 private:
  float* memory_ = nullptr;
  RankExchange* exchange_ = nullptr;
  Clock now_ns_;
  std::int64_t exchange_ns_ = 0;
};

// To binary16 and back; sums are in single precision, and their average is rounded once more.
class HalfCompression final : public Compression {
 public:
  explicit HalfCompression(std::vector<model::Bucket> buckets) : buckets_(std::move(buckets)) {}

  std::size_t floats() const override {
    std::size_t largest = 0;
    for (const model::Bucket& bucket : buckets_) largest = std::max(largest, bucket.size);
    return (largest + 1) / 2;
  }

  void restore(std::uint64_t) override {}

  void average(std::size_t bucket, float* gradients) override {
    const model::Bucket& of = buckets_[bucket];
    float* data = gradients + of.offset;
    auto* halves = reinterpret_cast<Half*>(memory());
    for (std::size_t i = 0; i < of.size; ++i) halves[i] = to_half(data[i]);
    average_over_ranks(halves, of.size, bucket % RankExchange::kSlots);
    for (std::size_t i = 0; i < of.size; ++i) data[i] = to_float(halves[i]);
  }

  std::vector<RankExchange::Use> uses() const override {
    std::vector<RankExchange::Use> all;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      all.push_back({RankExchange::Kind::average, buckets_[i].size, i % RankExchange::kSlots, sizeof(Half)});
    }
    return all;
  }

 private:
  std::vector<model::Bucket> buckets_;
};

// PowerSGD with error feedback and a Q that each step takes from the one before. What is not a matrix, or would not
// become smaller, is averaged as it is, together with the P of its bucket.
class PowerSgd final : public Compression {
 public:
  static constexpr double kLeastGain = 2;

  // The model outlives it.
  PowerSgd(const model::Model& model, const std::vector<model::Bucket>& buckets, std::size_t rank,
           double least_gain = kLeastGain)
      : model_(model) {
    std::size_t end = model.tensors.size();
    for (const model::Bucket& bucket : buckets) {
      const auto first = static_cast<std::size_t>(bucket.lowest_tensor);
      add_bucket(first, end, model::low_rank_tensors(model, first, end, rank, least_gain));
      end = first;
    }
    for (Bucket& bucket : buckets_) {
      staging_ = std::max(staging_, bucket.first + bucket.second);
      for (Matrix& matrix : bucket.matrices) {
        matrix.q = std::exchange(floats_, floats_ + matrix.tensor->columns * matrix.of.rank);
        matrix.error = std::exchange(floats_, floats_ + matrix.tensor->size());
      }
    }
  }

  std::size_t floats() const override { return staging_ + floats_; }

  void restore(std::uint64_t seed) override {
    seed_ = seed;
    for (const Bucket& bucket : buckets_) {
      for (const Matrix& matrix : bucket.matrices) {
        model::draw_columns(seed, matrix.of, matrix.tensor->columns, at(matrix.q));
        std::fill_n(at(matrix.error), matrix.tensor->size(), 0.0F);
      }
    }
  }

  void average(std::size_t number, float* gradients) override {
    const Bucket& bucket = buckets_[number];
    float* const first = memory();
    float* const second = memory() + bucket.first;
    float* to = first;
    for (const model::Tensor* tensor : bucket.whole)
      to = std::copy_n(gradients + tensor->offset, tensor->size(), to);
    for (const Matrix& matrix : bucket.matrices) {
      const model::Tensor& tensor = *matrix.tensor;
      float* m = gradients + tensor.offset;
      const float* error = at(matrix.error);
      for (std::size_t i = 0; i < tensor.size(); ++i) m[i] += error[i];
      model::project(tensor.rows, tensor.columns, matrix.of.rank, m, at(matrix.q), to);
      to += tensor.rows * matrix.of.rank;
    }
    average_over_ranks(first, bucket.first, 0);
    const float* p = first;
    for (const model::Tensor* tensor : bucket.whole) {
      std::copy_n(p, tensor->size(), gradients + tensor->offset);
      p += tensor->size();
    }
    project_back(bucket, gradients, first + (p - first), second);
    if (bucket.second != 0) average_over_ranks(second, bucket.second, 1);
    expand(bucket, gradients, p, second);
  }

  bool carries_on() const override { return true; }

  void remainder(float* out) override {
    for (const Bucket& bucket : buckets_) {
      for (const Matrix& matrix : bucket.matrices) {
        float* to = out + matrix.tensor->offset;
        std::copy_n(at(matrix.error), matrix.tensor->size(), to);
        // In pieces that the shared memory has room for: it was made for what is sent.
        const std::size_t piece = std::max<std::size_t>(1, largest_use());
        for (std::size_t from = 0; from < matrix.tensor->size(); from += piece)
          average_over_ranks(to + from, std::min(piece, matrix.tensor->size() - from), 0);
      }
    }
  }

  std::vector<RankExchange::Use> uses() const override {
    std::vector<RankExchange::Use> all;
    for (const Bucket& bucket : buckets_) {
      all.push_back({RankExchange::Kind::average, bucket.first, 0});
      if (bucket.second != 0) all.push_back({RankExchange::Kind::average, bucket.second, 1});
    }
    return all;
  }

 private:
  struct Matrix {
    const model::Tensor* tensor = nullptr;
    model::LowRank of;
    std::size_t q = 0, error = 0;  // places behind the staging arrays
  };
  struct Bucket {
    std::vector<const model::Tensor*> whole;
    std::vector<Matrix> matrices;
    std::size_t first = 0, second = 0;  // floats that are averaged: tensors as they are and P; Q
  };

  void add_bucket(std::size_t first, std::size_t end, const std::vector<model::LowRank>& low) {
    Bucket& bucket = buckets_.emplace_back();
    auto next = low.begin();
    for (std::size_t i = first; i < end; ++i) {
      const model::Tensor& tensor = model_.tensors[i];
      if (next == low.end() || next->tensor != i) {
        bucket.whole.push_back(&tensor);
        bucket.first += tensor.size();
        continue;
      }
      bucket.matrices.push_back({&tensor, *next, 0, 0});
      bucket.first += tensor.rows * next->rank;
      bucket.second += tensor.columns * next->rank;
      ++next;
    }
  }

  // Ps become orthogonal; Qs are this rank's.
  static void project_back(const Bucket& bucket, const float* gradients, float* p, float* q) {
    for (const Matrix& matrix : bucket.matrices) {
      const model::Tensor& tensor = *matrix.tensor;
      model::orthogonalise(tensor.rows, matrix.of.rank, p);
      model::project_back(tensor.rows, tensor.columns, matrix.of.rank, gradients + tensor.offset, p, q);
      p += tensor.rows * matrix.of.rank;
      q += tensor.columns * matrix.of.rank;
    }
  }

  // What P and Q make up takes the place of gradients; what they do not goes to the next step.
  void expand(const Bucket& bucket, float* gradients, const float* p, const float* q) {
    for (const Matrix& matrix : bucket.matrices) {
      const model::Tensor& tensor = *matrix.tensor;
      float *m = gradients + tensor.offset, *error = at(matrix.error), *kept = at(matrix.q);
      std::copy_n(m, tensor.size(), error);
      std::copy_n(q, tensor.columns * matrix.of.rank, kept);
      model::revive(seed_, matrix.of, tensor.columns, kept);
      model::expand(tensor.rows, tensor.columns, matrix.of.rank, p, q, m);
      for (std::size_t i = 0; i < tensor.size(); ++i) error[i] -= m[i];
      p += tensor.rows * matrix.of.rank;
      q += tensor.columns * matrix.of.rank;
    }
  }

  std::size_t largest_use() const {
    std::size_t largest = 0;
    for (const RankExchange::Use& use : uses()) largest = std::max(largest, use.count);
    return largest;
  }

  float* at(std::size_t place) const { return memory() + staging_ + place; }

  const model::Model& model_;
  std::vector<Bucket> buckets_;
  std::size_t staging_ = 0, floats_ = 0;
  std::uint64_t seed_ = 0;
};

// Null where gradients are averaged as they are. The model outlives it.
inline std::unique_ptr<Compression> make_compression(const model::Model& model, const StepOptions& options,
                                                     const std::vector<model::Bucket>& buckets) {
  switch (options.compression) {
    case CompressionKind::none:
      break;
    case CompressionKind::fp16:
      return std::make_unique<HalfCompression>(buckets);
    case CompressionKind::powersgd:
      return std::make_unique<PowerSgd>(model, buckets, options.compression_rank);
  }
  return nullptr;
}

}  // namespace assay::plugins::train_step
