// SPDX-License-Identifier: Apache-2.0
//
// Kernels of a training step against the host's, in every combination of types, with rows that are read in pieces of
// 16 bytes and with such that are not.
#include "lib/model/cuda_attention.hpp"
#include "lib/model/cuda_embedding.hpp"
#include "lib/model/cuda_norms.hpp"
#include "lib/model/cuda_optimizer.hpp"
#include "lib/model/cuda_plan.hpp"
#include "lib/model/cuda_pointwise.hpp"
#include "lib/model/cuda_test.hpp"
#include "lib/model/host_kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace assay::plugins::model {
namespace {

using Bf16 = __nv_bfloat16;

// Of one rounding to the type, and a few of fp32.
template <class Element>
constexpr double kLimit = std::is_same_v<Element, float> ? 3e-6 : 4e-3;

template <class Compute, class Stream, class Parameter>
struct Types {
  using C = Compute;
  using R = Stream;
  using P = Parameter;
};
template <class Kinds>
class CudaKernels : public OnGpu {};
using AllTypes =
    testing::Types<Types<float, float, float>, Types<Bf16, float, float>, Types<Bf16, Bf16, Bf16>>;
TYPED_TEST_SUITE(CudaKernels, AllTypes);

TYPED_TEST(CudaKernels, Norms) {
  using C = typename TypeParam::C;
  using R = typename TypeParam::R;
  using P = typename TypeParam::P;
  constexpr bool kOneType = std::is_same_v<C, R>;
  for (const bool layer : {true, false}) {
    for (const std::size_t width : {20U, 768U, 2056U}) {
      const std::size_t rows = 37;
      const std::string what = (layer ? "LayerNorm of " : "RMSNorm of ") + std::to_string(width) + ": ";
      const Floats x = as_stored<R>(normal_numbers(rows * width, 1, 2, 0.5));
      const Floats gain = as_stored<P>(normal_numbers(width, 2, 0.3, 1)),
                   shift = as_stored<P>(normal_numbers(width, 3));
      Floats y(rows * width), statistics(rows * (layer ? 2 : 1));
      if (layer) {
        host::layer_norm({0, rows}, width, x.data(), gain.data(), shift.data(), y.data(), statistics.data());
      } else {
        host::rms_norm({0, rows}, width, x.data(), gain.data(), y.data(), statistics.data());
      }
      const OnDevice<R> x_there(x);
      const OnDevice<P> gain_there(gain), shift_there(shift);
      const OnDevice<C> y_there(rows * width);
      const OnDevice<R> stream_there(rows * width);
      const OnDevice<float> statistics_there(statistics.size());
      const device::NormShape shape{layer, rows, width};
      device::norm<C, R, P>(nullptr, shape, x_there.data(), gain_there.data(), shift_there.data(),
                            y_there.data(), kOneType ? nullptr : stream_there.data(),
                            statistics_there.data());
      expect_close(what + "value", y_there.read(), y, kLimit<C>);
      if (!kOneType) expect_close(what + "value of the stream", stream_there.read(), y, kLimit<R>);
      expect_close(what + "statistics", statistics_there.read(), statistics, 3e-6);

      for (const bool keep : {false, true}) {
        const Floats dy = as_stored<C>(normal_numbers(rows * width, 4)),
                     before = as_stored<R>(normal_numbers(rows * width, 5));
        Floats dx = before, of_gain = as_stored<P>(normal_numbers(width, 6)),
               of_shift = as_stored<P>(normal_numbers(width, 7)),
               of_bias = as_stored<P>(normal_numbers(width, 8));
        const OnDevice<P> gain_gradient(of_gain), shift_gradient(of_shift), bias_gradient(of_bias);
        const OnDevice<R> dx_there(before);
        const OnDevice<C> copy_there(rows * width), dy_there(dy);
        const OnDevice<float> partial(norm_blocks(rows) * width * 3);
        const auto backward = layer ? host::layer_norm_backward : host::rms_norm_backward;
        backward({0, rows}, width, x.data(), gain.data(), statistics.data(), dy.data(), keep, dx.data());
        if (layer) {
          host::layer_norm_parameters({0, width}, rows, width, x.data(), statistics.data(), dy.data(), keep,
                                      of_gain.data(), of_shift.data());
        } else {
          host::rms_norm_parameters({0, width}, rows, width, x.data(), statistics.data(), dy.data(), keep,
                                    of_gain.data());
        }
        host::bias_gradient({0, width}, rows, width, dx.data(), keep, of_bias.data());
        device::NormGradients<P> gradients;
        gradients.gain = gain_gradient.data();
        gradients.shift = shift_gradient.data();
        gradients.bias = bias_gradient.data();
        gradients.keep = keep;
        gradients.partial = partial.data();
        device::norm_backward<C, R, P>(nullptr, shape, x_there.data(), gain_there.data(),
                                       statistics_there.data(), dy_there.data(), keep, dx_there.data(),
                                       kOneType ? nullptr : copy_there.data(), gradients);
        const std::string when = keep ? " added" : "";
        expect_close(what + "dx" + when, dx_there.read(), dx, kLimit<R>);
        if (!kOneType) expect_close(what + "copy of dx" + when, copy_there.read(), dx, kLimit<C>);
        expect_close(what + "gain" + when, gain_gradient.read(), of_gain, kLimit<P> + 5e-6);
        if (layer) expect_close(what + "shift" + when, shift_gradient.read(), of_shift, kLimit<P> + 5e-6);
        expect_close(what + "bias" + when, bias_gradient.read(), of_bias, kLimit<P> + 5e-6);
      }
    }
  }
}

TYPED_TEST(CudaKernels, Activations) {
  using C = typename TypeParam::C;
  using P = typename TypeParam::P;
  for (const std::size_t width : {20U, 1024U}) {
    const std::size_t rows = 131, count = rows * width;
    const std::string what = " of " + std::to_string(width);
    const Floats x = as_stored<C>(normal_numbers(count, 1, 2)), dy = as_stored<C>(normal_numbers(count, 2));
    Floats y(count), dx = dy, bias = as_stored<P>(normal_numbers(width, 3));
    host::gelu({0, count}, x.data(), y.data());
    host::gelu_backward({0, count}, x.data(), dx.data());
    const OnDevice<C> x_there(x), y_there(count), dx_there(dy);
    const OnDevice<P> bias_there(bias);
    const OnDevice<float> partial(column_pieces(rows) * width);
    host::bias_gradient({0, width}, rows, width, dx.data(), true, bias.data());
    device::gelu<C>(nullptr, count, x_there.data(), y_there.data());
    device::gelu_backward<C, P>(nullptr, rows, width, x_there.data(), dx_there.data(),
                                {bias_there.data(), true, partial.data()});
    expect_close("gelu" + what, y_there.read(), y, kLimit<C>);
    expect_close("gelu backward" + what, dx_there.read(), dx, kLimit<C>);
    expect_close("bias behind gelu" + what, bias_there.read(), bias, kLimit<P> + 1e-5);
    host::bias_gradient({0, width}, rows, width, dy.data(), false, bias.data());
    dx_there.read();
    const OnDevice<C> dy_there(dy);
    device::bias_gradient<C, P>(nullptr, rows, width, dy_there.data(),
                                {bias_there.data(), false, partial.data()});
    expect_close("bias" + what, bias_there.read(), bias, kLimit<P> + 1e-5);

    const std::size_t half = width / 2;
    Floats out(rows * half), d(count);
    const Floats by = as_stored<C>(normal_numbers(rows * half, 4));
    host::swiglu({0, rows}, half, x.data(), out.data());
    host::swiglu_backward({0, rows}, half, x.data(), by.data(), false, d.data());
    const OnDevice<C> out_there(out.size()), by_there(by), d_there(count);
    device::swiglu<C>(nullptr, rows, half, x_there.data(), out_there.data());
    device::swiglu_backward<C>(nullptr, rows, half, x_there.data(), by_there.data(), d_there.data());
    expect_close("swiglu" + what, out_there.read(), out, kLimit<C>);
    expect_close("swiglu backward" + what, d_there.read(), d, kLimit<C>);

    Floats t = x, dt = dy;
    host::tanh_forward({0, count}, t.data());
    const Floats rounded = as_stored<C>(t);
    host::tanh_backward({0, count}, rounded.data(), dt.data());
    const OnDevice<C> t_there(x), dt_there(dy);
    device::tanh_in_place<C>(nullptr, count, t_there.data());
    device::tanh_backward<C>(nullptr, count, t_there.data(), dt_there.data());
    expect_close("tanh" + what, t_there.read(), t, kLimit<C>);
    expect_close("tanh backward" + what, dt_there.read(), dt, 4 * kLimit<C>);
  }
}

TYPED_TEST(CudaKernels, CrossEntropy) {
  using C = typename TypeParam::C;
  for (const std::size_t width : {19U, 32000U}) {
    const std::size_t rows = 5;
    const Floats scores = as_stored<C>(normal_numbers(rows * width, 1, 3));
    const std::vector<std::int32_t> labels = {0, 18, 3, 7, static_cast<std::int32_t>(width) - 1};
    Floats gradients(rows * width);
    std::vector<double> losses(rows);
    host::cross_entropy({0, rows}, width, labels.data(), 0.25F, scores.data(), gradients.data(),
                        losses.data());
    const OnDevice<C> there(scores);
    const OnDevice<float> losses_there(rows);
    const auto labels_there = whole_numbers(labels);
    const cuda::DeviceBuffer<double> loss(first_gpu(), 1);
    device::cross_entropy<C>(nullptr, rows, width, labels_there.data(), 0.25F, there.data(), there.data(),
                             losses_there.data());
    device::mean_loss(nullptr, rows, losses_there.data(), 0.5, false, loss.data());
    device::mean_loss(nullptr, rows, losses_there.data(), 0.5, true, loss.data());
    expect_close("gradients of scores", there.read(), gradients, kLimit<C> + 1e-6);
    double mean = 0;
    const Floats found = losses_there.read();
    for (std::size_t row = 0; row < rows; ++row) {
      EXPECT_NEAR(found[row], losses[row], 3e-6 * losses[row]) << row;
      mean += losses[row] / static_cast<double>(rows);
    }
    EXPECT_NEAR(loss.copy_back(nullptr, 0, 1)[0], mean, 3e-6 * mean);
  }
}

TYPED_TEST(CudaKernels, Embedding) {
  using R = typename TypeParam::R;
  using P = typename TypeParam::P;
  for (const std::size_t width : {20U, 768U}) {
    const device::EmbeddingShape shape{3, 7, width, 19, 9, 2};
    const std::size_t rows = shape.samples * shape.sequence;
    std::vector<std::int32_t> tokens(rows);
    for (std::size_t i = 0; i < rows; ++i) tokens[i] = static_cast<std::int32_t>(i * i % 11);
    const Floats words = as_stored<P>(normal_numbers(19 * width, 1)),
                 positions = as_stored<P>(normal_numbers(9 * width, 2)),
                 types = as_stored<P>(normal_numbers(2 * width, 3)),
                 dy = as_stored<R>(normal_numbers(rows * width, 4));
    const OnDevice<P> words_there(words), positions_there(positions), types_there(types);
    const OnDevice<R> y_there(rows * width), dy_there(dy);
    const auto tokens_there = whole_numbers(tokens);
    device::embedding<R, P>(nullptr, shape, tokens_there.data(),
                            {words_there.data(), positions_there.data(), types_there.data()}, y_there.data());
    for (const bool keep : {false, true}) {
      Floats y(rows * width), of_words = keep ? words : Floats(words.size()),
                              of_positions = keep ? positions : Floats(positions.size()),
                              of_types = keep ? types : Floats(types.size());
      for (std::size_t row = 0; row < rows; ++row) {
        const std::size_t place = row % 7, type = place * 2 / 7, word = static_cast<std::size_t>(tokens[row]);
        for (std::size_t i = 0; i < width; ++i) {
          y[row * width + i] =
              words[word * width + i] + positions[place * width + i] + types[type * width + i];
          of_words[word * width + i] += dy[row * width + i];
          of_positions[place * width + i] += dy[row * width + i];
          of_types[type * width + i] += dy[row * width + i];
        }
      }
      if (!keep) expect_close("embedding", y_there.read(), y, kLimit<R>);
      const OnDevice<P> a(words), b(positions), c(types);
      const cuda::DeviceBuffer<std::int32_t> lists(first_gpu(), 19 + rows);
      const OnDevice<float> sums(7 * width);
      device::embedding_backward<R, P>(nullptr, shape, tokens_there.data(), dy_there.data(), keep,
                                       {a.data(), b.data(), c.data()}, lists.data(), sums.data());
      const std::string when = keep ? " added" : "";
      expect_close("gradients of words" + when, a.read(), of_words, kLimit<P>);
      expect_close("gradients of positions" + when, b.read(), of_positions, kLimit<P>);
      expect_close("gradients of types" + when, c.read(), of_types, kLimit<P>);
    }
  }
}

// Scores of several pairs, members and bands: probabilities in place, and their backward pass.
TYPED_TEST(CudaKernels, Softmax) {
  using C = typename TypeParam::C;
  constexpr std::size_t kGap = sizeof(float) / sizeof(C);
  for (const std::size_t keys : {7U, 64U, 512U, 1500U, 2048U}) {
    for (const bool causal : {false, true}) {
      device::ScoresShape shape;
      shape.pairs = 2;
      shape.place_rows = 3;
      shape.rows = 6;  // two heads of three queries
      shape.keys = keys;
      shape.first_place = keys - 3;
      shape.causal = causal;
      shape.sums_stride = 10;
      const std::string what = (causal ? "causal, " : "") + std::to_string(keys) + " keys: ";
      const std::size_t rows = shape.pairs * shape.rows, count = rows * keys;
      const Floats scores = normal_numbers(count, 1, 3), slopes = normal_numbers(count, 2);
      Floats probabilities(count), gradients(count), log_sums(20);
      for (std::size_t row = 0; row < rows; ++row) {
        const std::size_t seen = causal ? shape.first_place + row % 3 + 1 : keys;
        double sum = 0, along = 0;
        for (std::size_t i = 0; i < seen; ++i) sum += std::exp(static_cast<double>(scores[row * keys + i]));
        log_sums[row / 6 * 10 + row % 6] = static_cast<float>(std::log(sum));
        for (std::size_t i = 0; i < seen; ++i) {
          const double p = std::exp(static_cast<double>(scores[row * keys + i])) / sum;
          probabilities[row * keys + i] = static_cast<float>(p);
          along += p * static_cast<double>(slopes[row * keys + i]);
        }
        for (std::size_t i = 0; i < seen; ++i)
          gradients[row * keys + i] =
              static_cast<float>(static_cast<double>(probabilities[row * keys + i]) *
                                 (static_cast<double>(slopes[row * keys + i]) - along));
      }
      const auto in_rows = [&](const OnDevice<float>& there) {
        const Floats raw = there.read();
        std::vector<C> wide(count * kGap);
        std::memcpy(static_cast<void*>(wide.data()), raw.data(), count * sizeof(float));
        Floats values(count);
        for (std::size_t row = 0; row < rows; ++row) {
          for (std::size_t i = 0; i < keys; ++i) {
            const C value = wide[row * keys * kGap + i];
            if constexpr (std::is_same_v<C, float>) {
              values[row * keys + i] = value;
            } else {
              values[row * keys + i] = __bfloat162float(value);
            }
          }
        }
        return values;
      };
      const OnDevice<float> there(scores), sums_there(Floats(20, 0.0F));
      device::softmax<C>(nullptr, shape, there.data(), sums_there.data());
      expect_close(what + "probabilities", in_rows(there), probabilities, kLimit<C>);
      expect_close(what + "logarithms of sums", sums_there.read(), log_sums, 3e-6);
      const OnDevice<float> again(scores), slopes_there(slopes);
      device::softmax_backward<C>(nullptr, shape, again.data(), sums_there.data(), slopes_there.data());
      expect_close(what + "probabilities again", in_rows(again), probabilities, kLimit<C> + 3e-6);
      expect_close(what + "gradients", in_rows(slopes_there), gradients, kLimit<C> + 1e-5);
    }
  }
}

TYPED_TEST(CudaKernels, HeadsArePackedTurnedAndBack) {
  using C = typename TypeParam::C;
  using P = typename TypeParam::P;
  for (const std::size_t d : {4U, 64U}) {
    for (const bool turned : {false, true}) {
      const std::size_t samples = 2, s = 5, heads = 4, kv = 2, width = (heads + 2 * kv) * d,
                        rows = samples * s;
      Floats turns(s * d);
      for (std::size_t i = 0; i < turns.size(); ++i) {
        const double angle = static_cast<double>(i / d) * 0.3 + static_cast<double>(i % (d / 2));
        turns[i] = static_cast<float>(i % d < d / 2 ? std::cos(angle) : std::sin(angle));
      }
      const OnDevice<float> turns_there(turns);
      const Floats x = as_stored<C>(normal_numbers(rows * width, 1));
      Floats expected = x, packed(x.size());
      if (turned) host::rotate({0, rows}, width, heads + kv, d, s, turns.data(), false, expected.data());
      for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t column = 0; column < width; ++column) {
          const std::size_t head = column / d, sample = row / s;
          const std::size_t matrix = head < heads ? sample * heads + head
                                     : head < heads + kv
                                         ? samples * heads + sample * kv + head - heads
                                         : samples * (heads + kv) + sample * kv + head - heads - kv;
          packed[(matrix * s + row % s) * d + column % d] = expected[row * width + column];
        }
      }
      const OnDevice<C> x_there(x), packed_there(x.size()), back(x.size());
      const device::Heads shape{samples, s, d, heads, kv, turned ? turns_there.data() : nullptr};
      const std::string what = "d " + std::to_string(d) + (turned ? ", turned: " : ": ");
      device::pack<C>(nullptr, shape, x_there.data(), packed_there.data());
      expect_close(what + "packed", packed_there.read(), packed, kLimit<C>);
      const OnDevice<P> bias(width);
      const OnDevice<float> partial(column_pieces(rows) * width);
      device::unpack<C, C, P>(nullptr, shape, packed_there.data(), back.data(),
                              {bias.data(), false, partial.data()});
      expect_close(what + "unpacked", back.read(), x, 2 * kLimit<C>);
      Floats sums(width);
      host::bias_gradient({0, width}, rows, width, x.data(), false, sums.data());
      expect_close(what + "sums of columns", bias.read(), sums, 4 * kLimit<C>);
      const OnDevice<C> alone(x.size());
      device::unpack<C, C, P>(nullptr, shape, packed_there.data(), alone.data(), {});
      EXPECT_EQ(alone.read(), back.read()) << what;
    }
  }
}

