// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <assay/abi/v1.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace assay::testing {

// The host's side of one case: gives the parameters that a test sets and writes down what the plugin says.
class RecordingHost {
 public:
  using Value = std::variant<std::int64_t, double, bool, std::string>;

  RecordingHost() {
    conditions_.size = sizeof(conditions_);
    conditions_.seed = 7;
    device_ = {sizeof(device_), 3, "fake:3", "uuid-3", 1, 0};
    devices_[0] = &device_;
    memory_ = {sizeof(memory_), 0, &allocate, &release};
    case_ = {sizeof(case_),   1,        &conditions_, devices_, this,   &log,       &fail,
             &fail_parameter, &integer, &number,      &boolean, &text,  &cancelled, &now,
             &deadline,       &work,    &value,       &fact,    &check, &query,     &lose};
  }
  RecordingHost(const RecordingHost&) = delete;
  RecordingHost& operator=(const RecordingHost&) = delete;

  const assay_case* get() const { return &case_; }

  std::map<std::string, Value> parameters;
  const assay_group_v1* group = nullptr;
  bool offers_memory = true;
  std::int64_t now_ns = 1000, step_ns = 50;  // the clock advances by a step at each reading
  bool is_cancelled = false;

  struct Reason {
    std::string domain, text, parameter;
    std::int64_t code = 0;
  };
  std::vector<Reason> reasons;
  std::vector<std::string> lines;
  std::vector<std::string> lost;
  std::map<std::string, double> declared_work;
  std::map<std::string, double> values;  // "cells[1][0]"
  std::map<std::string, std::string> facts;
  std::vector<std::string> checks;
  int live_allocations = 0;

 private:
  static RecordingHost& self(const assay_case* c) { return *static_cast<RecordingHost*>(c->host); }

  template <class Held>
  static const Held* find(const assay_case* c, const char* name) {
    const auto found = self(c).parameters.find(name);
    return found == self(c).parameters.end() ? nullptr : std::get_if<Held>(&found->second);
  }

  static void log(const assay_case* c, assay_log_level, const char* text) { self(c).lines.push_back(text); }
  static void fail(const assay_case* c, const char* domain, std::int64_t code, const char* text) {
    self(c).reasons.push_back({domain, text, "", code});
  }
  static void fail_parameter(const assay_case* c, const char* parameter, const char* text) {
    self(c).reasons.push_back({"", text, parameter, 0});
  }
  static void lose(const assay_case* c, const char* device, const char*) { self(c).lost.push_back(device); }
  static assay_status integer(const assay_case* c, const char* name, std::int64_t* out) {
    const auto* found = find<std::int64_t>(c, name);
    if (found) *out = *found;
    return found ? ASSAY_OK : ASSAY_E_INVALID;
  }
  static assay_status number(const assay_case* c, const char* name, double* out) {
    const auto* found = find<double>(c, name);
    if (found) *out = *found;
    return found ? ASSAY_OK : ASSAY_E_INVALID;
  }
  static assay_status boolean(const assay_case* c, const char* name, std::int32_t* out) {
    const auto* found = find<bool>(c, name);
    if (found) *out = *found ? 1 : 0;
    return found ? ASSAY_OK : ASSAY_E_INVALID;
  }
  static assay_status text(const assay_case* c, const char* name, const char** out) {
    const auto* found = find<std::string>(c, name);
    if (found) *out = found->c_str();
    return found ? ASSAY_OK : ASSAY_E_INVALID;
  }
  static std::int32_t cancelled(const assay_case* c) { return self(c).is_cancelled ? 1 : 0; }
  static std::int64_t now(const assay_case* c) { return self(c).now_ns += self(c).step_ns; }
  static std::int64_t deadline(const assay_case*) { return 1000000; }
  static void work(const assay_case* c, const char* metric, double amount) {
    self(c).declared_work[metric] = amount;
  }
  static void value(const assay_case* c, const char* metric, std::uint32_t dimensions,
                    const std::uint32_t* indices, double number) {
    std::string name = metric;
    for (std::uint32_t i = 0; i < dimensions; ++i) name += "[" + std::to_string(indices[i]) + "]";
    self(c).values[name] = number;
  }
  static void fact(const assay_case* c, const char* name, const char* text) { self(c).facts[name] = text; }
  static void check(const assay_case* c, const char* name, const char* subject, std::int32_t passed,
                    const char* text) {
    self(c).checks.push_back(std::string(name) + "|" + subject + "|" + (passed ? "yes" : "no") + "|" + text);
  }
  static const void* query(const assay_case* c, const char* id) {
    if (std::string(id) == ASSAY_SERVICE_GROUP) return self(c).group;
    if (std::string(id) == ASSAY_SERVICE_MEMORY && self(c).offers_memory) return &self(c).memory_;
    return nullptr;
  }
  static void* allocate(const assay_case* c, std::size_t bytes, std::size_t alignment) {
    ++self(c).live_allocations;
    return std::aligned_alloc(alignment, bytes);
  }
  static void release(const assay_case* c, void* memory) {
    --self(c).live_allocations;
    std::free(memory);
  }

  assay_conditions conditions_{};
  assay_device device_{};
  const assay_device* devices_[1];
  assay_memory_v1 memory_{};
  assay_case case_{};
};

}  // namespace assay::testing
