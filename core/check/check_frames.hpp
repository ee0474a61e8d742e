// SPDX-License-Identifier: Apache-2.0
//
// What the parent and the process of a check say to each other, as frames. Internal to this component.
#pragma once

#include "check/check_verdict.hpp"
#include "check/subject.hpp"
#include "wire/child.hpp"

#include <optional>
#include <string>

namespace assay::check {

struct CheckRequest {
  std::string check;                         // its id
  std::string library, manifest, contracts;  // paths
  TestDevices devices;
  Given given;
  std::string missing_library;  // why the library cannot be loaded here, or empty
  std::string benchmark;        // of a rank's process: the only one that it checks; else empty
};

// How far the process came; the last one says where it died.
struct Stage {
  std::string text;
  bool may_die = false;

  friend bool operator==(const Stage&, const Stage&) = default;
};

// What a process has said so far.
struct Answers {
  Stage stage;
  std::optional<CheckVerdict> verdict;

  // Takes what has arrived. Throws Error "wire.malformed".
  void take(wire::Child& child);
  // " (benchmark 'x')", or empty.
  [[nodiscard]] std::string where() const { return stage.text.empty() ? "" : " (" + stage.text + ")"; }
};

[[nodiscard]] Json to_json(const CheckRequest& request);
[[nodiscard]] Json to_json(const Stage& stage);
[[nodiscard]] Json to_json(const CheckVerdict& verdict);
// Throw Error "wire.malformed".
[[nodiscard]] CheckRequest request_from_json(const Json& json);
[[nodiscard]] CheckVerdict verdict_from_json(const Json& json);

}  // namespace assay::check
