// SPDX-License-Identifier: Apache-2.0
//
// The messages between controller and worker. Each frame is one JSON object, {"type": …}; docs/decisions/0001 says
// why JSON.
#pragma once

#include "base/json.hpp"
#include "model/measure_options.hpp"
#include "result/visit.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace assay::wire {

// The code of the error that answers a request to render, where the files are larger than they may be.
inline constexpr const char* kTooLargeReport = "reporter.size";

// ---- Controller to worker ----

// First frame of every worker: which library to load. Environment and binding were set before exec.
struct Load {
  std::string library;    // absolute path
  std::string plugin_id;  // that the entry must state
  int rank = 0, rank_count = 1, local_rank = 0, node = 0, node_count = 1;
  // Stamp (file_stamp()) and SHA-256 that the library must still have, so that the library that was chosen is the
  // one that is loaded; "" is not checked.
  std::string stamp{}, sha256{};
  std::string version{};   // that the entry must state, too; "" is not checked
  std::string manifest{};  // absolute path of the manifest beside the library, or ""
  // The segment of the rank set (of one rank, too) was inherited as kSegmentDescriptor.
};

struct VisitDevice {
  std::string name, uuid;
  int ordinal = 0;  // inside the worker, after visibility was applied
  int numa_node = -1;
};

// One of several ranks of a visit.
struct VisitRank {
  int local_rank = 0, node = 0;
  std::vector<VisitDevice> devices;
};

// One visit. Sent to every rank of the set.
struct StartVisit {
  std::uint64_t number = 0;  // counts up in one worker; echoed in every answer
  std::string case_id;
  std::string benchmark;
  Json parameters = Json::object();  // name → value in base units
  // Declared: name of rate and duration metrics that take work(), and values.
  std::vector<std::string> metrics;
  std::vector<std::string> by_sample;  // of these metrics every sample has a value
  std::vector<std::string> facts, checks;
  std::vector<VisitDevice> devices;   // of this rank
  std::vector<VisitRank> ranks;       // all of them, this one too; none if it is alone
  std::string headline = "duration";  // kind of the first headline metric, "rate" or "duration": which
                                      // statistic must be known to `precision`, work over time or the median
  model::MeasureOptions measure;
  double timeout_s = 120;  // the worker's own deadline for cancelled(); the controller kills later
  bool trace = false;      // one extra iteration that reports spans
  bool profile = false;    // under --wrap
};

// {"type":"cancel","number":n}
//     The visit should end soon.
// {"type":"inventory"}
//     A backend's worker answers with {"type":"inventory","json":{…}} or an error.
// {"type":"read","devices":[…]}
//     It answers with {"type":"readings","readings":[[device,quantity,value]…],"reasons":[[device,reason]…]}.
// {"type":"visibility","devices":[…]}
//     It answers with {"type":"visibility","environment":{NAME: value}}.
// {"type":"render","reporter":…,"options":[[key,value]…]}
//     The document is the worker's standard input, a SharedText. For each file the worker sends
//     {"type":"file","name":…|null} and the content in frames of bytes; at the end {"type":"rendered"} or an error.
// {"type":"exit"}
//     Close the plugin and end.

// ---- Worker to controller ----

// {"type":"ready","plugin":id,"version":v,"built_minor":m}
//     The library is loaded and open.
// {"type":"samples","number":n,"rank":r,"series":{…}}
//     The samples since the previous such frame, without laps, at most twice a second. The controller joins them,
//     and keeps them if the worker dies.
// {"type":"log","number":n,"level":"warning","text":"…"}
//     Sent when a line is logged; the visit's RankRecord.log holds the same lines. Number 0: logged outside of a
//     visit, and sent before the next other frame.
// {"type":"visited","number":n,"visit":{…}}
//     This rank's part: outcome, reason, measurement, work, its RankRecord.
// {"type":"error","code":"…","text":"…"}
//     The worker could not serve the request: the load failed, or the facet is missing.
//
// No frame reports the phase: after a crash the controller reads phase and sample count of each rank from the
// progress words of the segment.

// Dirty: the worker must not be used again ("visited" carries "dirty": reason text).
struct Visited {
  std::uint64_t number = 0;
  result::Visit visit;  // ranks has one entry: this rank
  std::string dirty;
};

[[nodiscard]] Json to_json(const Load& load);
[[nodiscard]] Json to_json(const StartVisit& start);
[[nodiscard]] Json to_json(const Visited& visited);
// Throw Error "wire.malformed".
[[nodiscard]] Load load_from_json(const Json& json);
[[nodiscard]] StartVisit start_visit_from_json(const Json& json);
[[nodiscard]] Visited visited_from_json(const Json& json);

}  // namespace assay::wire
