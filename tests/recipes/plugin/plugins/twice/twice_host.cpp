// SPDX-License-Identifier: Apache-2.0
//
// twice@host: one thread of each rank.
#include "twice/parameters.hpp"

#include <assay/group.hpp>
#include <assay/host.hpp>
#include <assay/memory.hpp>
#include <assay/plugin.hpp>

#include <cstddef>
#include <cstdint>

namespace {

namespace twice = assay::plugins::twice;

class Twice final : public assay::host::Benchmark {
 public:
  using Params = twice::Params;

  static void describe(assay::Description<Params>& is) {
    twice::describe(is, "one CPU thread of each rank");
    is.supports({assay::Data::normal, assay::Data::uniform, assay::Data::zeros});
  }

  Twice(const Params& params, assay::Case& run) : Benchmark(run), params_(params), group_(run) {}

  void prepare() override {
    x_ = assay::HostBuffer<float>(context(), params_.elements);
    y_ = assay::HostBuffer<float>(context(), params_.elements);
    restore();
    work("bandwidth", twice::kBytesPerElement * static_cast<double>(params_.elements));
    idempotent();
    inputs_follow_seed();
  }

  void restore() override {
    for (std::size_t i = 0; i < params_.elements; ++i) {
      x_[i] = input(i);
      y_[i] = 1e30F;
    }
  }

  void run(std::uint64_t n) override {
    for (; n > 0; --n) {
      for (std::size_t i = 0; i < params_.elements; ++i) y_[i] = 2 * x_[i];
      observe(y_.data());
    }
  }

  void verify() override {
    checks().method("closed form");
    expect_equal(
        params_.elements, [&](std::size_t i) { return y_[i]; }, [&](std::size_t i) { return 2 * input(i); });
  }

 private:
  float input(std::uint64_t i) const {
    const assay::Conditions conditions = context().conditions();
    return static_cast<float>(
        assay::element(conditions.data, twice::inputs_of(conditions.seed, group_.rank()), i));
  }

  Params params_;
  assay::Group group_;
  assay::HostBuffer<float> x_, y_;
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("twice on the host");
  }
};

}  // namespace

ASSAY_PLUGIN("org.assay.twice.host", "0.1.0", assay::host::backend, About, Twice)
