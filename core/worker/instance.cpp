// SPDX-License-Identifier: Apache-2.0
#include "worker/instance.hpp"

#include "model/vocabulary.hpp"
#include "text/text.hpp"
#include "worker/forked.hpp"
#include "worker/plugin_text.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <string>

namespace assay::worker {
namespace {

const char* verify_phase_name(assay_verify_phase phase) {
  switch (phase) {
    case ASSAY_VERIFY_BEFORE:
      return "before";
    case ASSAY_VERIFY_AFTER:
      return "after";
    default:
      return "last";
  }
}

double finite(double value) { return std::isfinite(value) ? value : std::numeric_limits<double>::max(); }

constexpr double kLongestTick_s = 1;
constexpr std::uint64_t kLargestQuantum = std::uint64_t{1} << 40;

static_assert(model::kGated == ASSAY_DONE_GATED && model::kGraph == ASSAY_DONE_GRAPH &&
              model::kFlushed == ASSAY_DONE_FLUSHED && model::kRotated == ASSAY_DONE_ROTATED &&
              model::kHot == ASSAY_DONE_HOT);
constexpr std::uint32_t kKnownDone = (1U << model::kDoneWords.size()) - 1;
constexpr std::uint32_t kCacheDone = model::kFlushed | model::kRotated | model::kHot;

// Beyond it hardly a number of fp32 lies, so that hardly any error could fail.
constexpr double kLargestTolerance = 1e38;

// What a verification that found nothing wrong must not say, or "".
std::string contradiction(const assay_verification& seen) {
  if (!std::isfinite(seen.tolerance) || seen.tolerance < 0)
    return "a tolerance of " + shortest(seen.tolerance) + "; it is finite and not below 0";
  if (seen.tolerance >= kLargestTolerance)
    return "a tolerance of " + shortest(seen.tolerance) +
           ", within which nearly every number lies, so that the verification cannot fail; it is below 1e38";
  // Also if it is not a number.
  if (!(seen.largest_error >= 0 && seen.largest_error <= seen.tolerance)) {
    return "no value wrong, and a largest error of " + shortest(seen.largest_error) +
           " beside a tolerance of " + shortest(seen.tolerance);
  }
  return {};
}

std::string impossible(const assay_traits& traits) {
  if (traits.clock < ASSAY_CLOCK_HOST || traits.clock > ASSAY_CLOCK_SIMULATED) {
    return "clock " + std::to_string(traits.clock) + " is unknown";
  }
  if (!std::isfinite(traits.tick_s) || traits.tick_s <= 0) {
    return "a tick of " + shortest(traits.tick_s) + " s; it must be finite and above 0";
  }
  if (traits.tick_s > kLongestTick_s)
    return "a tick of " + shortest(traits.tick_s) + " s; a clock that steps by more than 1 s times no sample";
  if (traits.quantum == 0) return "a quantum of 0; it is at least 1";
  if (traits.quantum > kLargestQuantum) {
    return "a quantum of " + std::to_string(traits.quantum) +
           " iterations, of which no visit sees the end; it is at most 2^40";
  }
  if (traits.maximum != 0 && traits.maximum < traits.quantum) {
    return "a maximum of " + std::to_string(traits.maximum) + " iterations, below its quantum of " +
           std::to_string(traits.quantum);
  }
  return {};
}

}  // namespace

template <class Body>
std::optional<VisitEnding> Instance::call(const char* phase, Body&& body) {
  Call call;
  call.phase = phase;
  try {
    call.status = body();
  } catch (...) {
    // Only an exception of this very C++ runtime gets here; others end the process, and the controller says
    // so.
    call.threw = true;
    call.thrown = exception_text();
  }
  end_if_forked();
  restore_mode(phase);
  const bool violated = context_.recorder().violated();
  if (call.status == ASSAY_OK && !call.threw && !violated && !context_.has_lost()) {
    // A reason without an error is a remark.
    if (auto reason = context_.messages().take_reason())
      context_.messages().log(ASSAY_LOG_WARNING, reason->text.c_str());
    return std::nullopt;
  }
  call.reason = context_.messages().take_reason();
  if (violated) call.violation = context_.recorder().violation();
  call.cause = context_.cause();
  call.lost = context_.lost();
  call.device_count = context_.device_count();
  return ending_of(call);
}

void Instance::restore_mode(const char* phase) {
  const FloatingPoint now = FloatingPoint::read();
  if (now == mode_) return;
  if (changed_mode_.empty()) changed_mode_ = join(now.changes_since(mode_), "; ") + ", after '" + phase + "'";
  mode_.restore();
}

std::optional<VisitEnding> Instance::create(void* plugin, const char* benchmark) {
  return call("create", [&] {
    const assay_status status = facet_.create(plugin, benchmark, context_.abi(), &instance_);
    created_ = status == ASSAY_OK;
    return status;
  });
}

std::optional<VisitEnding> Instance::probe() {
  return call("probe", [&] { return facet_.probe(instance_); });
}

std::optional<VisitEnding> Instance::prepare() {
  return call("prepare", [&] { return facet_.prepare(instance_); });
}

std::optional<VisitEnding> Instance::traits(assay_traits& out) {
  out = {};
  out.size = sizeof out;
  auto ending = call("traits", [&] { return facet_.traits(instance_, &out); });
  if (ending) return ending;
  std::string what = impossible(out);
  if (what.empty() && out.clock == ASSAY_CLOCK_DEVICE && !can_settle())
    what = "a device's clock, without a function settle that waits for what it queues";
  if (!what.empty()) {
    context_.recorder().violate("plugin.protocol", "the plugin stated traits that cannot be: " + what);
    return call("traits", [] { return ASSAY_OK; });
  }
  idempotent_ = (out.flags & ASSAY_TRAIT_IDEMPOTENT) != 0;
  return std::nullopt;
}

std::optional<VisitEnding> Instance::verify(assay_verify_phase phase) {
  if (facet_.verify == nullptr) return std::nullopt;
  assay_verification seen{};
  seen.size = sizeof seen;
  auto ending = call("verify", [&] {
    const assay_status status = facet_.verify(instance_, phase, &seen);
    if (status != ASSAY_OK || seen.wrong == 0) return status;
    context_.messages().fail(
        "", 0,
        (std::to_string(seen.wrong) + " of " + std::to_string(seen.checked) + " values are wrong").c_str());
    return static_cast<assay_status>(ASSAY_E_VERIFY);
  });
  if (!ending) {
    if (const std::string what = contradiction(seen); !what.empty()) {
      context_.recorder().violate("plugin.protocol", "the plugin's verification contradicts itself: " + what);
      ending = call("verify", [] { return ASSAY_OK; });
    }
  }
  if (!ending || ending->outcome == result::Outcome::failed) {
    verifications_.push_back({verify_phase_name(phase), plugin_text(seen.method), seen.exact == 1,
                              seen.checked, seen.wrong, finite(seen.largest_error), finite(seen.tolerance)});
  }
  return ending;
}

std::optional<VisitEnding> Instance::release() {
  if (!std::exchange(created_, false)) return std::nullopt;
  return call("release", [&] {
    facet_.release(instance_);
    return ASSAY_OK;
  });
}

measure::RegionStatus Instance::run(measure::VisitMode mode, std::uint64_t n, std::span<double> laps,
                                    measure::Sample& out) {
  static constexpr assay_mode kModes[] = {ASSAY_MODE_MEASURE, ASSAY_MODE_TRACE, ASSAY_MODE_PROFILE};
  assay_sample sample{};
  sample.size = sizeof sample;
  sample.laps_s = laps.empty() ? nullptr : laps.data();
  sample.lap_capacity = laps.size();
  context_.recorder().begin_sample();
  ending_ =
      call(phase_, [&] { return facet_.iterate(instance_, kModes[static_cast<int>(mode)], n, &sample); });
  // What a later interface calls done this one knows nothing of.
  const std::uint32_t done = sample.done & kKnownDone;
  if (!ending_ && std::popcount(done & kCacheDone) > 1) {
    context_.recorder().violate(
        "plugin.protocol",
        "a sample says more than one of flushed, hot and rotating caches; before each iteration they are one of "
        "them");
    ending_ = call(phase_, [] { return ASSAY_OK; });
  }
  out = {sample.device_s, sample.host_s, sample.begin_ns, sample.end_ns, done, sample.lap_count};
  return ran();
}

measure::RegionStatus Instance::ran() const {
  if (!ending_) return measure::RegionStatus::ok;
  return ending_->outcome == result::Outcome::cancelled ? measure::RegionStatus::cancelled
                                                        : measure::RegionStatus::failed;
}

bool Instance::can_settle() const { return ASSAY_HAS(&facet_, settle); }

measure::RegionStatus Instance::settle() {
  ending_ = call(phase_, [&] { return facet_.settle(instance_); });
  return ran();
}

measure::RenewalStatus Instance::renew(std::uint64_t seed) {
  if (facet_.verify == nullptr || !ASSAY_HAS(&facet_, reseed)) return measure::RenewalStatus::unsupported;
  bool unsupported = false;
  context_.set_seed(seed);
  ending_ = call("sample", [&] {
    const assay_status status = facet_.reseed(instance_, seed);
    unsupported = status == ASSAY_E_UNSUPPORTED;
    return unsupported ? static_cast<assay_status>(ASSAY_OK) : status;
  });
  if (ending_)
    return ran() == measure::RegionStatus::cancelled ? measure::RenewalStatus::cancelled
                                                     : measure::RenewalStatus::failed;
  return unsupported ? measure::RenewalStatus::unsupported : measure::RenewalStatus::ok;
}

// What is wrong now was right before: the work was not done again for the new inputs.
measure::RegionStatus Instance::check_new() {
  ending_ = verify(ASSAY_VERIFY_LAST);
  if (ending_ && ending_->reason.code == "verify.wrong") {
    ending_->reason.code = "verify.stale";
    ending_->reason.text = "on inputs that were changed after the samples: " + ending_->reason.text;
  }
  return ran();
}

measure::RegionStatus Instance::check() {
  ending_ = verify(idempotent_ ? ASSAY_VERIFY_LAST : ASSAY_VERIFY_AFTER);
  return ran();
}

}  // namespace assay::worker
