// SPDX-License-Identifier: Apache-2.0
#include "wire/messages.hpp"

#include "base/error.hpp"
#include "model/field_json.hpp"
#include "model/measure_keys.hpp"
#include "text/text.hpp"
#include "wire/messages_fields.hpp"

namespace assay::wire {

using model::field;

static constexpr auto fields_of(const Load*) {
  return model::object(
      field("library", &Load::library), field("plugin_id", &Load::plugin_id), field("rank", &Load::rank),
      field("rank_count", &Load::rank_count), field("local_rank", &Load::local_rank),
      field("node", &Load::node), field("node_count", &Load::node_count), field("stamp", &Load::stamp),
      field("sha256", &Load::sha256), field("version", &Load::version), field("manifest", &Load::manifest));
}

static constexpr auto fields_of(const VisitRank*) {
  return model::object(field("local_rank", &VisitRank::local_rank), field("node", &VisitRank::node),
                       field("devices", &VisitRank::devices));
}

static constexpr auto fields_of(const StartVisit*) {
  return model::object(field("number", &StartVisit::number), field("case_id", &StartVisit::case_id),
                       field("benchmark", &StartVisit::benchmark),
                       field("parameters", &StartVisit::parameters), field("metrics", &StartVisit::metrics),
                       field("by_sample", &StartVisit::by_sample), field("facts", &StartVisit::facts),
                       field("checks", &StartVisit::checks), field("devices", &StartVisit::devices),
                       field("ranks", &StartVisit::ranks), field("headline", &StartVisit::headline),
                       field("measure", &StartVisit::measure), field("timeout_s", &StartVisit::timeout_s),
                       field("trace", &StartVisit::trace), field("profile", &StartVisit::profile));
}

namespace {

struct VisitedFrame {
  std::uint64_t number = 0;
  Json visit;
  std::string dirty;
};

constexpr auto fields_of(const VisitedFrame*) {
  return model::object(field("number", &VisitedFrame::number), field("visit", &VisitedFrame::visit),
                       field("dirty", &VisitedFrame::dirty));
}

template <class T>
Json frame(const char* type, const T& message) {
  Json json = {{"type", type}};
  json.update(model::to_json(message));
  return json;
}

model::DocumentSource source_of(const char* type) {
  return {"wire.malformed", std::string("a frame '") + type + "' cannot be read",
          "controller and worker must be the same build"};
}

[[noreturn]] void fault(const char* type, const std::string& problem) {
  const model::DocumentSource source = source_of(type);
  model::Path(source).fault(problem);
}

template <class T>
T message_of(const char* type, const Json& json) {
  if (const auto found = json.find("type"); json.is_object() && found != json.end() && *found != type)
    fault(type, "has the type " + printable(found->dump(-1, ' ', false, Json::error_handler_t::replace)));
  return model::from_json<T>(json, source_of(type));
}

}  // namespace

Json to_json(const Load& load) { return frame("load", load); }

Load load_from_json(const Json& json) {
  auto load = message_of<Load>("load", json);
  if (load.rank_count < 1 || load.rank < 0 || load.rank >= load.rank_count)
    fault("load", "has rank " + std::to_string(load.rank) + " of " + std::to_string(load.rank_count));
  return load;
}

Json to_json(const StartVisit& start) { return frame("visit", start); }

StartVisit start_visit_from_json(const Json& json) {
  auto start = message_of<StartVisit>("visit", json);
  if (!start.parameters.is_object()) fault("visit", "has 'parameters' that are not an object");
  if (start.headline != "rate" && start.headline != "duration")
    fault("visit", "has a 'headline' that is neither rate nor duration");
  return start;
}

Json to_json(const Visited& visited) {
  return frame("visited", VisitedFrame{visited.number, result::to_json(visited.visit), visited.dirty});
}

Visited visited_from_json(const Json& json) {
  auto read = message_of<VisitedFrame>("visited", json);
  try {
    return {read.number, result::visit_from_json(read.visit), std::move(read.dirty)};
  } catch (const Error& error) {
    fault("visited", std::string("has a visit that cannot be read: ") + error.what());
  }
}

}  // namespace assay::wire
