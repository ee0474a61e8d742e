// SPDX-License-Identifier: Apache-2.0
//
// Throws in the way that its parameter names. Whatever C++ library a plugin is built with, its exceptions
// stay inside it.
#include <assay/host.hpp>
#include <assay/plugin.hpp>

#include <stdexcept>
#include <string>

namespace {

enum class Throws { nothing, failure, skip, standard, other };

class Thrower final : public assay::host::Benchmark {
 public:
  struct Params {
    Throws what = Throws::nothing;
  };

  static void describe(assay::Description<Params>& is) {
    is.named("thrower").summary("Throws");
    is.param("what", &Params::what)
        .choices({{"nothing", Throws::nothing},
                  {"failure", Throws::failure},
                  {"skip", Throws::skip},
                  {"standard", Throws::standard},
                  {"other", Throws::other}})
        .help("what is thrown");
  }

  Thrower(const Params& params, assay::Case& run) : Benchmark(run), what_(params.what) {}

  void prepare() override {
    if (what_ == Throws::failure)
      throw assay::Failure("a failure of the plugin's", ASSAY_E_RESOURCE, "errno", 12);
    if (what_ == Throws::skip) throw assay::Skip("nothing to measure here");
    if (what_ == Throws::standard) static_cast<void>(std::string("short").at(99));
    if (what_ == Throws::other) throw 42;
  }

  void run(std::uint64_t n) override {
    for (; n > 0; --n) {
      sum_ += 1;
      observe(&sum_);
    }
  }

 private:
  Throws what_;
  double sum_ = 0;
};

}  // namespace

ASSAY_PLUGIN("org.assay.thrower", "1.0.0", assay::host::backend, Thrower)
