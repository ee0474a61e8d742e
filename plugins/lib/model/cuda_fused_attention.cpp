// SPDX-License-Identifier: Apache-2.0
#include "lib/model/cuda_fused_attention.hpp"

#include <assay/errors.hpp>

#include <dlfcn.h>

#include <cmath>
// Plans are never written to files: without that the header compiles in half of the time.
#define CUDNN_FRONTEND_SKIP_JSON_LIB
#include <cudnn_frontend.h>
#if __has_include(<cudnn_frontend/experimental/nvrtc_shim.h>)
#define ASSAY_FRONTEND_COMPILES
#include <nvrtc.h>
#endif
#include <unordered_map>
#include <utility>
#include <vector>

// The frontend calls these by name; the library that has them is opened when the first is called for. Types of its
// C functions are those of its own header.
#define ASSAY_CUDNN_FUNCTIONS(X)                                                                    \
  X(cudnnCreate, (cudnnHandle_t * handle), (handle))                                                \
  X(cudnnDestroy, (cudnnHandle_t handle), (handle))                                                 \
  X(cudnnSetStream, (cudnnHandle_t handle, cudaStream_t stream), (handle, stream))                  \
  X(cudnnGetStream, (cudnnHandle_t handle, cudaStream_t * stream), (handle, stream))                \
  X(cudnnBackendCreateDescriptor,                                                                   \
    (cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t * descriptor), (type, descriptor)) \
  X(cudnnBackendDestroyDescriptor, (cudnnBackendDescriptor_t descriptor), (descriptor))             \
  X(cudnnBackendSetAttribute,                                                                       \
    (cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,                         \
     cudnnBackendAttributeType_t type, int64_t count, const void* elements),                        \
    (descriptor, name, type, count, elements))                                                      \
  X(cudnnBackendGetAttribute,                                                                       \
    (cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,                         \
     cudnnBackendAttributeType_t type, int64_t wanted, int64_t * count, void* elements),            \
    (descriptor, name, type, wanted, count, elements))                                              \
  X(cudnnBackendFinalize, (cudnnBackendDescriptor_t descriptor), (descriptor))                      \
  X(cudnnBackendExecute,                                                                            \
    (cudnnHandle_t handle, cudnnBackendDescriptor_t plan, cudnnBackendDescriptor_t pack),           \
    (handle, plan, pack))

namespace {

struct Functions {
#define ASSAY_CUDNN_MEMBER(name, parameters, arguments) decltype(&::name) name = nullptr;
  ASSAY_CUDNN_FUNCTIONS(ASSAY_CUDNN_MEMBER)
#undef ASSAY_CUDNN_MEMBER
  decltype(&::cudnnGetVersion) version = nullptr;
  decltype(&::cudnnGetErrorString) error_string = nullptr;
  decltype(&::cudnnGetLastErrorString) last_error_string = nullptr;
  std::string missing;  // what is not there, or why the library is not

  Functions() {
    constexpr const char* kName = "libcudnn.so.9";
    void* const library = dlopen(kName, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const char* const reason = dlerror();
      missing = reason != nullptr ? reason : kName;
      return;
    }
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
      if (function == nullptr) missing = std::string(kName) + " has no " + name;
    };
#define ASSAY_CUDNN_FIND(name, parameters, arguments) find(name, #name);
    ASSAY_CUDNN_FUNCTIONS(ASSAY_CUDNN_FIND)
#undef ASSAY_CUDNN_FIND
    find(version, "cudnnGetVersion");
    find(error_string, "cudnnGetErrorString");
    find(last_error_string, "cudnnGetLastErrorString");
  }
};

const Functions& functions() {
  static const Functions found;
  return found;
}

}  // namespace

extern "C" {
#define ASSAY_CUDNN_DEFINE(name, parameters, arguments) \
  cudnnStatus_t CUDNNWINAPI name parameters { return functions().name arguments; }
ASSAY_CUDNN_FUNCTIONS(ASSAY_CUDNN_DEFINE)
#undef ASSAY_CUDNN_DEFINE
size_t CUDNNWINAPI cudnnGetVersion() { return functions().version(); }
const char* CUDNNWINAPI cudnnGetErrorString(cudnnStatus_t status) { return functions().error_string(status); }
void CUDNNWINAPI cudnnGetLastErrorString(char* message, size_t most) {
  functions().last_error_string(message, most);
}

#ifdef ASSAY_FRONTEND_COMPILES
// Frontends from 1.2x on compile kernels for operations that are none of ours; no plugin needs the compiler for that.
nvrtcResult nvrtcCreateProgram(nvrtcProgram*, const char*, const char*, int, const char* const*,
                               const char* const*) {
  return NVRTC_ERROR_INTERNAL_ERROR;
}
nvrtcResult nvrtcDestroyProgram(nvrtcProgram*) { return NVRTC_ERROR_INTERNAL_ERROR; }
nvrtcResult nvrtcCompileProgram(nvrtcProgram, int, const char* const*) { return NVRTC_ERROR_INTERNAL_ERROR; }
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram, size_t*) { return NVRTC_ERROR_INTERNAL_ERROR; }
nvrtcResult nvrtcGetProgramLog(nvrtcProgram, char*) { return NVRTC_ERROR_INTERNAL_ERROR; }
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram, size_t*) { return NVRTC_ERROR_INTERNAL_ERROR; }
nvrtcResult nvrtcGetCUBIN(nvrtcProgram, char*) { return NVRTC_ERROR_INTERNAL_ERROR; }
#endif
}

