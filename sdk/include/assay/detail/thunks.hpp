// SPDX-License-Identifier: Apache-2.0
//
// The C side of a plugin: functions that the host calls, each of which hands over to a C++ object and keeps
// every exception in.
#pragma once

#include <assay/abi/v1.h>
#include <assay/backend.hpp>
#include <assay/benchmark.hpp>
#include <assay/description.hpp>
#include <assay/errors.hpp>
#include <assay/nvtx.hpp>
#include <assay/reporter.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::detail {

class CaseReason final : public ReasonSink {
 public:
  explicit CaseReason(const assay_case* host) : host_(host) {}
  void fail(const char* domain, std::int64_t code, const char* text) noexcept override {
    host_->fail(host_, domain, code, text);
  }
  void fail_parameter(const char* parameter, const char* text) noexcept override {
    host_->fail_parameter(host_, parameter, text);
  }
  void lost(const char* device, const char* text) noexcept override {
    if (ASSAY_HAS(host_, lost)) host_->lost(host_, device, text);
  }

 private:
  const assay_case* host_;
};

// Of calls that have neither a case nor a sink.
class HostReason final : public ReasonSink {
 public:
  explicit HostReason(const assay_host* host) : host_(host) {}
  void fail(const char* domain, std::int64_t code, const char* text) noexcept override {
    if (ASSAY_HAS(host_, fail)) host_->fail(host_, domain, code, text);
  }
  void fail_parameter(const char*, const char* text) noexcept override { fail("", 0, text); }

 private:
  const assay_host* host_;
};

// Reasons through a sink with a fail() that takes text alone.
template <class Sink>
class SinkReason final : public ReasonSink {
 public:
  explicit SinkReason(const Sink* sink) : sink_(sink) {}
  void fail(const char*, std::int64_t, const char* text) noexcept override {
    if (ASSAY_HAS(sink_, fail)) sink_->fail(sink_->context, text);
  }
  void fail_parameter(const char*, const char* text) noexcept override { fail("", 0, text); }

 private:
  const Sink* sink_;
};

struct Instance {
  Instance(const assay_case* host, PluginState* plugin) : run(host, plugin) {}

  Case run;  // before the benchmark, which refers to it
  std::unique_ptr<Benchmark> benchmark;
  std::string name;  // of the benchmark and its parameters; empty while no tool listens to ranges
};

template <class Item>
Description<typename Item::Params> described() {
  Description<typename Item::Params> is;
  Item::describe(is);
  return is;
}

// "gemm dtype=bf16 m=8192 on cuda:0": what a range of this case is called.
inline std::string range_name(const BenchmarkDescription& is, const assay_case* host) {
  std::string text = is.name;
  for (const ParameterDescription& parameter : is.parameters) {
    const char* const name = parameter.name.c_str();
    std::int64_t integer = 0;
    double number = 0;
    std::int32_t boolean = 0;
    const char* given = nullptr;
    JsonWriter value;
    if (host->get_integer(host, name, &integer) == ASSAY_OK) {
      value.value(integer);
    } else if (host->get_number(host, name, &number) == ASSAY_OK) {
      value.value(number);
    } else if (host->get_boolean(host, name, &boolean) == ASSAY_OK) {
      value.value(boolean != 0);
    }
    text += " " + parameter.name + "=";
    text += host->get_text(host, name, &given) == ASSAY_OK && given ? std::string(given) : value.text();
  }
  for (std::uint32_t i = 0; i < host->device_count; ++i) {
    text += (i == 0 ? " on " : ", ") + std::string(host->devices[i]->name);
  }
  return text;
}

// Makes the benchmark if the name is its own.
template <class Item>
bool make_benchmark(std::string_view name, const assay_case* host, Instance& instance) {
  const auto is = described<Item>();
  if (is.description().name != name) return false;
  if (instance.run.nvtx().listened_to()) instance.name = range_name(is.description(), host);
  const typename Item::Params params = is.decode(host);
  instance.benchmark = std::make_unique<Item>(params, instance.run);
  return true;
}

// Calls `body` with the instance, in the ranges of its case and of this phase. `n` are iterations.
template <class Body>
assay_status in_case(void* instance, const char* phase, std::uint64_t n, Body&& body) noexcept {
  Instance& self = *static_cast<Instance*>(instance);
  CaseReason reason(self.run.host());
  const nvtx::Range of_case(self.run, self.name.c_str());
  const nvtx::Range of_phase(self.run, phase, n);
  return guarded(reason, [&] { body(self); });
}

