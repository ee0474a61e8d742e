// SPDX-License-Identifier: Apache-2.0
#include "worker/worker.hpp"

#include "base/error.hpp"
#include "text/text.hpp"
#include "wire/channel.hpp"
#include "wire/frame_text.hpp"
#include "wire/messages.hpp"
#include "wire/segment.hpp"
#include "wire/shared_text.hpp"
#include "worker/control.hpp"
#include "worker/crash_handler.hpp"
#include "worker/floating_point.hpp"
#include "worker/forked.hpp"
#include "worker/loader.hpp"
#include "worker/plugin.hpp"
#include "worker/process_state.hpp"
#include "worker/rank_position.hpp"
#include "worker/requests.hpp"
#include "worker/serve_visit.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>

#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::worker {
namespace {

Json error_frame(const std::string& code, const std::string& text) {
  return {{"type", "error"}, {"code", code}, {"text", text}};
}

class Server {
 public:
  Server(const WorkerOptions& options, wire::Segment* segment)
      : options_(options),
        segment_(segment),
        channel_(options.socket),
        interruption_(segment),
        control_(channel_, interruption_, options.leave) {}

  int serve() {
    if (!load(control_.next())) return 1;
    for (;;) {
      const Json request = control_.next();
      if (wire::text_of(request, "type") == "exit") return 0;
      try {
        answer(request);
      } catch (const Error& error) {
        channel_.send(error_frame(error.code(), error.what()));
      } catch (const std::bad_alloc&) {
        channel_.send(error_frame("worker.memory", "the worker ran out of memory; choose a smaller case"));
      }
    }
  }

 private:
  bool load(const Json& request) {
    try {
      const wire::Load load = wire::load_from_json(request);
      place_ = {load.rank, load.rank_count, load.local_rank, load.node, load.node_count, segment_};
      if (load.rank_count > 1 && (segment_ == nullptr || segment_->rank_count() != load.rank_count)) {
        throw Error("segment.malformed", "a set of " + std::to_string(load.rank_count) +
                                             " ranks needs a shared segment of its own size on descriptor " +
                                             std::to_string(wire::kSegmentDescriptor));
      }
      if (segment_ != nullptr && load.rank >= segment_->rank_count()) {
        throw Error("segment.malformed",
                    "the shared segment has no place for rank " + std::to_string(load.rank));
      }
      install_crash_handler(segment_ != nullptr ? segment_->crash_report(load.rank) : std::span<char>());
      require_unchanged(load.library, load.stamp, load.sha256);
      watch_forks();
      const FloatingPoint before = FloatingPoint::read();
      plugin_ = std::make_unique<LoadedPlugin>(
          load.library, load.plugin_id, options_.version, load.version, load.manifest,
          [this](std::string_view level, const std::string& text) {
            control_.log({{"type", "log"}, {"number", 0}, {"level", level}, {"text", text}});
          });
      put_back(before);
      guard_.emplace();
    } catch (const Error& error) {
      control_.flush_log();
      channel_.send(error_frame(error.code(), error.what()));
      return false;
    }
    control_.flush_log();
    channel_.send({{"type", "ready"},
                   {"plugin", plugin_->id()},
                   {"version", plugin_->version()},
                   {"built_minor", plugin_->built_minor()}});
    return true;
  }

  // A library that was linked with -ffast-math has code that runs when it is loaded and sets this for good.
  void put_back(const FloatingPoint& before) {
    const std::vector<std::string> changes = FloatingPoint::read().changes_since(before);
    if (changes.empty()) return;
    before.restore();
    changed_at_load_ =
        "the plugin's library changed how this process calculates when it was loaded, and it was put back: " +
        join(changes, "; ");
  }

  void answer(const Json& request) {
    const std::string type = wire::text_of(request, "type");
    if (type == "visit") return visit(request);
    Json answer;
    if (type == "inventory") {
      answer = answer_inventory(*plugin_);
    } else if (type == "read") {
      answer = answer_read(*plugin_, request);
    } else if (type == "visibility") {
      answer = answer_visibility(*plugin_, request);
    } else if (type == "render") {
      const wire::MappedText document(options_.input);
      for (const RenderedFile& file : answer_render(*plugin_, request, document.text())) send(file);
      answer = {{"type", "rendered"}};
    } else {
      throw Error("wire.malformed", "a worker cannot serve a request '" + printable(type) + "'");
    }
    control_.flush_log();
    channel_.send(answer);
  }

