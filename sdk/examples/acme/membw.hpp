// SPDX-License-Identifier: Apache-2.0
//
// membw/1 on a simulated memory. Two plugins provide it: Acme's own, and one by somebody else.
#pragma once

#include "simulated_device.hpp"

#include <assay/contracts/membw_1.hpp>
#include <assay/memory.hpp>
#include <assay/plugin.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace acme {

enum class Kernel { read, write, copy, scale, add, triad, latency };
enum class Stores { temporal, nontemporal };

struct MembwParams {
  Kernel kernel = Kernel::triad;
  std::uint64_t bytes = std::uint64_t{1} << 28;
  Stores stores = Stores::temporal;
};

// Arrays that the kernel names: what STREAM counts.
inline int arrays_of(Kernel kernel) {
  switch (kernel) {
    case Kernel::read:
    case Kernel::write:
      return 1;
    case Kernel::copy:
    case Kernel::scale:
      return 2;
    case Kernel::add:
    case Kernel::triad:
      return 3;
    case Kernel::latency:
      break;
  }
  return 0;
}

// Everything that the contract asks for, and the parameter `stores`, so that suites written for membw@host
// run.
inline void describe_membw(assay::Description<MembwParams>& is) {
  namespace contract = assay::contracts::membw_1;
  contract::implement(is).revision(1);
  is.summary("memory bandwidth and latency of a simulated accelerator");
  contract::kernel(is, &MembwParams::kernel)
      .choices({{"read", Kernel::read},
                {"write", Kernel::write},
                {"copy", Kernel::copy},
                {"scale", Kernel::scale},
                {"add", Kernel::add},
                {"triad", Kernel::triad},
                {"latency", Kernel::latency}});
  contract::bytes(is, &MembwParams::bytes).range(4096, std::uint64_t{1} << 34);
  is.param("stores", &MembwParams::stores)
      .choices({{"temporal", Stores::temporal}, {"nontemporal", Stores::nontemporal}})
      .help("accepted and without effect: this device has one kind of store");
  contract::bandwidth(is).mechanism("simulation").peak("memory_bandwidth");
  contract::latency(is);
  is.supports({assay::Cache::hot});
}

// `kShare` percent of the peak is what this provider reaches.
template <int kShare>
class Membw : public SimulatedBenchmark {
 public:
  using Params = MembwParams;

  Membw(const Params& params, assay::Case& run) : SimulatedBenchmark(run), params_(params) {}

  void prepare() override {
    const std::uint64_t elements = std::min(params_.bytes / sizeof(double), kChecked);
    a_ = assay::HostBuffer<double>(context(), elements);
    b_ = assay::HostBuffer<double>(context(), elements);
    c_ = assay::HostBuffer<double>(context(), elements);
    if (params_.kernel == Kernel::latency) {
      work("latency", kLoads);
    } else {
      work("bandwidth", bytes_moved());
    }
  }

  double seconds() const override {
    if (params_.kernel == Kernel::latency) return kLoads * kLoad_s;
    return kLaunch_s + bytes_moved() / (kBytesPerSecond * kShare / 100);
  }

  // The first part of the arrays: a simulation need not fill a whole memory to be right.
  void compute(assay::Verification& seen) override {
    seen.method("closed form");
    const assay::Random random(context().seed(), 0);
    for (std::uint64_t i = 0; i < a_.size(); ++i) {
      a_[i] = -1;
      b_[i] = static_cast<double>(random.integer(i, 1, 1000));
      c_[i] = static_cast<double>(random.integer(i, 1001, 2000));
    }
    step();
    context().throw_if_cancelled();
    for (std::uint64_t i = 0; i < a_.size(); ++i) {
      const double b = static_cast<double>(random.integer(i, 1, 1000));
      const double c = static_cast<double>(random.integer(i, 1001, 2000));
      seen.expect_equal(a_[i], value(b, c), i);
    }
  }

 private:
  static constexpr std::uint64_t kChecked = 1 << 16;
  static constexpr double kLoads = 1000;     // of one iteration
  static constexpr double kLoad_s = 400e-9;  // from the device's memory
  static constexpr double kScalar = 3;

  double bytes_moved() const { return static_cast<double>(params_.bytes) * arrays_of(params_.kernel); }

  // What the kernel leaves in an element of a; for those that only read, what was read.
  double value(double b, double c) const {
    switch (params_.kernel) {
      case Kernel::write:
        return kScalar;
      case Kernel::scale:
        return kScalar * b;
      case Kernel::add:
        return b + c;
      case Kernel::triad:
        return b + kScalar * c;
      case Kernel::read:
      case Kernel::copy:
      case Kernel::latency:
        break;
    }
    return b;
  }

  void step() {
    for (std::uint64_t i = 0; i < a_.size(); ++i) a_[i] = value(b_[i], c_[i]);
  }

  Params params_;
  assay::HostBuffer<double> a_, b_, c_;
};

}  // namespace acme
