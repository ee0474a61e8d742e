// SPDX-License-Identifier: Apache-2.0
#include "worker/ending.hpp"

#include "text/text.hpp"

#include <assay/abi/v1.h>

#include <optional>
#include <string>
#include <utility>

namespace assay::worker {
namespace {

using result::Outcome;

struct Meaning {
  Outcome outcome;
  const char* code;
  const char* text;   // when the plugin gave none
  const char* dirty;  // "" if the worker stays usable
};

Meaning meaning_of(std::int32_t status) {
  switch (status) {
    case ASSAY_SKIPPED:
      return {Outcome::skipped, "case.skipped", "the plugin says that it cannot run here, and not why", ""};
    case ASSAY_E_INVALID:
      return {Outcome::error, "plugin.error", "the plugin refused an argument", ""};
    case ASSAY_E_UNSUPPORTED:
      return {Outcome::error, "plugin.error", "the plugin does not offer this", ""};
    case ASSAY_E_RESOURCE:
      return {Outcome::error, "plugin.memory", "the plugin ran out of memory or handles", ""};
    case ASSAY_E_DEVICE:
      return {Outcome::error, "device.error", "the plugin reported a device error", "a device error"};
    case ASSAY_E_COMMUNICATION:
      return {Outcome::error, "rank.failed", "a rank or a link failed", "a failed rank or link"};
    case ASSAY_E_VERIFY:
      return {Outcome::failed, "verify.wrong", "the plugin found its own result wrong", ""};
    case ASSAY_E_TIMEOUT:
      return {Outcome::error, "plugin.error", "a deadline of the plugin's own passed", ""};
    case ASSAY_E_INTERNAL:
      return {Outcome::error, "plugin.error", "the plugin reported a defect of its own", ""};
    default:
      return {Outcome::error, "plugin.protocol", "", ""};
  }
}

// How a command ended that the plugin `external` ran; its domains are reason codes.
std::optional<Outcome> outcome_of_command(const std::string& domain) {
  if (domain == "external.exit") return Outcome::failed;
  if (domain == "external.signal") return Outcome::crashed;
  if (domain == "external.start" || domain == "external.output") return Outcome::error;
  return std::nullopt;
}

VisitEnding end(Outcome outcome, std::string code, std::string text, const char* phase,
                std::string dirty = {}) {
  VisitEnding ending;
  ending.outcome = outcome;
  ending.reason.code = std::move(code);
  ending.reason.text = std::move(text);
  ending.reason.phase = phase;
  ending.dirty = std::move(dirty);
  return ending;
}

// Which devices are withdrawn: the ones that were named, or all of the rank's.
VisitEnding lost_ending(const Call& call) {
  VisitEnding ending =
      end(Outcome::error, "device.lost", "the device no longer answers", call.phase, "a lost device");
  if (call.reason) {
    if (!call.reason->text.empty()) ending.reason.text = call.reason->text;
    ending.reason.domain = call.reason->domain;
    ending.reason.number = call.reason->number;
  }
  ending.reason.device = join(call.lost, ", ");
  if (call.lost.empty() && call.device_count > 1)
    ending.reason.text += "; the plugin did not say which of its " + std::to_string(call.device_count) +
                          " devices is lost, so all of them are withdrawn";
  return ending;
}

// What an interruption leads a plugin to say, instead of ASSAY_CANCELLED.
bool follows_from_interruption(std::int32_t status) {
  return status == ASSAY_CANCELLED || status == ASSAY_E_COMMUNICATION || status == ASSAY_E_TIMEOUT;
}

}  // namespace

VisitEnding interrupted_ending(Interruption::Cause cause, const char* phase) {
  switch (cause) {
    case Interruption::Cause::timed_out:
      return end(Outcome::timeout, "visit.timeout", "the visit did not end within its timeout", phase,
                 "a timeout");
    case Interruption::Cause::rank_died:
      return end(Outcome::cancelled, "visit.cancelled", "another rank died", phase, "another rank died");
    case Interruption::Cause::cancelled:
      return end(Outcome::cancelled, "visit.cancelled", "the visit was cancelled", phase);
    case Interruption::Cause::none:
      break;
  }
  return end(Outcome::error, "plugin.protocol",
             "the plugin says that it was cancelled, which nobody asked for", phase);
}

std::optional<VisitEnding> ending_of(const Call& call) {
  if (call.threw) {
    return end(Outcome::error, "plugin.exception",
               "an exception left the plugin's code" + (call.thrown.empty() ? "" : ": " + call.thrown),
               call.phase, "an exception");
  }
  if (!call.lost.empty() || call.status == ASSAY_E_LOST) return lost_ending(call);
  if (call.status == ASSAY_CANCELLED ||
      (call.cause != Interruption::Cause::none && follows_from_interruption(call.status))) {
    return interrupted_ending(call.cause, call.phase);
  }
  if (call.violation && call.status >= 0) {
    return end(Outcome::error, call.violation->code, call.violation->text, call.phase);
  }
  if (call.status == ASSAY_OK) return std::nullopt;

  const Meaning meaning = meaning_of(call.status);
  VisitEnding ending = end(meaning.outcome, meaning.code, meaning.text, call.phase, meaning.dirty);
  if (ending.reason.text.empty()) {
    ending.reason.text =
        "the plugin gave the status " + std::to_string(call.status) + ", which the interface does not know";
  }
  if (call.reason) {
    if (!call.reason->text.empty()) ending.reason.text = call.reason->text;
    ending.reason.domain = call.reason->domain;
    ending.reason.number = call.reason->number;
    ending.reason.parameter = call.reason->parameter;
    if (!call.reason->parameter.empty() && ending.outcome == Outcome::error) {
      ending.reason.code = "plugin.parameter";
      // A default has no line in the suite, and a name that the manifest does not have none either.
      ending.reason.text.insert(0, "parameter '" + call.reason->parameter + "': ");
    }
    if (const auto outcome = outcome_of_command(call.reason->domain); outcome && call.status < 0) {
      ending.outcome = *outcome;
      ending.reason.code = call.reason->domain;
    }
  }
  return ending;
}

}  // namespace assay::worker