inline void fill(const Traits& traits, assay_traits& out) {
  out.clock = static_cast<assay_clock>(traits.clock);
  out.tick_s = traits.tick_s;
  out.quantum = traits.quantum;
  out.maximum = traits.maximum;
  out.launches_per_iteration = traits.launches_per_iteration;
  out.flags = 0;
  if (traits.laps) out.flags |= ASSAY_TRAIT_LAPS;
  if (traits.idempotent) out.flags |= ASSAY_TRAIT_IDEMPOTENT;
  if (traits.spans) out.flags |= ASSAY_TRAIT_SPANS;
  if (traits.parts) out.flags |= ASSAY_TRAIT_PARTS;
  if (traits.unlike_ranks) out.flags |= ASSAY_TRAIT_UNLIKE_RANKS;
}

inline void fill(const Verification& seen, assay_verification& out) {
  out.exact = seen.exact() && seen.checked() != 0 ? 1 : 0;
  out.checked = seen.checked();
  out.wrong = seen.wrong();
  out.largest_error = seen.largest_error();
  out.tolerance = seen.tolerance();
  out.method = seen.method();
}

// The part of the benchmark facet that is the same for all classes.
struct BenchmarkThunks {
  static assay_status probe(void* instance) noexcept {
    return in_case(instance, "probe", 0, [](Instance& self) { self.benchmark->probe(); });
  }
  static assay_status prepare(void* instance) noexcept {
    return in_case(instance, "prepare", 0, [](Instance& self) { self.benchmark->prepare(); });
  }
  static assay_status traits(void* instance, assay_traits* out) noexcept {
    return in_case(instance, "traits", 0, [&](Instance& self) { fill(self.benchmark->traits(), *out); });
  }
  static assay_status verify(void* instance, assay_verify_phase phase, assay_verification* out) noexcept {
    if (phase < ASSAY_VERIFY_BEFORE || phase > ASSAY_VERIFY_LAST) return ASSAY_E_UNSUPPORTED;
    return in_case(instance, "verify", 0, [&](Instance& self) {
      const Verification seen = self.benchmark->verification(static_cast<VerifyPhase>(phase));
      fill(seen, *out);
      if (seen.wrong() != 0) throw Failure(seen.reason(), ASSAY_E_VERIFY);
    });
  }
  static assay_status iterate(void* instance, assay_mode mode, std::uint64_t n, assay_sample* out) noexcept {
    if (mode < ASSAY_MODE_MEASURE || mode > ASSAY_MODE_PROFILE) return ASSAY_E_UNSUPPORTED;
    return in_case(instance, "iterate", n,
                   [&](Instance& self) { self.benchmark->iterate(static_cast<Mode>(mode), n, *out); });
  }
  static void release(void* instance) noexcept { delete static_cast<Instance*>(instance); }
  static assay_status settle(void* instance) noexcept {
    return in_case(instance, "settle", 0, [](Instance& self) { self.benchmark->settle(); });
  }
  static assay_status reseed(void* instance, std::uint64_t) noexcept {
    bool can = false;
    const assay_status status =
        in_case(instance, "reseed", 0, [&](Instance& self) { can = self.benchmark->reseed(); });
    return status == ASSAY_OK && !can ? ASSAY_E_UNSUPPORTED : status;
  }
  static assay_status damage(void* instance) noexcept {
    bool can = false;
    const assay_status status =
        in_case(instance, "damage", 0, [&](Instance& self) { can = self.benchmark->damage(); });
    return status == ASSAY_OK && !can ? ASSAY_E_UNSUPPORTED : status;
  }
};

inline std::vector<std::string> names(const char* const* devices, std::uint32_t count) {
  return std::vector<std::string>(devices, devices + count);
}

// Renders if the name is the reporter's.
template <class Item>
bool render_as(std::string_view name, std::string_view document, const assay_option* options,
               std::uint32_t count, const assay_file_sink* sink) {
  ReporterDescription is;
  Item::describe(is);
  if (is.name() != name) return false;
  Files files(sink);
  Item().render(document, Options(is, options, count), files);
  return true;
}

}  // namespace assay::detail
