// SPDX-License-Identifier: Apache-2.0
#include "check/messages.hpp"

#include "model/field.hpp"
#include "text/text.hpp"
#include "wire/frame_text.hpp"

namespace assay::check {

using model::field;

static constexpr auto fields_of(const Devices*) {
  return model::object(field("list", &Devices::list), field("lacking", &Devices::lacking));
}

static constexpr auto fields_of(const Request*) {
  return model::object(field("check", &Request::check), field("library", &Request::library),
                       field("manifest", &Request::manifest), field("contracts", &Request::contracts),
                       field("devices", &Request::devices), field("given", &Request::given),
                       field("missing_library", &Request::missing_library),
                       field("benchmark", &Request::benchmark));
}

static constexpr auto fields_of(const Stage*) {
  return model::object(field("text", &Stage::text), field("may_die", &Stage::may_die));
}

static constexpr auto fields_of(const Verdict*) {
  return model::object(field("result", &Verdict::result), field("text", &Verdict::text));
}

namespace {

const model::Source kFrame{"wire.malformed", "a frame of a check cannot be read",
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

Json to_json(const Request& request) { return frame("check", request); }
Json to_json(const Stage& stage) { return frame("stage", Stage{printable(stage.text), stage.may_die}); }
Json to_json(const Verdict& verdict) { return frame("checked", verdict); }

Request request_from_json(const Json& json) { return model::from_json<Request>(json, kFrame); }
Verdict verdict_from_json(const Json& json) { return model::from_json<Verdict>(json, kFrame); }

}  // namespace assay::check
