// SPDX-License-Identifier: Apache-2.0
//
// A whole plugin in C++: one class, one macro, one exported symbol, no library of the host's to link against.
#include <assay/host.hpp>
#include <assay/plugin.hpp>

namespace {

class Saxpy final : public assay::host::Benchmark {
 public:
  struct Params {
    std::uint64_t elements = 1u << 24;
    double a = 2.0;
  };

  static void describe(assay::Description<Params>& is) {
    is.named("saxpy").revision(1).summary("y = a·x + y over vectors larger than any cache");
    is.param("elements", &Params::elements).range(1, 1ull << 36).help("length of each vector");
    is.param("a", &Params::a).range(-4, 4).help("the scalar");
    is.rate("bandwidth", assay::unit::bytes_per_second)
        .counting("x read, y read, y written: 12 bytes an element")
        .mechanism("one CPU thread")
        .peak("memory_bandwidth");
    is.supports({assay::Data::normal, assay::Data::uniform, assay::Data::zeros});
  }

  Saxpy(const Params& params, assay::Case& run) : Benchmark(run), params_(params) {}

  void prepare() override {
    x_ = assay::HostBuffer<float>(context(), params_.elements);
    y_ = assay::HostBuffer<float>(context(), params_.elements);
    inputs_follow_seed();
    restore();
    work("bandwidth", 12.0 * static_cast<double>(params_.elements));
  }

  void restore() override {
    for (std::size_t i = 0; i < params_.elements; ++i) {
      x_[i] = initial(0, i);
      y_[i] = initial(1, i);
    }
  }

  void run(std::uint64_t n) override {
    const float a = static_cast<float>(params_.a);
    for (; n > 0; --n) {
      for (std::size_t i = 0; i < params_.elements; ++i) y_[i] = a * x_[i] + y_[i];
      observe(y_.data());
    }
  }

  void verify() override {  // called after exactly one iteration on restored inputs
    const double a = static_cast<float>(params_.a);
    checks().method("closed form");
    expect_close(
        params_.elements, [&](std::size_t i) { return y_[i]; },
        [&](std::size_t i) { return a * initial(0, i) + initial(1, i); }, assay::absolute(1e-5));
  }

 private:
  float initial(std::uint64_t stream, std::uint64_t i) const {
    const assay::Conditions conditions = context().conditions();
    return static_cast<float>(assay::element(conditions.data, assay::Random(conditions.seed, stream), i));
  }

  Params params_;
  assay::HostBuffer<float> x_, y_;
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Acme").license("Apache-2.0").summary("Vector updates");
  }
};

}  // namespace

ASSAY_PLUGIN("com.acme.saxpy", "1.0.0", assay::host::backend, About, Saxpy)
