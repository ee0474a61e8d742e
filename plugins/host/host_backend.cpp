// SPDX-License-Identifier: Apache-2.0
//
// The backend `host`: this machine's CPUs and memory as one device, host:0, with what the kernel tells about
// them.
#include "host/cpu_facts.hpp"
#include "host/cpu_telemetry.hpp"

#include <assay/backend.hpp>
#include <assay/plugin.hpp>

#include <string>
#include <vector>

namespace {

using assay::plugins::host::CpuFacts;
using assay::plugins::host::CpuTelemetry;

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("this machine's CPUs and memory");
  }
};

class Host final : public assay::Backend {
 public:
  static constexpr const char* name = "host";

  void inventory(assay::Inventory& found) override {
    const CpuFacts cpu = assay::plugins::host::read_cpu_facts("/");
    found.census(assay::Census().known("the kernel", 1));
    found.device("host:0")
        .model(cpu.model)
        .fact("architecture", cpu.architecture)
        .fact("cpus", cpu.online)
        .fact("cores", cpu.cores)
        .fact("sockets", cpu.sockets)
        .fact("l1d_bytes", cpu.l1d_bytes)
        .fact("l2_bytes", cpu.l2_bytes)
        .fact("l3_bytes", cpu.l3_bytes)
        .fact("memory_bytes", cpu.memory_bytes)
        .fact("vectors", cpu.vectors)
        .fact("governor", cpu.governor)
        .fact("huge_pages", cpu.huge_pages);
  }

  void read(const std::vector<std::string>& devices, const assay::Readings& out) override {
    for (const std::string& device : devices) {
      if (device != "host:0") continue;
      telemetry_.read([&](const char* quantity, double value) { out.reading(device, quantity, value); },
                      [&](const char* reason) { out.reason(device, reason); });
    }
  }

 private:
  CpuTelemetry telemetry_{"/"};
};

}  // namespace

ASSAY_PLUGIN("org.assay.host", "0.1.0", "", Host, About)
