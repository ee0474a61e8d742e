// SPDX-License-Identifier: Apache-2.0
#include "check/messages.hpp"

#include "base/error.hpp"
#include "text/text.hpp"

namespace assay::check {
namespace {

template <class Body>
auto reading(Body&& body) {
  try {
    return body();
  } catch (const Json::exception&) {
    throw Error("wire.malformed", "a frame of a check cannot be read; both processes must be the same build");
  }
}

}  // namespace

Json to_json(const Request& request) {
  Json devices = Json::array();
  for (const wire::VisitDevice& device : request.devices.list)
    devices.push_back({{"name", device.name},
                       {"uuid", device.uuid},
                       {"ordinal", device.ordinal},
                       {"numa_node", device.numa_node}});
  return {{"type", "check"},
          {"check", request.check},
          {"library", request.library.string()},
          {"manifest", request.manifest.string()},
          {"contracts", request.contracts.string()},
          {"devices", std::move(devices)},
          {"lacking", request.devices.lacking},
          {"given", request.given},
          {"missing_library", request.missing_library}};
}

Json to_json(const Stage& stage) {
  return {{"type", "stage"}, {"text", printable(stage.text)}, {"may_die", stage.may_die}};
}

Json to_json(const Verdict& verdict) {
  return {{"type", "checked"}, {"result", to_text(verdict.result)}, {"text", verdict.text}};
}

Request request_from_json(const Json& json) {
  return reading([&] {
    Request request;
    json.at("check").get_to(request.check);
    request.library = json.at("library").get<std::string>();
    request.manifest = json.at("manifest").get<std::string>();
    request.contracts = json.at("contracts").get<std::string>();
    for (const Json& device : json.at("devices")) {
      request.devices.list.push_back({device.at("name").get<std::string>(),
                                      device.at("uuid").get<std::string>(), device.at("ordinal").get<int>(),
                                      device.at("numa_node").get<int>()});
    }
    json.at("lacking").get_to(request.devices.lacking);
    json.at("given").get_to(request.given);
    json.at("missing_library").get_to(request.missing_library);
    return request;
  });
}

Stage stage_from_json(const Json& json) {
  return reading([&] { return Stage{json.at("text").get<std::string>(), json.at("may_die").get<bool>()}; });
}

Verdict verdict_from_json(const Json& json) {
  return reading([&] {
    const std::string word = json.at("result").get<std::string>();
    for (const Result result : {Result::passed, Result::failed, Result::skipped, Result::not_checked}) {
      if (to_text(result) == word) return Verdict{result, json.at("text").get<std::string>()};
    }
    throw Error("wire.malformed", "a check cannot end as '" + printable(word) + "'");
  });
}

}  // namespace assay::check
