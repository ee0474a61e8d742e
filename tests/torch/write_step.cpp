// SPDX-License-Identifier: Apache-2.0
//
// write_step BLOCK FOLDER: one forward and backward pass of a small model, as files that another program can hold
// its own against: step.json says what is there; *.f32 and *.i32 are arrays in the order of their elements.
#include "lib/host_products.hpp"
#include "lib/model/host_network.hpp"
#include "lib/model/host_workers.hpp"
#include "lib/model/model.hpp"
#include "lib/model/plan.hpp"

#include <assay/random.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <ios>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

namespace model = assay::plugins::model;

constexpr std::size_t kSamples = 3, kSequence = 16;

model::Sizes sizes_of(const std::string& block) {
  model::Sizes sizes;
  sizes.layers = 2;
  sizes.width = 64;
  sizes.heads = 4;
  sizes.kv_heads = 2;
  sizes.ffn = 96;
  sizes.words = 128;
  sizes.positions = 20;
  if (block == "mlp") {
    sizes.kind = model::Layers::mlp;
  } else if (block == "llama") {
    sizes.kind = model::Layers::llama;
  } else if (block == "gpt") {
    sizes.word_scores = true;
  } else if (block != "bert") {
    throw std::invalid_argument("'" + block + "' is none of bert, gpt, llama and mlp");
  }
  return sizes;
}

template <class Element>
void write(const std::filesystem::path& path, const std::vector<Element>& data) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(data.data()),
             static_cast<std::streamsize>(data.size() * sizeof(Element)));
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

// Gains, shifts and biases are not ones and zeros, so that each has its say.
std::vector<float> draw_parameters(const model::Model& of) {
  const assay::Random random(21);
  std::vector<float> parameters(of.parameters());
  for (const model::Tensor& tensor : of.tensors) {
    for (std::size_t i = tensor.offset; i < tensor.offset + tensor.size(); ++i) {
      parameters[i] =
          static_cast<float>((tensor.start == model::Start::ones ? 1 : 0) + 0.2 * (random.uniform(i) - 0.5));
    }
  }
  return parameters;
}

void write_description(const std::filesystem::path& path, const std::string& block, const model::Sizes& sizes,
                       const model::Model& of, double loss) {
  std::ofstream file(path);
  file << "{\"block\": \"" << block << "\", \"layers\": " << sizes.layers << ", \"heads\": " << sizes.heads
       << ", \"kv_heads\": " << sizes.kv_heads << ", \"types\": " << sizes.types
       << ", \"rotary_base\": " << sizes.rotary_base << ", \"samples\": " << kSamples
       << ", \"sequence\": " << of.sequence << ", \"loss\": " << std::setprecision(17) << loss
       << ",\n \"tensors\": [";
  for (const model::Tensor& tensor : of.tensors) {
    file << (&tensor == of.tensors.data() ? "\n  " : ",\n  ") << "{\"name\": \"" << tensor.name
         << "\", \"rows\": " << tensor.rows << ", \"columns\": " << tensor.columns
         << ", \"offset\": " << tensor.offset << "}";
  }
  file << "]}\n";
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

void write_step(const std::string& block, const std::filesystem::path& folder) {
  const model::Sizes sizes = sizes_of(block);
  const model::Model of = model::make_model(block, sizes, block == "mlp" ? 1 : kSequence);
  const model::Plan plan = model::make_plan(of, kSamples);
  std::vector<float> parameters = draw_parameters(of), gradients(of.parameters()),
                     activations(plan.activations), workspace(plan.workspace),
                     scratch(model::attention_scratch(of));
  const assay::Random random(22);
  const std::size_t rows = kSamples * of.sequence;
  std::vector<std::int32_t> tokens(rows), labels(kSamples * of.labels());
  std::vector<float> features(rows * of.operations.front().out);
  for (std::size_t i = 0; i < rows; ++i) tokens[i] = static_cast<std::int32_t>(random.bits(i) % sizes.words);
  for (std::size_t i = 0; i < features.size(); ++i) features[i] = static_cast<float>(random.normal(1000 + i));
  for (std::size_t i = 0; i < labels.size(); ++i)
    labels[i] = static_cast<std::int32_t>(random.bits(1'000'000 + i) % of.classes());

  assay::plugins::use_product_threads(1);
  model::HostWorkers workers({});
  model::HostNetwork network(
      of, plan, {parameters.data(), gradients.data(), activations.data(), workspace.data(), scratch.data()},
      workers);
  const model::HostBatch batch = {tokens.data(), features.data(), labels.data()};
  const double loss = network.forward(batch, 1);
  network.backward(batch, true, nullptr);

  write(folder / "parameters.f32", parameters);
  write(folder / "gradients.f32", gradients);
  write(folder / "features.f32", features);
  write(folder / "tokens.i32", tokens);
  write(folder / "labels.i32", labels);
  write_description(folder / "step.json", block, sizes, of, loss);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fputs("usage: write_step bert|gpt|llama|mlp FOLDER\n", stderr);
    return 2;
  }
  try {
    write_step(arguments[1], arguments[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "write_step: %s\n", error.what());
    return 1;
  }
  return 0;
}