namespace assay::plugins::model {
namespace {

namespace fe = cudnn_frontend;
using Dimensions = std::vector<std::int64_t>;

// Captured passes of 9.14.0 touched memory that was not theirs when they were replayed (H100).
constexpr std::size_t kOldest = 91900;

enum Array : std::int64_t {
  kQueries = 1,
  kKeys,
  kValues,
  kValue,
  kLogSums,
  kValueGradient,
  kQueryGradient,
  kKeyGradient,
  kValuesGradient
};

std::string version_text() {
  const std::size_t number = cudnnGetVersion();
  return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
         std::to_string(number % 100);
}

// Throws Failure with the library's words.
void require(fe::error_t error, const char* what) {  // its members are not constant functions
  if (error.is_bad())
    throw Failure(std::string("cuDNN, ") + what + ": " + error.get_message(), ASSAY_E_INTERNAL);
}

class CudnnAttention final : public FusedAttention {
 public:
  CudnnAttention(const Operation& operation, std::size_t sequence, std::size_t samples)
      : samples_(static_cast<std::int64_t>(samples)),
        sequence_(static_cast<std::int64_t>(sequence)),
        heads_(static_cast<std::int64_t>(operation.heads)),
        kv_heads_(static_cast<std::int64_t>(operation.kv_heads)),
        d_(static_cast<std::int64_t>(operation.out / operation.heads)),
        causal_(operation.causal) {
    if (cudnnCreate(&handle_) != CUDNN_STATUS_SUCCESS) throw Failure("cuDNN cannot be used on this device");
    try {
      build();
    } catch (...) {
      cudnnDestroy(handle_);
      throw;
    }
  }
  ~CudnnAttention() override { cudnnDestroy(handle_); }

  std::size_t workspace_bytes() const {
    std::int64_t most = 0;
    for (const auto* graph : {&forward_, &backward_}) {
      std::int64_t bytes = 0;
      require((*graph)->get_workspace_size(bytes), "workspace");
      most = std::max(most, bytes);
    }
    return static_cast<std::size_t>(most);
  }

  void forward(cudaStream_t stream, const void* rows, void* value, float* log_sums,
               void* workspace) override {
    std::unordered_map<std::int64_t, void*> arrays = inputs(rows);
    arrays[kValue] = value;
    arrays[kLogSums] = log_sums;
    run(*forward_, stream, arrays, workspace);
  }

  void backward(cudaStream_t stream, const void* rows, const void* value, const void* value_gradient,
                const float* log_sums, void* rows_gradient, void* workspace) override {
    std::unordered_map<std::int64_t, void*> arrays = inputs(rows);
    arrays[kValue] = const_cast<void*>(value);
    arrays[kValueGradient] = const_cast<void*>(value_gradient);
    arrays[kLogSums] = const_cast<float*>(log_sums);
    arrays[kQueryGradient] = part(rows_gradient, 0);
    arrays[kKeyGradient] = part(rows_gradient, heads_);
    arrays[kValuesGradient] = part(rows_gradient, heads_ + kv_heads_);
    run(*backward_, stream, arrays, workspace);
  }

  std::string version() const override { return version_text(); }

 private:
  using Graph = fe::graph::Graph;
  using Tensor = std::shared_ptr<fe::graph::Tensor_attributes>;

  // Vectors of a head within rows of a token.
  Dimensions dimensions(std::int64_t heads) const { return {samples_, heads, sequence_, d_}; }
  Dimensions strides(std::int64_t of_row) const { return {sequence_ * of_row * d_, d_, of_row * d_, 1}; }
  std::int64_t all_heads() const { return heads_ + 2 * kv_heads_; }

  void* part(const void* rows, std::int64_t head) const {
    constexpr std::int64_t kBytes = 2;
    return static_cast<std::byte*>(const_cast<void*>(rows)) + head * d_ * kBytes;
  }
  std::unordered_map<std::int64_t, void*> inputs(const void* rows) const {
    return {
        {kQueries, part(rows, 0)}, {kKeys, part(rows, heads_)}, {kValues, part(rows, heads_ + kv_heads_)}};
  }

