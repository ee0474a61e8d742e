// SPDX-License-Identifier: Apache-2.0
//
// The backend `acme`: two simulated accelerators, their facts, telemetry, and how one of them is made
// visible.
#include "simulated_device.hpp"

#include <assay/plugin.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace {

constexpr int kDevices = 2;

class Acme final : public assay::Backend {
 public:
  static constexpr const char* name = acme::kBackend;

  static void describe(assay::TelemetryDescription& is) {
    is.gauge("power", assay::unit::watts)
        .gauge("temperature", assay::unit::celsius)
        .gauge("clock", assay::unit::hertz);
  }

  void inventory(assay::Inventory& found) override {
    found.fact("driver", "1.0 (simulated)");
    for (int i = 0; i < kDevices; ++i) {
      found.device("acme:" + std::to_string(i))
          .uuid("ACME-9000-" + std::to_string(i))
          .model("Acme 9000 (simulated)")
          .fact("memory_bytes", std::int64_t{64} << 30)
          .fact("serial", "A" + std::to_string(9000 + i))
          .peak("memory_bandwidth", acme::kBytesPerSecond, assay::unit::bytes_per_second,
                "Acme 9000, simulated");
    }
  }

  void read(const std::vector<std::string>& devices, const assay::Readings& out) override {
    for (const std::string& device : devices) {
      out.reading(device, "power", 300);
      out.reading(device, "temperature", 50);
      out.reading(device, "clock", 1.5e9);
    }
  }

  void visibility(const std::vector<std::string>& devices, const assay::Environment& out) override {
    std::string list;
    for (const std::string& device : devices) list += (list.empty() ? "" : ",") + device;
    out.set("ACME_VISIBLE_DEVICES", list);
  }
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Acme").license("Apache-2.0").summary("Acme accelerators, simulated: an example");
  }
};

}  // namespace

ASSAY_PLUGIN("com.acme.backend", "1.0.0", "", Acme, About)
