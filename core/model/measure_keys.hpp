// SPDX-License-Identifier: Apache-2.0
//
// How to measure, once: from a suite's `measure` to the loop. The table below gives the suite's reader, its
// schema and its page, the plan and its hash, and the message to a worker, so that none of them can forget an
// option; a member that is not in the table does not compile.
#pragma once

#include "base/json_fwd.hpp"
#include "model/field.hpp"
#include "model/measure_options.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace assay::model {

inline constexpr std::string_view kDefaultWord = "default";  // of a condition: the benchmark chooses

struct MeasureKey {
  std::string_view name;  // in a suite
  MeasureMember member;
  std::string_view json;                         // in a plan and in messages
  std::string_view doc, example, fallback = {};  // for editors and the reference page, see suite::Key
  std::string_view unit = {};                    // of a number: "s", or "%" for a share
  std::span<const std::string_view> words = {};  // all that it may be; an enumeration's in its order
  double minimum = 0, maximum = 604'800;         // in SI units; of what has a unit, the minimum is exclusive
  bool condition = false;       // how the work is done: may be an axis, and a result tells it
  bool always_planned = false;  // stands in a plan even where it is as built in
  std::string_view since = "0.1";

  constexpr MeasureKey& in(std::string_view its_unit) { return unit = its_unit, *this; }
  constexpr MeasureKey& between(double least, double most) { return minimum = least, maximum = most, *this; }
  constexpr MeasureKey& one_of(std::span<const std::string_view> all) { return words = all, *this; }
  constexpr MeasureKey& as_condition() { return condition = true, *this; }
  constexpr MeasureKey& in_every_plan() { return always_planned = true, *this; }
};

inline constexpr std::string_view kCaches[] = {kDefaultWord, "hot", "cold", "rotating"};
inline constexpr std::string_view kLaunches[] = {kDefaultWord, "stream", "gated", "graph"};
inline constexpr std::string_view kData[] = {kDefaultWord, "normal", "uniform", "integer", "zeros", "ones"};
inline constexpr std::string_view kThermals[] = {kDefaultWord, "burst", "sustained"};
inline constexpr std::string_view kThrottles[] = {"flag", "cooldown", "fail"};

inline constexpr std::array kMeasureKeys = {
    MeasureKey{"precision", &MeasureOptions::precision, "precision",
               "Relative half-width of the 95% interval at which sampling ends.", "0.5%", "0.5%"}
        .in("%")
        .between(0, 0.5)
        .in_every_plan(),
    MeasureKey{
        "samples", &MeasureOptions::samples, "samples",
        "Exactly so many samples, instead of a precision. Of a command: so many executions, each a round of its own.",
        "50"}
        .between(1, 1e9),
    MeasureKey{"warmup", &MeasureOptions::warmup, "warmup",
               "Exactly so many iterations before sampling; 0 is none.", "0", "until steady"}
        .between(0, 1e9),
    MeasureKey{"max_time", &MeasureOptions::max_time_s, "max_time_s",
               "Longest time of a case: its rounds share it.", "5s", "10s"}
        .in("s")
        .in_every_plan(),
    MeasureKey{"for", &MeasureOptions::hold_s, "hold_s", "Hold the load for this time and verify as it goes.",
               "10min"}
        .in("s"),
    MeasureKey{"cache", &MeasureOptions::cache, "cache", "State of the caches before an iteration.", "cold",
               "the benchmark's first"}
        .one_of(kCaches)
        .as_condition(),
    MeasureKey{"launch", &MeasureOptions::launch, "launch", "How iterations reach the device.", "graph",
               "the benchmark's first"}
        .one_of(kLaunches)
        .as_condition(),
    MeasureKey{"data", &MeasureOptions::data, "data",
               "What the inputs hold; power, and so speed, depends on it.", "normal", "the benchmark's first"}
        .one_of(kData)
        .as_condition(),
    MeasureKey{"thermal", &MeasureOptions::thermal, "thermal",
               "burst: from a cool start. sustained: at the temperature that the load reaches.", "sustained",
               "the benchmark's first"}
        .one_of(kThermals)
        .as_condition(),
    MeasureKey{"seed", &MeasureOptions::seed, "seed", "Seed of the inputs.", "7", "1"}
        .between(0, 9223372036854775807.0)
        .as_condition(),
    MeasureKey{
        "throttle", &MeasureOptions::throttle, "throttle",
        "What to do where heat or a power brake slowed a device down. flag: say so. cooldown: let it "
        "recover for a minute at most, and measure that visit again; both are kept, the second counts. "
        "fail: fail the case.",
        "cooldown", "flag"}
        .one_of(kThrottles)};

// For field.hpp.
constexpr std::string_view to_text(Thermal thermal) { return kThermals[static_cast<std::size_t>(thermal)]; }
constexpr std::string_view to_text(Throttle throttle) {
  return kThrottles[static_cast<std::size_t>(throttle)];
}
bool from_text(std::string_view word, Thermal& thermal);
bool from_text(std::string_view word, Throttle& throttle);
constexpr auto fields_of(const MeasureOptions*) {
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return object(field(kMeasureKeys[I].json.data(),
                        std::get<kMeasureKeys[I].member.index()>(kMeasureKeys[I].member))...);
  }
  (std::make_index_sequence<kMeasureKeys.size()>{});
}

// The words that a user may write: all but "default".
[[nodiscard]] std::vector<std::string> words_to_choose(const MeasureKey& key);

// nullptr if there is no option of that name in a suite.
[[nodiscard]] const MeasureKey* find_measure_key(std::string_view name);

// In base units; an enumeration as its word.
[[nodiscard]] Json value_of(const MeasureOptions& options, const MeasureKey& key);
// Throws Error "measure.malformed" for a value that is not of the option's type.
void set_value(MeasureOptions& options, const MeasureKey& key, const Json& value);

// As a plan has them: conditions apart, and of the others those that differ from what is built in.
[[nodiscard]] Json to_plan_json(const MeasureOptions& options);
[[nodiscard]] Json conditions_to_json(const MeasureOptions& options);

// Those that are words, as (name, word): for asking a benchmark's manifest.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> conditions_of(const MeasureOptions& options);

}  // namespace assay::model