TYPED_TEST(CudaKernels, FirstRows) {
  using C = typename TypeParam::C;
  const Floats x = as_stored<C>(normal_numbers(std::size_t{3 * 5 * 20}, 1));
  const OnDevice<C> there(x), first(std::size_t{3 * 20}), back(x.size());
  device::first_rows<C>(nullptr, 3, 5, 20, there.data(), first.data());
  device::first_rows_backward<C>(nullptr, 3, 5, 20, first.data(), back.data());
  const Floats found = first.read(), spread = back.read();
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i / 20 % 5 == 0) {
      EXPECT_EQ(found[i / 100 * 20 + i % 20], x[i]);
    }
    EXPECT_EQ(spread[i], i / 20 % 5 == 0 ? x[i] : 0) << i;
  }
}

TYPED_TEST(CudaKernels, Optimizers) {
  using C = typename TypeParam::C;
  using P = typename TypeParam::P;
  constexpr bool kCopies = !std::is_same_v<C, P>;
  constexpr Arithmetic kArithmetic = std::is_same_v<P, Bf16> ? Arithmetic::pure_bf16
                                     : kCopies               ? Arithmetic::bf16
                                                             : Arithmetic::fp32;
  const std::size_t count = TensorPlaces::kGrain * 5;
  Floats w = as_stored<P>(normal_numbers(count, 1, 0.02)), m(count), v(count);
  const OnDevice<P> w_there(w), m_there(m), v_there(v), g_there(count);
  const OnDevice<C> copy(count);
  const cuda::DeviceBuffer<StepCount> steps(first_gpu(), 1);
  ASSAY_CUDA_CHECK(cudaMemset(steps.data(), 0, sizeof(StepCount)));
  AdamW adamw;
  adamw.rate = 1e-2F;
  OptimizerMemory memory{w_there.data(), const_cast<P*>(g_there.data()),  m_there.data(),
                         v_there.data(), kCopies ? copy.data() : nullptr, steps.data()};
  for (std::uint64_t step = 1; step <= 3; ++step) {
    const Floats g = as_stored<P>(normal_numbers(count, 10 + step));
    const OnDevice<P> of_step(g);
    memory.gradients = of_step.data();
    begin_step(nullptr, adamw, steps.data());
    update(nullptr, kArithmetic, adamw, count, memory);
    adamw.update(0, count, step, g.data(), w.data(), m.data(), v.data());
    w = as_stored<P>(w), m = as_stored<P>(m), v = as_stored<P>(v);
    ASSAY_CUDA_CHECK(cudaDeviceSynchronize());
  }
  EXPECT_EQ(steps.copy_back(nullptr, 0, 1)[0].step, 3U);
  expect_close("parameters by AdamW", w_there.read(), w, kLimit<P>);
  expect_close("first moments", m_there.read(), m, kLimit<P>);
  expect_close("second moments", v_there.read(), v, kLimit<P>);
  if (kCopies) expect_close("the copy", copy.read(), w, kLimit<C>);
  const Floats g = as_stored<P>(normal_numbers(count, 20));
  const OnDevice<P> last(g);
  memory.gradients = last.data();
  Sgd sgd;
  sgd.rate = 0.1F;
  w = w_there.read();
  sgd.update(0, count, g.data(), w.data());
  update(nullptr, kArithmetic, sgd, count, memory);
  expect_close("parameters by SGD", w_there.read(), w, kLimit<P>);
}

}  // namespace
}  // namespace assay::plugins::model
