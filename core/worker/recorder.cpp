// SPDX-License-Identifier: Apache-2.0
#include "worker/recorder.hpp"

#include "text/text.hpp"
#include "worker/plugin_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>

namespace assay::worker {
namespace {

// A plugin that reports without end must not take the host's memory along. Beyond a limit it is an error: a
// failed check that was left out would be a lie.
constexpr std::size_t kMostValues = 1'000'000;
constexpr std::size_t kMostChecks = 100'000;
constexpr std::size_t kMostSpans = 100'000;
constexpr std::size_t kMostTextBytes = std::size_t{16} << 20;  // of all facts, checks and spans together

}  // namespace

Recorder::Recorder(const std::vector<std::string>& metrics, const std::vector<std::string>& by_sample,
                   const std::vector<std::string>& facts, const std::vector<std::string>& checks)
    : metrics_(metrics.begin(), metrics.end()),
      by_sample_(by_sample.begin(), by_sample.end()),
      facts_(facts.begin(), facts.end()),
      declared_checks_(checks.begin(), checks.end()) {}

void Recorder::violate(const std::string& code, const std::string& text) {
  const std::lock_guard lock(mutex_);
  keep_violation(code, text);
}

void Recorder::keep_violation(const std::string& code, const std::string& text) {
  if (violated_.load(std::memory_order_relaxed)) return;
  violation_ = {code, text};
  violated_.store(true, std::memory_order_release);
}

void Recorder::too_many(std::size_t most, const char* what) {
  keep_violation("plugin.protocol",
                 "the plugin recorded more than " + std::to_string(most) + " " + what + " in one visit");
}

void Recorder::violated_without_memory() noexcept { violated_.store(true, std::memory_order_release); }

Violation Recorder::violation() const {
  const std::lock_guard lock(mutex_);
  if (violation_.code.empty())
    return {"plugin.memory", "there was no memory left to record what the plugin reported"};
  return violation_;
}

bool Recorder::declared(const char* metric, const char* function) {
  if (metric != nullptr && metrics_.find(std::string_view(metric)) != metrics_.end()) return true;
  violate("plugin.undeclared-metric", std::string("the plugin called ") + function + " for the metric '" +
                                          plugin_text(metric) + "', which its manifest does not declare");
  return false;
}

void Recorder::work(const char* metric, double per_iteration) {
  if (!declared(metric, "work")) return;
  if (!std::isfinite(per_iteration) || per_iteration <= 0) {
    violate("plugin.non-finite", std::string("the plugin declared ") + shortest(per_iteration) +
                                     " as the work of one iteration for '" + plugin_text(metric) +
                                     "'; it must be finite and above 0");
    return;
  }
  const std::lock_guard lock(mutex_);
  work_[metric] = per_iteration;
}

void Recorder::value(const char* metric, std::uint32_t dimensions, const std::uint32_t* indices,
                     double value) {
  if (!declared(metric, "value")) return;
  if (!std::isfinite(value)) {
    violate("plugin.non-finite",
            "the plugin recorded " + shortest(value) + " for the metric '" + plugin_text(metric) + "'");
    return;
  }
  if (dimensions > 2 || (dimensions > 0 && indices == nullptr)) {
    violate("plugin.protocol", "the plugin recorded '" + plugin_text(metric) + "' with " +
                                   std::to_string(dimensions) +
                                   " indices; there are 0 to 2, and they must be given");
    return;
  }
  if (!keeping_values_.load(std::memory_order_relaxed)) return;
  std::vector<std::uint32_t> at;
  if (dimensions > 0) at.assign(indices, indices + dimensions);
  const std::lock_guard lock(mutex_);
  if (by_sample_.find(std::string_view(metric)) != by_sample_.end()) {
    if (values_.size() + of_sample_.size() == kMostValues) return too_many(kMostValues, "values");
    of_sample_.push_back({metric, std::move(at), value});
    return;
  }
  const auto [place, is_new] = places_.try_emplace({metric, at}, values_.size());
  if (!is_new) {
    values_[place->second].value = value;
    return;
  }
  if (values_.size() + of_sample_.size() == kMostValues) {
    places_.erase(place);
    return too_many(kMostValues, "values");
  }
  values_.push_back({metric, std::move(at), value});
}

void Recorder::begin_sample() {
  if (by_sample_.empty()) return;
  const std::lock_guard lock(mutex_);
  of_sample_.clear();
}

void Recorder::keep_sample() {
  if (by_sample_.empty()) return;
  const std::lock_guard lock(mutex_);
  std::move(of_sample_.begin(), of_sample_.end(), std::back_inserter(values_));
  of_sample_.clear();
}

void Recorder::fact(const char* name, const char* text) {
  if (name == nullptr || facts_.find(std::string_view(name)) == facts_.end()) {
    violate("plugin.protocol",
            "the plugin recorded the fact '" + plugin_text(name) + "', which its manifest does not declare");
    return;
  }
  const std::lock_guard lock(mutex_);
  if (has_room_for({text})) recorded_facts_[name] = plugin_text(text);
}

void Recorder::check(const char* name, const char* subject, bool passed, const char* text) {
  if (name == nullptr || declared_checks_.find(std::string_view(name)) == declared_checks_.end()) {
    violate("plugin.protocol",
            "the plugin recorded the check '" + plugin_text(name) + "', which its manifest does not declare");
    return;
  }
  const std::lock_guard lock(mutex_);
  if (checks_.size() == kMostChecks) return too_many(kMostChecks, "checks");
  if (!has_room_for({name, subject, text})) return;
  checks_.push_back({plugin_text(name), plugin_text(subject), passed, plugin_text(text)});
}

void Recorder::span(const assay_span& span) {
  if (!tracing_.load(std::memory_order_relaxed)) return;
  if ((span.clock == 0 && span.begin_ns < 0) || span.end_ns < span.begin_ns) {
    violate("plugin.protocol", "the plugin recorded the span '" + plugin_text(span.name) + "' from " +
                                   std::to_string(span.begin_ns) + " to " + std::to_string(span.end_ns) +
                                   " ns: it must not end before it begins, nor begin before 0");
    return;
  }
  const std::lock_guard lock(mutex_);
  if (spans_.size() == kMostSpans) return too_many(kMostSpans, "spans");
  if (!has_room_for({span.track, span.name})) return;
  spans_.push_back(
      {plugin_text(span.track), plugin_text(span.name), span.begin_ns, span.end_ns, span.iteration});
  span_clocks_.push_back(span.clock);
}

void Recorder::match(std::uint32_t clock, std::int64_t clock_ns, std::int64_t host_ns) {
  if (!tracing_.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(mutex_);
  std::map<std::int64_t, std::int64_t>& moments = moments_[clock];
  // Of many moments the first and the last count.
  if (moments.size() == 2 && clock_ns > moments.begin()->first && clock_ns > moments.rbegin()->first)
    moments.erase(std::prev(moments.end()));
  moments[clock_ns] = host_ns;
}

void Recorder::finish_trace() {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    if (span_clocks_[i] == 0) continue;
    const auto found = moments_.find(span_clocks_[i]);
    if (found == moments_.end()) {
      return keep_violation("plugin.protocol", "the plugin recorded the span '" + spans_[i].name +
                                                   "' by clock " + std::to_string(span_clocks_[i]) +
                                                   ", which it never matched with the host's");
    }
    const auto first = *found->second.begin(), last = *found->second.rbegin();
    const double slope = last.first == first.first ? 1
                                                   : static_cast<double>(last.second - first.second) /
                                                         static_cast<double>(last.first - first.first);
    const auto on_host = [&](std::int64_t ns) {
      const double since_ns = static_cast<double>(ns - first.first) * slope;
      return std::max<std::int64_t>(0, first.second + std::llround(since_ns));
    };
    spans_[i].begin_ns = on_host(spans_[i].begin_ns);
    spans_[i].end_ns = std::max(spans_[i].begin_ns, on_host(spans_[i].end_ns));
    span_clocks_[i] = 0;
  }
}

bool Recorder::has_room_for(std::initializer_list<const char*> texts) {
  for (const char* text : texts) {
    if (text != nullptr) text_bytes_ += strnlen(text, kMostTextBytes + 1);
    if (text_bytes_ <= kMostTextBytes) continue;
    too_many(kMostTextBytes, "bytes of facts, checks and spans");
    return false;
  }
  return true;
}

void Recorder::take(result::RankRecord& record, std::map<std::string, double>& work) {
  const std::lock_guard lock(mutex_);
  work = std::move(work_);
  record.values = std::move(values_);
  record.facts = std::move(recorded_facts_);
  record.checks = std::move(checks_);
  record.spans = std::move(spans_);
}

}  // namespace assay::worker
