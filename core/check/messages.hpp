// SPDX-License-Identifier: Apache-2.0
//
// What the parent and the process of a check say to each other, as frames. Internal to this room.
#pragma once

#include "check/subject.hpp"
#include "check/verdict.hpp"

#include <filesystem>
#include <string>

namespace assay::check {

struct Request {
  std::string check;  // its id
  std::filesystem::path library, manifest, contracts;
  Devices devices;
  Given given;
  std::string missing_library;  // why the library cannot be loaded here, or empty
};

// How far the process came; the last one says where it died.
struct Stage {
  std::string text;
  bool may_die = false;
};

[[nodiscard]] Json to_json(const Request& request);
[[nodiscard]] Json to_json(const Stage& stage);
[[nodiscard]] Json to_json(const Verdict& verdict);
// Throw Error "wire.malformed".
[[nodiscard]] Request request_from_json(const Json& json);
[[nodiscard]] Stage stage_from_json(const Json& json);
[[nodiscard]] Verdict verdict_from_json(const Json& json);

}  // namespace assay::check
