// SPDX-License-Identifier: Apache-2.0
#include "wire/messages.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

namespace assay::wire {
namespace {

// Reads the keys of one frame. All faults become "wire.malformed" with the key's name.
class Frame {
 public:
  Frame(const Json& json, std::string type) : json_(json), type_(std::move(type)) {
    if (!json.is_object()) fault("it is not an object");
    if (const auto found = json.find("type"); found != json.end() && *found != type_) {
      fault("its type is " + printable(found->dump(-1, ' ', false, Json::error_handler_t::replace)));
    }
  }

  template <class T>
  void read(const char* key, T& out) const {
    const auto found = json_.find(key);
    if (found == json_.end()) fault(std::string("'") + key + "' is missing");
    try {
      check_kind<T>(*found);
      found->get_to(out);
    } catch (const Json::exception&) {
      fault(std::string("'") + key + "' is " + found->type_name());
    }
  }

  [[nodiscard]] const Json& object(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end() || !found->is_object()) fault(std::string("'") + key + "' is not an object");
    return *found;
  }

  [[noreturn]] void fault(const std::string& what) const {
    throw Error("wire.malformed", "a frame '" + type_ + "' cannot be read: " + what +
                                      "; controller and worker must be the same build");
  }

 private:
  // The library would turn -1 into a huge count and 0.5 into 0 without a word.
  template <class T>
  static void check_kind(const Json& json) {
    if constexpr (std::is_same_v<T, bool>) {
      json.get_ref<const bool&>();
    } else if constexpr (std::is_integral_v<T>) {
      if (!json.is_number_integer() || (std::is_unsigned_v<T> && !json.is_number_unsigned())) {
        throw Json::type_error::create(302, "not a whole number", &json);
      }
    } else if constexpr (std::is_floating_point_v<T>) {
      if (!json.is_number()) throw Json::type_error::create(302, "not a number", &json);
    }
  }

  const Json& json_;
  std::string type_;
};

Json device_to_json(const VisitDevice& device) {
  return {{"name", device.name},
          {"uuid", device.uuid},
          {"ordinal", device.ordinal},
          {"numa_node", device.numa_node}};
}

VisitDevice device_from_json(const Json& json) {
  VisitDevice device;
  const Frame frame(json, "device");
  frame.read("name", device.name);
  frame.read("uuid", device.uuid);
  frame.read("ordinal", device.ordinal);
  frame.read("numa_node", device.numa_node);
  return device;
}

Json devices_to_json(const std::vector<VisitDevice>& devices) {
  Json list = Json::array();
  for (const VisitDevice& device : devices) list.push_back(device_to_json(device));
  return list;
}

std::vector<VisitDevice> read_devices(const Frame& frame) {
  Json list;
  frame.read("devices", list);
  if (!list.is_array()) frame.fault("'devices' is not an array");
  std::vector<VisitDevice> devices;
  for (const Json& device : list) devices.push_back(device_from_json(device));
  return devices;
}

}  // namespace

Json to_json(const Load& load) {
  return {{"type", "load"},        {"library", load.library},       {"plugin_id", load.plugin_id},
          {"rank", load.rank},     {"rank_count", load.rank_count}, {"local_rank", load.local_rank},
          {"node", load.node},     {"node_count", load.node_count}, {"stamp", load.stamp},
          {"sha256", load.sha256}, {"version", load.version},       {"manifest", load.manifest}};
}

Load load_from_json(const Json& json) {
  Load load;
  const Frame frame(json, "load");
  frame.read("library", load.library);
  frame.read("plugin_id", load.plugin_id);
  frame.read("rank", load.rank);
  frame.read("rank_count", load.rank_count);
  frame.read("local_rank", load.local_rank);
  frame.read("node", load.node);
  frame.read("node_count", load.node_count);
  frame.read("stamp", load.stamp);
  frame.read("sha256", load.sha256);
  frame.read("version", load.version);
  frame.read("manifest", load.manifest);
  if (load.rank_count < 1 || load.rank < 0 || load.rank >= load.rank_count) {
    frame.fault("rank " + std::to_string(load.rank) + " of " + std::to_string(load.rank_count) +
                " is impossible");
  }
  return load;
}

Json to_json(const StartVisit& start) {
  Json ranks = Json::array();
  for (const VisitRank& rank : start.ranks)
    ranks.push_back(
        {{"local_rank", rank.local_rank}, {"node", rank.node}, {"devices", devices_to_json(rank.devices)}});
  return {{"type", "visit"},
          {"number", start.number},
          {"case_id", start.case_id},
          {"benchmark", start.benchmark},
          {"parameters", start.parameters.is_null() ? Json::object() : start.parameters},
          {"metrics", start.metrics},
          {"by_sample", start.by_sample},
          {"facts", start.facts},
          {"checks", start.checks},
          {"devices", devices_to_json(start.devices)},
          {"ranks", std::move(ranks)},
          {"headline", start.headline},
          {"measure", model::to_json(start.measure)},
          {"timeout_s", start.timeout_s},
          {"trace", start.trace},
          {"profile", start.profile}};
}

StartVisit start_visit_from_json(const Json& json) {
  StartVisit start;
  const Frame frame(json, "visit");
  frame.read("number", start.number);
  frame.read("case_id", start.case_id);
  frame.read("benchmark", start.benchmark);
  start.parameters = frame.object("parameters");
  frame.read("metrics", start.metrics);
  frame.read("by_sample", start.by_sample);
  frame.read("facts", start.facts);
  frame.read("checks", start.checks);
  start.devices = read_devices(frame);
  Json ranks;
  frame.read("ranks", ranks);
  if (!ranks.is_array()) frame.fault("'ranks' is not an array");
  for (const Json& each : ranks) {
    const Frame of_rank(each, "rank");
    VisitRank& rank = start.ranks.emplace_back();
    of_rank.read("local_rank", rank.local_rank);
    of_rank.read("node", rank.node);
    rank.devices = read_devices(of_rank);
  }
  frame.read("headline", start.headline);
  if (start.headline != "rate" && start.headline != "duration")
    frame.fault("'headline' is neither rate nor duration");
  const Json& measure = frame.object("measure");
  for (const model::MeasureKey& key : model::kMeasureKeys) {
    const auto found = measure.find(key.json);
    if (found == measure.end() || !model::set_value(start.measure, key, *found))
      frame.fault("'" + std::string(key.json) + "' of 'measure' is " +
                  (found == measure.end() ? "missing" : found->type_name()));
  }
  frame.read("timeout_s", start.timeout_s);
  frame.read("trace", start.trace);
  frame.read("profile", start.profile);
  return start;
}

Json to_json(const Visited& visited) {
  return {{"type", "visited"},
          {"number", visited.number},
          {"visit", result::to_json(visited.visit)},
          {"dirty", visited.dirty}};
}

Visited visited_from_json(const Json& json) {
  Visited visited;
  const Frame frame(json, "visited");
  frame.read("number", visited.number);
  frame.read("dirty", visited.dirty);
  try {
    visited.visit = result::visit_from_json(frame.object("visit"));
  } catch (const Error& error) {
    frame.fault(error.what());
  }
  return visited;
}

}  // namespace assay::wire
