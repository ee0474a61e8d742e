// SPDX-License-Identifier: Apache-2.0
#include "check/check_frames.hpp"

#include "model/field_json.hpp"
#include "text/text.hpp"
#include "wire/frame_text.hpp"
#include "wire/messages_fields.hpp"

namespace assay::check {

using model::field;

static constexpr auto fields_of(const TestDevices*) {
  return model::object(field("list", &TestDevices::list), field("lacking", &TestDevices::lacking));
}

static constexpr auto fields_of(const CheckRequest*) {
  return model::object(
      field("check", &CheckRequest::check), field("library", &CheckRequest::library),
      field("manifest", &CheckRequest::manifest), field("contracts", &CheckRequest::contracts),
      field("devices", &CheckRequest::devices), field("given", &CheckRequest::given),
      field("missing_library", &CheckRequest::missing_library), field("benchmark", &CheckRequest::benchmark));
}

static constexpr auto fields_of(const Stage*) {
  return model::object(field("text", &Stage::text), field("may_die", &Stage::may_die));
}

static constexpr auto fields_of(const CheckVerdict*) {
  return model::object(field("result", &CheckVerdict::result), field("text", &CheckVerdict::text));
}

namespace {

const model::DocumentSource kFrame{"wire.malformed", "a frame of a check cannot be read",
                                   "both processes must be the same build"};

template <class T>
Json frame(const char* type, const T& message) {
  Json json = model::to_json(message);
  json["type"] = type;
  return json;
}

}  // namespace

void Answers::take(wire::Child& child) {
  while (const auto frame = child.next_frame()) {
    const std::string type = wire::text_of(*frame, "type");
    if (type == "stage") stage = model::from_json<Stage>(*frame, kFrame);
    if (type == "checked") verdict = verdict_from_json(*frame);
  }
}

Json to_json(const CheckRequest& request) { return frame("check", request); }
Json to_json(const Stage& stage) { return frame("stage", Stage{printable(stage.text), stage.may_die}); }
Json to_json(const CheckVerdict& verdict) { return frame("checked", verdict); }

CheckRequest request_from_json(const Json& json) { return model::from_json<CheckRequest>(json, kFrame); }
CheckVerdict verdict_from_json(const Json& json) { return model::from_json<CheckVerdict>(json, kFrame); }

}  // namespace assay::check
