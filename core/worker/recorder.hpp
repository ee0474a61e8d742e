// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "result/visit.hpp"

#include <assay/abi/v1.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace assay::worker {

// A rule of the interface that the plugin broke, whatever status it then gave.
struct Violation {
  std::string code;  // plugin.undeclared-metric, plugin.non-finite, plugin.protocol
  std::string text;
};

// Keeps what a plugin reports about one case, and the first rule that it broke. Pointers come straight from
// the plugin and may be null. Any thread.
class Recorder {
 public:
  // What the manifest declares, or the case. Of the metrics in `by_sample` each sample that is kept has values of its
  // own; of others the last one of an index counts.
  Recorder(const std::vector<std::string>& metrics, const std::vector<std::string>& by_sample,
           const std::vector<std::string>& facts, const std::vector<std::string>& checks);

  void work(const char* metric, double per_iteration);
  void value(const char* metric, std::uint32_t dimensions, const std::uint32_t* indices, double value);
  // What is recorded by sample from now on belongs to a new sample; what was recorded since the last one that was
  // kept belongs to none, such as warm-up.
  void begin_sample();
  void keep_sample();
  // Values that are recorded while this is off are left out: they are not of the case's own inputs.
  void set_keeping_values(bool on) { keeping_values_.store(on, std::memory_order_relaxed); }
  void fact(const char* name, const char* text);
  void check(const char* name, const char* subject, bool passed, const char* text);
  // As assay.span/1 says.
  void span(const assay_span& span);
  void match(std::uint32_t clock, std::int64_t clock_ns, std::int64_t host_ns);
  // At the end of the traced sample: moves spans of other clocks to the host's.
  void finish_trace();
  // Only the first is kept.
  void violate(const std::string& code, const std::string& text);

  // The same, when there may be no memory left for words.
  void violated_without_memory() noexcept;

  // Spans are kept while this is on, and left out otherwise.
  void set_tracing(bool on) { tracing_.store(on, std::memory_order_relaxed); }
  [[nodiscard]] bool violated() const { return violated_.load(std::memory_order_acquire); }
  [[nodiscard]] Violation violation() const;

  // Moves everything out, at the end of the visit.
  void take(result::RankRecord& record, std::map<std::string, double>& work);

 private:
  [[nodiscard]] bool declared(const char* metric, const char* function);
  // With mutex_ held.
  void keep_violation(const std::string& code, const std::string& text);
  void too_many(std::size_t most, const char* what);
  // Counts them; false if they are too long together with all before, which is a violation then.
  [[nodiscard]] bool has_room_for(std::initializer_list<const char*> texts);

  const std::set<std::string, std::less<>> metrics_;
  const std::set<std::string, std::less<>> by_sample_;
  const std::set<std::string, std::less<>> facts_;
  const std::set<std::string, std::less<>> declared_checks_;
  mutable std::mutex mutex_;
  std::map<std::string, double> work_;
  std::map<std::pair<std::string, std::vector<std::uint32_t>>, std::size_t> places_;  // of values_
  std::vector<result::Value> values_;
  std::vector<result::Value> of_sample_;  // of the one that is under way
  std::map<std::string, std::string> recorded_facts_;
  std::vector<result::Check> checks_;
  std::vector<result::Span> spans_;
  std::vector<std::uint32_t> span_clocks_;  // of each span
  // Of other clocks: what the host's read when they read the first.
  std::map<std::uint32_t, std::map<std::int64_t, std::int64_t>> moments_;
  std::size_t text_bytes_ = 0;
  std::atomic<bool> tracing_{false};
  std::atomic<bool> keeping_values_{true};
  std::atomic<bool> violated_{false};
  Violation violation_;
};

}  // namespace assay::worker
