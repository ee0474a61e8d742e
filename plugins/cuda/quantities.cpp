// SPDX-License-Identifier: Apache-2.0
#include "cuda/quantities.hpp"

#include <algorithm>
#include <string_view>

namespace assay::plugins::cuda {
namespace {

using Value = std::optional<double>;

template <class Field>
Value of_rows(const Nvml& nvml, const Watched& watched, Field field) {
  const auto rows = nvml.remapped_rows(watched.whole);
  return rows ? Value(static_cast<double>((*rows).*field)) : Value();
}

Value links_down(const Nvml& nvml, const Watched& watched) {
  const std::vector<Nvml::Link> links = nvml.links(watched.whole, Nvml::Detail::states);
  if (links.empty()) return {};
  return static_cast<double>(
      std::count_if(links.begin(), links.end(), [](const Nvml::Link& link) { return !link.active; }));
}

template <Nvml::LinkError which>
Value link_errors(const Nvml& nvml, const Watched& watched) {
  return nvml.link_errors(watched.whole, which);
}

bool is_of_links(std::string_view quantity) { return quantity.substr(0, 6) == "nvlink"; }
bool is_of_ecc(std::string_view quantity) { return quantity.substr(0, 4) == "ecc_"; }

struct Xid {
  const char* name;
  const char* summary;
};
// Errors after which a GPU, or what it computed, can't be trusted: those for which NVIDIA's catalogue has a reset,
// a reboot or a repair as the immediate action, or an uncorrectable error of the memory
// (docs.nvidia.com/deploy/xid-errors: Xid catalog, for Ampere and newer). Others are told: a program's own fault
// (13, 31, 43), a row that was remapped (63), many corrected errors (92), and whatever is not known here.
constexpr Xid kFatal[] = {{"xid_46", "the GPU stopped processing"},
                          {"xid_48", "an ECC error of two bits"},
                          {"xid_62", "the internal micro-controller halted"},
                          {"xid_64", "a row of memory could not be remapped"},
                          {"xid_74", "an error of NVLink"},
                          {"xid_79", "the GPU has fallen off the bus"},
                          {"xid_94", "an ECC error that was contained"},
                          {"xid_95", "an ECC error that was not contained"},
                          {"xid_119", "the GPU's system processor does not answer"},
                          {"xid_120", "an error of the GPU's system processor"},
                          {"xid_140", "an ECC error that was not recovered from"}};

}  // namespace

const std::vector<Quantity>& quantities() {
  constexpr auto kNormal = AboveZero::is_normal;
  constexpr auto kTell = AboveZero::is_told;
  static const std::vector<Quantity> table = {
      {"power", unit::watts, false, kNormal, "of this moment; of an older driver the mean of the last second",
       [](const Nvml& nvml, const Watched& of) { return nvml.power_w(of.whole); }},
      {"energy", unit::joules, true, kNormal, "",
       [](const Nvml& nvml, const Watched& of) { return nvml.energy_j(of.whole); }},
      {"temperature", unit::celsius, false, kNormal, "",
       [](const Nvml& nvml, const Watched& of) { return nvml.temperature_c(of.whole); }},
      {"clock", unit::hertz, false, kNormal, "of the multiprocessors",
       [](const Nvml& nvml, const Watched& of) { return nvml.clock_hz(of.whole, Nvml::Clock::sm); }},
      {"memory_clock", unit::hertz, false, kNormal, "",
       [](const Nvml& nvml, const Watched& of) { return nvml.clock_hz(of.whole, Nvml::Clock::memory); }},
      {"memory_used", unit::bytes, false, kNormal, "by all processes",
       [](const Nvml& nvml, const Watched& of) { return nvml.memory_used_bytes(of.device); }},
      {"ecc_corrected", unit::one, true, kTell, "errors of memory that were corrected",
       [](const Nvml& nvml, const Watched& of) { return nvml.ecc_errors(of.whole, true); }},
      {"ecc_uncorrected", unit::one, true, AboveZero::fails, "errors of memory that were not corrected",
       [](const Nvml& nvml, const Watched& of) { return nvml.ecc_errors(of.whole, false); }},
      {"rows_remapped_corrected", unit::one, true, kTell,
       "rows of memory that were replaced after corrected errors",
       [](const Nvml& nvml, const Watched& of) { return of_rows(nvml, of, &Nvml::RemappedRows::corrected); }},
      {"rows_remapped_uncorrected", unit::one, true, kTell,
       "rows of memory that were replaced after uncorrected errors",
       [](const Nvml& nvml, const Watched& of) {
         return of_rows(nvml, of, &Nvml::RemappedRows::uncorrected);
       }},
      {"row_remap_pending", unit::one, false, kTell, "1: a row of memory is replaced at the next reset",
       [](const Nvml& nvml, const Watched& of) { return of_rows(nvml, of, &Nvml::RemappedRows::pending); }},
      {"row_remap_failed", unit::one, false, kTell, "1: a row of memory could not be replaced",
       [](const Nvml& nvml, const Watched& of) { return of_rows(nvml, of, &Nvml::RemappedRows::failed); }},
      {"nvlink_crc", unit::one, true, kTell, "flits and data of NVLinks with a bad sum",
       link_errors<Nvml::LinkError::crc>},
      {"nvlink_replays", unit::one, true, kTell, "what NVLinks sent again",
       link_errors<Nvml::LinkError::replay>},
      {"nvlink_recoveries", unit::one, true, kTell, "times that NVLinks were trained anew",
       link_errors<Nvml::LinkError::recovery>},
      {"nvlinks_down", unit::one, false, kTell, "NVLinks that are down", links_down},
      {"pcie_replays", unit::one, true, kTell, "what the PCIe link sent again",
       [](const Nvml& nvml, const Watched& of) { return nvml.pcie_replays(of.whole); }},
  };
  return table;
}

std::vector<std::string> lacking(const Nvml& nvml, const Watched& watched) {
  std::vector<std::string> names;
  if (watched.whole == nullptr) return names;
  const std::vector<Nvml::Link> links = nvml.links(watched.whole, Nvml::Detail::states);
  const bool linked =
      std::any_of(links.begin(), links.end(), [](const Nvml::Link& link) { return link.active; });
  for (const Quantity& quantity : quantities()) {
    if (is_of_links(quantity.name) && !linked) {
      names.emplace_back(quantity.name);
      continue;
    }
    // What every board tells is read when something is measured, and not before: a read may hang.
    if (!quantity.counter && quantity.above_zero == AboveZero::is_normal) continue;
    if (watched.device == nullptr || quantity.read(nvml, watched) || !nvml.last_is_unsupported()) continue;
    if (is_of_ecc(quantity.name) && (nvml.ecc(watched.whole) || !nvml.last_is_unsupported())) continue;
    names.emplace_back(quantity.name);
  }
  return names;
}

void describe_telemetry(TelemetryDescription& is) {
  for (const Quantity& each : quantities()) {
    if (each.counter)
      is.counter(each.name, each.unit, each.summary, each.above_zero);
    else
      is.gauge(each.name, each.unit, each.summary, each.above_zero);
  }
  is.reason("application_clocks", Means::nothing, "the clock that was set for applications")
      .reason("power_cap", Means::power_capped, "the power limit")
      .reason("hw_slowdown", Means::throttled, "heat, power or an external signal")
      .reason("sync_boost", Means::nothing, "the slowest GPU of a group")
      .reason("sw_thermal", Means::throttled, "heat")
      .reason("hw_thermal", Means::throttled, "heat")
      .reason("hw_power_brake", Means::throttled, "the power supply's brake")
      .reason("display_clocks", Means::nothing, "the clock that displays need")
      .reason("foreign_process", Means::told, "a process of somebody else holds the device and was idle")
      .reason("used_by_*", Means::shared_device,
              "a process of somebody else, by its number, used the device");
  for (const Xid& xid : kFatal) is.reason(xid.name, Means::fault, xid.summary);
  is.reason("xid_*", Means::told, "an error that the driver logged");
}

}  // namespace assay::plugins::cuda