  void send(const RenderedFile& file) {
    channel_.send({{"type", "file"}, {"name", file.name ? Json(*file.name) : Json()}});
    for (std::string_view rest = file.data; !rest.empty();) {
      const std::string_view piece = rest.substr(0, wire::kPieceBytes);
      channel_.send_bytes(piece);
      rest.remove_prefix(piece.size());
    }
  }

  void visit(const Json& request) {
    const wire::StartVisit start = wire::start_visit_from_json(request);
    const auto deadline = request.find("deadline_ns");
    const std::int64_t deadline_ns =
        deadline == request.end() ? std::numeric_limits<std::int64_t>::max() : deadline->get<std::int64_t>();
    VisitReports reports;
    reports.log = [this, number = start.number](std::string_view level, const std::string& text) {
      control_.log({{"type", "log"}, {"number", number}, {"level", level}, {"text", text}});
    };
    reports.samples = [this](const Json& frame) { channel_.send(frame); };
    wire::Visited visited =
        serve_visit(*plugin_, start, deadline_ns, place_, interruption_, reports, options_.guards);
    end_if_forked();
    look_after(start, visited);
    control_.flush_log();
    // What the plugin printed belongs to this visit, also a line that it did not end.
    std::fflush(stdout);
    channel_.send(wire::to_json(visited));
  }

  // A plugin that changed the state of its process and did not restore it loses its visit and its worker: nobody can say
  // which of its figures the change touched.
  void look_after(const wire::StartVisit& start, wire::Visited& visited) {
    std::vector<std::string> devices;
    for (const wire::VisitDevice& device : start.devices) devices.push_back(device.name);
    const ProcessGuard::VisitLeftovers found = guard_->look(start.benchmark, devices);
    if (!changed_at_load_.empty()) visited.visit.raise("state.loaded", std::exchange(changed_at_load_, {}));
    if (found.changes.empty() && found.grown.empty()) return;
    std::vector<std::string> all = found.changes;
    all.insert(all.end(), found.grown.begin(), found.grown.end());
    const std::string text = "the plugin left the process changed: " + join(all, "; ");
    if (visited.dirty.empty()) visited.dirty = text;
    if (!found.changes.empty() && visited.visit.outcome == result::Outcome::passed) {
      visited.visit.outcome = result::Outcome::invalid;
      visited.visit.reason.code = "state.changed";
      visited.visit.reason.text =
          "plugin '" + plugin_->id() + "' left the process changed: " + join(all, "; ");
      visited.visit.reason.device = join(devices, ", ");
      if (!place_.alone()) visited.visit.reason.rank = place_.rank;
      return;
    }
    visited.visit.raise("state.changed", text);
  }

  const WorkerOptions& options_;
  wire::Segment* segment_;
  wire::Channel channel_;
  Interruption interruption_;
  Control control_;
  RankPosition place_;
  std::optional<ProcessGuard> guard_;
  std::unique_ptr<LoadedPlugin>
      plugin_;                   // closed before the control thread ends, so that its end can be interrupted
  std::string changed_at_load_;  // until a visit has told it
};

}  // namespace

int run_worker(const WorkerOptions& options) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGINT, SIG_IGN);
  // Programs that a plugin starts must not hold the controller's socket open.
  ::fcntl(options.socket, F_SETFD, FD_CLOEXEC);
  std::optional<wire::Segment> segment;
  try {
    if (options.segment >= 0 && ::fcntl(options.segment, F_SETFD, FD_CLOEXEC) == 0) {
      segment = wire::Segment::attach(options.segment);
    }
    Server server(options, segment ? &*segment : nullptr);
    try {
      return server.serve();
    } catch (const std::exception&) {
      // The socket is broken: there is nobody to tell. If the plugin closed its descriptor, the control
      // thread may still hold the socket open, so an orderly end could wait for ever.
      options.leave(1);
    }
  } catch (const std::exception&) {
    // It could not even begin; the controller sees the end.
  }
  return 1;
}

}  // namespace assay::worker
