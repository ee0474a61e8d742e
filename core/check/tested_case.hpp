// SPDX-License-Identifier: Apache-2.0
//
// Single calls of one instance of a benchmark, with a host that can be made to refuse things. Whole visits
// are the worker's: see visit.hpp.
#pragma once

#include "check/subject.hpp"
#include "worker/case_context.hpp"
#include "worker/plugin.hpp"

#include <assay/abi/v1.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace assay::check {

// The frame that starts a visit of the benchmark with these parameters, on its share of the devices.
[[nodiscard]] wire::StartVisit start_of(const CheckedBenchmark& checked, Json parameters);

// One call into the plugin, as it came back.
struct Answer {
  assay_status status = ASSAY_OK;
  bool threw = false;
  std::string reason;  // that the plugin gave, or what the exception says of itself, or empty

  [[nodiscard]] bool ok() const { return status == ASSAY_OK && !threw; }
  // "an exception left it", "status -1: m must be even".
  [[nodiscard]] std::string text() const;
};

class TestedCase {
 public:
  struct Refusals {
    bool parameters = false;  // every parameter is unknown
    bool memory = false;      // assay.memory/1 has none left
  };

  // The plugin and the subject outlive it.
  TestedCase(const CheckedBenchmark& checked, Json parameters);
  ~TestedCase();
  TestedCase(const TestedCase&) = delete;  // the plugin holds its address
  TestedCase& operator=(const TestedCase&) = delete;

  Refusals refuse;
  // The counted memory is changed at each of the host's functions that the plugin calls, while this is on.
  bool disturbing = false;
  void cancel() { interruption_.cancel(1); }

  // Of a benchmark with several ranks every rank calls them in the same order, and gets the same answer: if
  // one rank's call went wrong, the others' did.
  Answer create(const char* name = nullptr);  // nullptr: its own
  Answer probe();
  Answer prepare();
  Answer traits(assay_traits& out);
  Answer iterate(std::uint64_t n, assay_mode mode = ASSAY_MODE_MEASURE);
  Answer verify(assay_verify_phase phase, assay_verification& out);
  Answer damage();
  // The first three, and the fourth if it is asked for: what the first said that went wrong, else the last.
  Answer get_ready(assay_traits* out = nullptr);
  // Of the last of these calls: what this rank's came back with, whatever the others' did.
  [[nodiscard]] const Answer& own() const { return own_; }
  void release();
  [[nodiscard]] bool created() const { return instance_made_; }
  [[nodiscard]] bool can_verify() const { return facet_.verify != nullptr; }
  [[nodiscard]] bool can_damage() const { return ASSAY_HAS(&facet_, damage); }

  // Bytes that the plugin holds of assay.memory/1.
  [[nodiscard]] std::size_t memory_bytes() const;
  // Changes every byte of it; how often that was done.
  void disturb();
  [[nodiscard]] int disturbances() const { return disturbances_; }

 private:
  struct Hooks;
  // The plugin gets the address of the first member.
  struct HookedCase {
    assay_case abi;
    TestedCase* tested;
  };

  template <class Body>
  Answer call(Body&& body);
  template <class Body>
  Answer call_of_all(Body&& body);

  const CheckedRank& rank_;
  const worker::LoadedPlugin& plugin_;
  const assay_benchmark_v1& facet_;
  wire::StartVisit start_;
  worker::Interruption interruption_;
  worker::CaseContext context_;
  HookedCase hooked_;
  assay_memory_v1 memory_{};
  std::map<void*, std::size_t> blocks_;
  void* instance_ = nullptr;
  bool instance_made_ = false;
  int disturbances_ = 0;
  Answer own_;
};

// Small parameters that the plugin takes, or its defaults if it refuses small ones.
[[nodiscard]] Json quick_parameters(const CheckedBenchmark& checked);

}  // namespace assay::check