  static std::shared_ptr<Graph> new_graph() {
    auto graph = std::make_shared<Graph>();
    graph->set_io_data_type(fe::DataType_t::BFLOAT16)
        .set_intermediate_data_type(fe::DataType_t::FLOAT)
        .set_compute_data_type(fe::DataType_t::FLOAT);
    return graph;
  }
  Tensor input(Graph& graph, Array array, std::int64_t heads, std::int64_t of_row) const {
    return graph.tensor(
        fe::graph::Tensor_attributes().set_uid(array).set_dim(dimensions(heads)).set_stride(strides(of_row)));
  }
  void output(const Tensor& tensor, Array array, std::int64_t heads, std::int64_t of_row) const {
    tensor->set_output(true).set_uid(array).set_dim(dimensions(heads)).set_stride(strides(of_row));
  }
  Dimensions sums_dimensions() const { return {samples_, heads_, sequence_, 1}; }
  Dimensions sums_strides() const { return {heads_ * sequence_, sequence_, 1, 1}; }

  void build() {
    const float scale = 1 / std::sqrt(static_cast<float>(d_));
    forward_ = new_graph();
    auto forward = fe::graph::SDPA_attributes().set_generate_stats(true).set_attn_scale(scale);
    if (causal_)
      forward.set_diagonal_alignment(fe::DiagonalAlignment_t::TOP_LEFT).set_diagonal_band_right_bound(0);
    const auto [value, sums] = forward_->sdpa(input(*forward_, kQueries, heads_, all_heads()),
                                              input(*forward_, kKeys, kv_heads_, all_heads()),
                                              input(*forward_, kValues, kv_heads_, all_heads()), forward);
    output(value, kValue, heads_, heads_);
    sums->set_output(true)
        .set_uid(kLogSums)
        .set_data_type(fe::DataType_t::FLOAT)
        .set_dim(sums_dimensions())
        .set_stride(sums_strides());
    make_ready(*forward_);

    backward_ = new_graph();
    auto backward = fe::graph::SDPA_backward_attributes().set_attn_scale(scale);
    if (causal_)
      backward.set_diagonal_alignment(fe::DiagonalAlignment_t::TOP_LEFT).set_diagonal_band_right_bound(0);
    const Tensor log_sums = backward_->tensor(fe::graph::Tensor_attributes()
                                                  .set_uid(kLogSums)
                                                  .set_data_type(fe::DataType_t::FLOAT)
                                                  .set_dim(sums_dimensions())
                                                  .set_stride(sums_strides()));
    const auto gradients = backward_->sdpa_backward(
        input(*backward_, kQueries, heads_, all_heads()), input(*backward_, kKeys, kv_heads_, all_heads()),
        input(*backward_, kValues, kv_heads_, all_heads()), input(*backward_, kValue, heads_, heads_),
        input(*backward_, kValueGradient, heads_, heads_), log_sums, backward);
    output(gradients[0], kQueryGradient, heads_, all_heads());
    output(gradients[1], kKeyGradient, kv_heads_, all_heads());
    output(gradients[2], kValuesGradient, kv_heads_, all_heads());
    make_ready(*backward_);
  }

  void make_ready(Graph& graph) const {
    require(graph.validate(), "validation");
    require(graph.build_operation_graph(handle_), "operations");
    require(graph.create_execution_plans({fe::HeurMode_t::A}), "plans");
    require(graph.check_support(), "support");
    require(graph.build_plans(), "plans");
  }

  void run(Graph& graph, cudaStream_t stream, std::unordered_map<std::int64_t, void*>& arrays,
           void* workspace) const {
    if (cudnnSetStream(handle_, stream) != CUDNN_STATUS_SUCCESS)
      throw Failure("cudnnSetStream", ASSAY_E_INTERNAL);
    require(graph.execute(handle_, arrays, workspace), "attention");
  }

  const std::int64_t samples_, sequence_, heads_, kv_heads_, d_;
  const bool causal_;
  cudnnHandle_t handle_ = nullptr;
  std::shared_ptr<Graph> forward_, backward_;
};

}  // namespace

std::unique_ptr<FusedAttention> FusedAttention::make(const Model& model, std::size_t samples,
                                                     std::string& why) {
  for (const Operation& operation : model.operations) {
    if (operation.kind != Kind::attention) continue;
    if (!functions().missing.empty()) {
      why = functions().missing;
      return nullptr;
    }
    if (cudnnGetVersion() < kOldest) {
      why = "cuDNN " + version_text() + " is older than 9.19, and what it captures cannot be replayed";
      return nullptr;
    }
    try {
      auto attention = std::make_unique<CudnnAttention>(operation, model.sequence, samples);
      const std::size_t needed = attention->workspace_bytes(), most = fused_attention_bytes(model, samples);
      if (needed <= most) return attention;
      why = "cuDNN wants a workspace of " + std::to_string(needed) + " bytes, more than " +
            std::to_string(most);
    } catch (const Failure& failure) {
      why = failure.what();
    }
    return nullptr;
  }
  why = "the model has no attention";
  return nullptr;
}

}  // namespace assay::plugins::model
