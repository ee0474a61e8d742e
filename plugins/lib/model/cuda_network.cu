// SPDX-License-Identifier: Apache-2.0
#include "lib/model/cuda_attention_pass.cuh"
#include "lib/model/cuda_embedding.hpp"
#include "lib/model/cuda_lanes.cuh"
#include "lib/model/cuda_network.hpp"
#include "lib/model/cuda_norms.hpp"
#include "lib/model/cuda_pointwise.hpp"

#include <assay/cuda/error.hpp>
#include <assay/errors.hpp>

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace assay::plugins::model {
namespace {

constexpr std::size_t index(int value) { return static_cast<std::size_t>(value); }

// C is the type of products, R of the stream, P of parameters and gradients.
template <class C, class R, class P>
class NetworkOf final : public CudaNetwork {
 public:
  NetworkOf(const cublaslt::Handle& handle, const Model& model, const CudaPlan& plan, NetworkPlaces places,
            cublasComputeType_t compute, const CudaMemory& memory, FusedAttention* fused)
      : model_(model),
        plan_(plan),
        places_(std::move(places)),
        compute_(compute),
        memory_(memory),
        fused_(fused) {
    linears_.resize(model.operations.size());
    for (std::size_t i = 0; i < model.operations.size(); ++i) {
      const Operation& operation = model.operations[i];
      if (operation.kind == Kind::linear) make_linear(handle, i);
      const bool norm = operation.kind == Kind::layer_norm || operation.kind == Kind::rms_norm;
      if (norm && operation.out > device::kWidestNorm) {
        throw Skip("rows of a norm have up to " + std::to_string(device::kWidestNorm) +
                   " numbers on a GPU, here " + std::to_string(operation.out));
      }
      if (operation.kind != Kind::attention || attention_ || attention_adding_) continue;
      // All layers are alike.
      if (operation.rotary_base > 0) write_turns(operation);
      if (plan.fused) continue;
      if (plan.attention.adds_up() && !std::is_same_v<C, float>) {
        attention_adding_.emplace(handle, memory.workspace, compute, operation, model.sequence, plan.samples);
      } else {
        attention_.emplace(handle, memory.workspace, compute, operation, model.sequence, plan.samples);
      }
    }
  }

  void forward(cudaStream_t stream, const CudaBatch& batch, double share, bool add_loss, double* loss,
               std::size_t begin, std::size_t end) override {
    parameters_ = &places_.forward;
    for (std::size_t i = begin; i < end; ++i) {
      if (before_each_) before_each_();
      forward_one(stream, i, batch, share);
    }
    if (!model_.has_loss() || end != operations()) return;
    const std::size_t last = end - 1;
    device::mean_loss(stream, rows(operation(last)), beside(last), share, add_loss, loss);
  }

  std::size_t operations() const override { return model_.operations.size(); }

  void backward(cudaStream_t stream, const CudaBatch& batch, bool first, const Ready& ready,
                std::size_t begin, std::size_t end) override {
    parameters_ = &places_.backward;
    for (std::size_t i = end; i-- > begin;) {
      if (plan_.computed_again_from[i] != kNone) compute_again(stream, i, batch);
      if (before_each_) before_each_();
      backward_one(stream, i, batch, first);
      if (ready && operation(i).tensors != 0) ready(operation(i).first_tensor);
    }
  }

  void use(std::byte* arena) override { memory_.arena = arena; }
  void* received() const override { return message(plan_.value.front(), 0); }
  void* given_gradient() const override { return message(plan_.gradient.back(), plan_.gradient.size() - 1); }
  const void* result() const override { return message(plan_.value.back(), plan_.value.size() - 1); }
  const void* received_gradient() const override { return message(plan_.gradient.front(), 0); }

  void before_each(std::function<void()> call) override { before_each_ = std::move(call); }

 private:
  struct Linear {
    device::ReadyProduct forward, weights, weights_more;  // `more` adds to the gradient that is there
    std::optional<device::ReadyProduct> input;
    std::optional<device::ReadyProduct> again;  // forward, where the backward pass has its bias elsewhere
  };

  const Operation& operation(std::size_t i) const { return model_.operations[i]; }
  std::size_t rows(const Operation& operation) const { return model_.rows(operation, plan_.samples); }

  template <class Element>
  Element* at(std::size_t place) const {
    if (place == kNoPlace) return nullptr;
    std::byte* const to =
        (place & kPassing) != 0 ? memory_.passing + (place & ~kPassing) : memory_.arena + place;
    return reinterpret_cast<Element*>(to);
  }
  // What parts hand over, in the type that operation i's value has.
  void* message(const CudaPlan::Places& places, std::size_t i) const {
    return at<std::byte>(plan_.is_stream[i] ? places.stream : places.compute);
  }
  C* value(int i) const { return at<C>(plan_.value[index(i)].compute); }
  R* stream_value(int i) const { return at<R>(plan_.value[index(i)].stream); }
  C* gradient(int i) const { return at<C>(plan_.gradient[index(i)].compute); }
  R* stream_gradient(int i) const { return at<R>(plan_.gradient[index(i)].stream); }
  float* beside(std::size_t i) const { return at<float>(plan_.beside[i]); }
  float* partial() const { return at<float>(plan_.partial_sums); }

  // Of the pass that is under way.
  std::size_t offset(const Operation& operation, int tensor) const {
    return parameters_->offset(index(operation.first_tensor + tensor));
  }
  const P* parameter(const Operation& operation, int tensor) const {
    return static_cast<const P*>(memory_.parameters) + offset(operation, tensor);
  }
  const C* factor(const Operation& operation, int tensor) const {
    return static_cast<const C*>(memory_.compute_parameters) + offset(operation, tensor);
  }
  P* parameter_gradient(const Operation& operation, int tensor) const {
    return static_cast<P*>(memory_.gradients) +
           places_.gradients.offset(index(operation.first_tensor + tensor));
  }

  bool takes_features(const Operation& of) const { return operation(index(of.input)).kind == Kind::features; }
  const C* taken(const Operation& of, const CudaBatch& batch) const {
    return takes_features(of) ? static_cast<const C*>(batch.features) : value(of.input);
  }
  // The gradient of a product's value, in the type of products: of scores it lies in their place.
  C* product_gradient(std::size_t i) const {
    return model_.has_loss() && model_.operations.back().input == static_cast<int>(i)
               ? value(static_cast<int>(i))
               : gradient(static_cast<int>(i));
  }

  // Where the sums of the columns of the gradient go that operation i reads or makes.
  device::BiasGradient<P> bias_of(std::size_t product, bool first) const {
    return {parameter_gradient(operation(product), 1), !first, partial()};
  }
  device::BiasGradient<P> bias_behind(std::size_t i, bool first) const {
    if (plan_.bias_of[i] == kNone) return {nullptr, false, partial()};
    return bias_of(index(plan_.bias_of[i]), first);
  }

  bool comes_again(std::size_t i) const {
    for (std::size_t last = i; last < model_.operations.size(); ++last) {
      if (const int from = plan_.computed_again_from[last]; from != kNone) return index(from) <= i;
    }
    return false;
  }
  // What a product takes of it: in its own type, in that of what it adds to.
  const void* bias_in(const TensorPlaces& places, std::size_t i) const {
    const std::size_t offset = places.offset(index(operation(i).first_tensor + 1));
    if (plan_.sum[i] != kNone && !std::is_same_v<C, R>)
      return static_cast<const P*>(memory_.parameters) + offset;
    return static_cast<const C*>(memory_.compute_parameters) + offset;
  }
  // The layer that operation `last` ends, from the parameters that the backward pass has.
  void compute_again(cudaStream_t stream, std::size_t last, const CudaBatch& batch) {
    is_again_ = true;
    for (std::size_t i = index(plan_.computed_again_from[last]); i <= last; ++i) {
      if (before_each_) before_each_();
      forward_one(stream, i, batch, 0);  // the loss is behind all layers
    }
    is_again_ = false;
  }

  void make_linear(const cublaslt::Handle& handle, std::size_t i) {
    const Operation& op = operation(i);
    const std::size_t count = rows(op);
    const bool sums = plan_.sum[i] != kNone;
    const auto ready = [&](const cublaslt::Problem& problem) {
      return device::ReadyProduct(handle, problem, memory_.workspace);
    };
    cublaslt::Problem problem;
    problem.compute = compute_;
    problem.a = problem.b = device::type_of<C>();
    // Micro-batches of features lie one behind the other.
    if (takes_features(op)) problem.alignment = device::alignment_of({count * op.in * sizeof(C)});
    problem.m = count, problem.n = op.out, problem.k = op.in;
    problem.transpose_b = true;
    problem.d = sums ? device::type_of<R>() : device::type_of<C>();
    problem.kept = sums ? 1 : 0;
    if (op.bias) {
      problem.epilogue = CUBLASLT_EPILOGUE_BIAS;
      problem.bias = bias_in(places_.forward, i);
    }
    device::ReadyProduct forward = ready(problem);
    std::optional<device::ReadyProduct> again;
    if (op.bias && comes_again(i) && bias_in(places_.backward, i) != problem.bias) {
      problem.bias = bias_in(places_.backward, i);
      again.emplace(ready(problem));
    }

    problem.epilogue = CUBLASLT_EPILOGUE_DEFAULT;
    problem.bias = nullptr;
    problem.m = op.out, problem.n = op.in, problem.k = count;
    problem.transpose_a = true, problem.transpose_b = false;
    problem.d = device::type_of<P>();
    problem.kept = 0;
    device::ReadyProduct weights = ready(problem);
    problem.kept = 1;
    linears_[i].emplace(
        Linear{std::move(forward), std::move(weights), ready(problem), std::nullopt, std::move(again)});
    if (takes_features(op)) return;

    problem.m = count, problem.n = op.in, problem.k = op.out;
    problem.transpose_a = false;
    problem.d = plan_.is_stream[index(op.input)] ? device::type_of<R>() : device::type_of<C>();
    problem.kept = plan_.accumulates[i] ? 1 : 0;
    linears_[i]->input.emplace(ready(problem));
  }

  void write_turns(const Operation& op) const {
    const std::size_t d = op.out / op.heads, pairs = d / 2;
    std::vector<float> turns(model_.sequence * d);
    for (std::size_t place = 0; place < model_.sequence; ++place) {
      for (std::size_t i = 0; i < pairs; ++i) {
        const double angle = static_cast<double>(place) *
                             std::pow(op.rotary_base, -2.0 * static_cast<double>(i) / static_cast<double>(d));
        turns[place * d + i] = static_cast<float>(std::cos(angle));
        turns[place * d + pairs + i] = static_cast<float>(std::sin(angle));
      }
    }
    ASSAY_CUDA_CHECK(
        cudaMemcpy(memory_.turns, turns.data(), turns.size() * sizeof(float), cudaMemcpyHostToDevice));
    ASSAY_CUDA_CHECK(cudaDeviceSynchronize());
  }

  device::Heads heads_of(const Operation& op) const {
    return {plan_.samples, model_.sequence, op.out / op.heads,
            op.heads,      op.kv_heads,     op.rotary_base > 0 ? memory_.turns : nullptr};
  }
  device::Heads value_heads_of(const Operation& op) const {
    return {plan_.samples, model_.sequence, op.out / op.heads, op.heads, 0, nullptr};
  }
  device::NormShape norm_shape(const Operation& op) const {
    return {op.kind == Kind::layer_norm, rows(op), op.out};
  }
  device::EmbeddingShape embedding_shape(const Operation& op) const {
    return {plan_.samples, model_.sequence, op.out, op.words, op.positions, op.types};
  }

  // The tables of an embedding, behind one of these two.
  template <class Of>
  auto tables(const Operation& op, const Of& of) const {
    device::Tables<std::remove_pointer_t<decltype(of(0))>> tables;
    tables.words = of(0);
    if (op.positions != 0) tables.positions = of(1);
    if (op.types != 0) tables.types = of(op.positions != 0 ? 2 : 1);
    return tables;
  }

  void forward_one(cudaStream_t stream, std::size_t i, const CudaBatch& batch, double share) {
    const Operation& op = operation(i);
    const std::size_t count = rows(op), width = op.out;
    const int self = static_cast<int>(i);
    switch (op.kind) {
      case Kind::features:
      case Kind::add:  // the product before it did it
        break;
      case Kind::received:
        if (stream_value(self) && value(self))
          device::round_to<C, R>(stream, count * width, stream_value(self), value(self));
        break;
      case Kind::embedding:
        device::embedding<R, P>(stream, embedding_shape(op), batch.tokens,
                                tables(op, [&](int table) { return parameter(op, table); }),
                                stream_value(self));
        break;
      case Kind::linear: {
        const bool sums = plan_.sum[i] != kNone;
        const Operation* const sum = sums ? &operation(index(plan_.sum[i])) : nullptr;
        void* const to = sums ? static_cast<void*>(stream_value(plan_.sum[i])) : value(self);
        const Linear& products = *linears_[i];
        (is_again_ && products.again ? *products.again : products.forward)
            .queue(stream, taken(op, batch), factor(op, 0),
                   sums ? static_cast<const void*>(stream_value(sum->other)) : to, to);
        break;
      }
      case Kind::layer_norm:
      case Kind::rms_norm:
        device::norm<C, R, P>(stream, norm_shape(op), stream_value(op.input), parameter(op, 0),
                              op.kind == Kind::layer_norm ? parameter(op, 1) : nullptr, value(self),
                              std::is_same_v<C, R> ? nullptr : stream_value(self), beside(i));
        break;
      case Kind::attention:
        attention(stream, i);
        break;
      case Kind::gelu:
        device::gelu<C>(stream, count * width, value(op.input), value(self));
        break;
      case Kind::swiglu:
        device::swiglu<C>(stream, count, width, value(op.input), value(self));
        break;
      case Kind::first_token:
        device::first_rows<C>(stream, plan_.samples, model_.sequence, width, value(op.input), value(self));
        break;
      case Kind::tanh:
        device::tanh_in_place<C>(stream, count * width, value(self));
        break;
      case Kind::loss: {
        const bool in_place = operation(index(op.input)).kind == Kind::linear;
        const double scale = share / static_cast<double>(count);
        device::cross_entropy<C>(stream, count, width, batch.labels, static_cast<float>(scale),
                                 value(op.input), in_place ? value(op.input) : gradient(op.input), beside(i));
        break;
      }
    }
  }

  void backward_one(cudaStream_t stream, std::size_t i, const CudaBatch& batch, bool first) {
    const Operation& op = operation(i);
    const std::size_t count = rows(op), width = op.out;
    const int self = static_cast<int>(i);
    switch (op.kind) {
      case Kind::features:
      case Kind::received:  // its gradient is what the operations before made of it
      case Kind::loss:      // the forward pass did it
        break;
      case Kind::
          add:  // its gradient is that of both; one that the part behind gave is rounded for the product
        if (i + 1 == model_.operations.size())
          device::round_to<C, R>(stream, count * width, stream_gradient(self), gradient(self));
        break;
      case Kind::embedding:
        device::embedding_backward<R, P>(
            stream, embedding_shape(op), batch.tokens, stream_gradient(self), !first,
            tables(op, [&](int table) { return parameter_gradient(op, table); }),
            at<std::int32_t>(plan_.embedding_lists), at<float>(plan_.embedding_sums));
        break;
      case Kind::linear:
        linear_backward(stream, i, batch, first);
        break;
      case Kind::layer_norm:
      case Kind::rms_norm:
        norm_backward(stream, i, first);
        break;
      case Kind::attention:
        attention_backward(stream, i, first);
        break;
      case Kind::gelu:
        device::gelu_backward<C, P>(stream, count, width, value(op.input), gradient(self),
                                    bias_behind(i, first));
        break;
      case Kind::swiglu:
        device::swiglu_backward<C>(stream, count, width, value(op.input), gradient(self), gradient(op.input));
        break;
      case Kind::first_token:
        device::first_rows_backward<C>(stream, plan_.samples, model_.sequence, width, gradient(self),
                                       gradient(op.input));
        break;
      case Kind::tanh:
        device::tanh_backward<C>(stream, count * width, value(self), gradient(self));
        break;
    }
  }

  void linear_backward(cudaStream_t stream, std::size_t i, const CudaBatch& batch, bool first) {
    const Operation& op = operation(i);
    const C* const dy = product_gradient(i);
    const Linear& products = *linears_[i];
    (first ? products.weights : products.weights_more)
        .queue(stream, dy, taken(op, batch), parameter_gradient(op, 0));
    if (op.bias && !plan_.bias_elsewhere[i])
      device::bias_gradient<C, P>(stream, rows(op), op.out, dy, bias_of(i, first));
    if (!products.input) return;
    void* const to =
        plan_.is_stream[index(op.input)] ? static_cast<void*>(stream_gradient(op.input)) : gradient(op.input);
    products.input->queue(stream, dy, factor(op, 0), to);
  }

  void norm_backward(cudaStream_t stream, std::size_t i, bool first) {
    const Operation& op = operation(i);
    const int self = static_cast<int>(i);
    device::NormGradients<P> gradients;
    gradients.gain = parameter_gradient(op, 0);
    if (op.kind == Kind::layer_norm) gradients.shift = parameter_gradient(op, 1);
    if (plan_.bias_of[i] != kNone) gradients.bias = bias_behind(i, first).to;
    gradients.keep = !first;
    gradients.partial = partial();
    R* const dx = stream_gradient(op.input);
    C* const copy = std::is_same_v<C, R> ? nullptr : gradient(op.input);
    const auto queue = [&](const auto* dy) {
      device::norm_backward<C, R, P>(stream, norm_shape(op), stream_value(op.input), parameter(op, 0),
                                     beside(i), dy, plan_.accumulates[i], dx, copy, gradients);
    };
    if (plan_.is_stream[i]) {
      queue(stream_gradient(self));
    } else {
      queue(gradient(self));
    }
  }

  void attention(cudaStream_t stream, std::size_t i) {
    const Operation& op = operation(i);
    if (plan_.fused) {
      if (op.rotary_base > 0) device::turn<C>(stream, heads_of(op), false, value(op.input));
      fused_->forward(stream, value(op.input), value(static_cast<int>(i)), beside(i),
                      at<std::byte>(plan_.fused_forward[i]));
      return;
    }
    C *const packed = at<C>(plan_.packed[i]), *const packed_value = at<C>(plan_.packed_value[i]);
    device::pack<C>(stream, heads_of(op), value(op.input), packed);
    const auto run = [&](const auto& pass) {
      pass.forward(stream, packed, at<float>(plan_.scores[i]), beside(i), packed_value);
    };
    attention_ ? run(*attention_) : run(*attention_adding_);
    device::unpack<C, C, P>(stream, value_heads_of(op), packed_value, value(static_cast<int>(i)), {});
  }

  void attention_backward(cudaStream_t stream, std::size_t i, bool first) {
    const Operation& op = operation(i);
    if (plan_.fused) {
      C* const to = gradient(op.input);
      fused_->backward(stream, value(op.input), value(static_cast<int>(i)), gradient(static_cast<int>(i)),
                       beside(i), to, at<std::byte>(plan_.fused_backward[i]));
      if (op.rotary_base > 0) device::turn<C>(stream, heads_of(op), true, to);
      if (plan_.bias_of[i] != kNone)
        device::bias_gradient<C, P>(stream, rows(op), op.in, to, bias_behind(i, first));
      return;
    }
    C* const by = at<C>(plan_.packed_value_gradient[i]);
    device::pack<C>(stream, value_heads_of(op), gradient(static_cast<int>(i)), by);
    const auto run = [&](const auto& pass, auto* packed_gradient) {
      pass.backward(stream, at<C>(plan_.packed[i]), beside(i), by, at<float>(plan_.scores_again[i]),
                    at<float>(plan_.scores_gradient[i]), packed_gradient);
      device::unpack<C>(stream, heads_of(op), packed_gradient, gradient(op.input), bias_behind(i, first));
    };
    if (attention_) {
      run(*attention_, at<C>(plan_.packed_gradient[i]));
    } else {
      run(*attention_adding_, at<float>(plan_.packed_gradient[i]));
    }
  }

  const Model& model_;
  const CudaPlan& plan_;
  const NetworkPlaces places_;
  const TensorPlaces* parameters_ = &places_.forward;
  bool is_again_ = false;  // what goes forward is a layer in the backward pass
  const cublasComputeType_t compute_;
  CudaMemory memory_;
  FusedAttention* const fused_;
  std::function<void()> before_each_;
  std::vector<std::optional<Linear>> linears_;
  std::optional<device::AttentionPass<C, C>> attention_;
  std::optional<device::AttentionPass<C, float>> attention_adding_;  // packed gradients in fp32
};

}  // namespace

std::size_t turns_of(const Model& model) {
  for (const Operation& operation : model.operations) {
    if (operation.kind == Kind::attention && operation.rotary_base > 0)
      return model.sequence * (operation.out / operation.heads);
  }
  return 0;
}

std::unique_ptr<CudaNetwork> make_cuda_network(const cublaslt::Handle& handle, const Model& model,
                                               const CudaPlan& plan, NetworkPlaces places,
                                               Arithmetic arithmetic, const CudaMemory& memory,
                                               FusedAttention* fused) {
  switch (arithmetic) {
    case Arithmetic::bf16:
      return std::make_unique<NetworkOf<Bf16, float, float>>(handle, model, plan, std::move(places),
                                                             CUBLAS_COMPUTE_32F, memory, fused);
    case Arithmetic::pure_bf16:
      return std::make_unique<NetworkOf<Bf16, Bf16, Bf16>>(handle, model, plan, std::move(places),
                                                           CUBLAS_COMPUTE_32F, memory, fused);
    case Arithmetic::fp32:
      return std::make_unique<NetworkOf<float, float, float>>(handle, model, plan, std::move(places),
                                                              CUBLAS_COMPUTE_32F, memory, fused);
    case Arithmetic::tf32:
      break;
  }
  return std::make_unique<NetworkOf<float, float, float>>(handle, model, plan, std::move(places),
                                                          CUBLAS_COMPUTE_32F_FAST_TF32, memory, fused);
}

}  // namespace assay::plugins::model
