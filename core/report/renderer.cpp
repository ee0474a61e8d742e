// SPDX-License-Identifier: Apache-2.0
#include "report/renderer.hpp"

#include "base/error.hpp"
#include "text/clock.hpp"
#include "text/text.hpp"
#include "wire/child.hpp"
#include "wire/frame_text.hpp"
#include "wire/load_of.hpp"
#include "wire/messages.hpp"
#include "wire/shared_text.hpp"

#include <signal.h>

#include <optional>
#include <utility>

namespace assay::report {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMostBytes = std::size_t{256} << 20;
constexpr std::size_t kMostFiles = 10000;
constexpr std::size_t kPrintedTail = 2000;
constexpr double kFinalMessages_s = 2;  // from the last frame to the end of the process

// Thrown by a session with what happened; the caller adds who, and what to do.
struct Failed {
  std::string what;
  bool is_too_large = false;  // so that the same again would fail, too
};

class RenderSession {
 public:
  RenderSession(wire::Child& child, double limit_s)
      : child_(child), limit_s_(limit_s), end_s_(monotonic_s() + limit_s) {}

  std::vector<ReportFile> run(const Json& request) {
    while (wire::text_of(next(), "type") != "ready") {
    }
    child_.send(request);
    for (;;) {
      const Json frame = next();
      const std::string type = wire::text_of(frame, "type");
      if (type == "rendered") break;
      if (type == "file") begin(frame);
      if (type == "bytes") add(frame);
    }
    child_.send({{"type", "exit"}});
    return std::move(files_);
  }

 private:
  Json next() {
    std::optional<Json> frame = child_.next_frame();
    for (; !frame; frame = child_.next_frame()) {
      const double left_s = end_s_ - monotonic_s();
      if (child_.hung_up())
        throw Error("wire.closed", "the stream ended: the process at the other end of the socket is gone");
      if (left_s <= 0) throw Failed{"was not done after " + shortest(limit_s_) + " s and was stopped"};
      child_.wait(left_s);
    }
    if (wire::text_of(*frame, "type") == "error") {
      const std::string text = printable(wire::text_of(*frame, "text"));
      throw Failed{"said: " + (text.empty() ? std::string("an error without a text") : text),
                   wire::text_of(*frame, "code") == wire::kTooLargeReport};
    }
    return std::move(*frame);
  }

  void begin(const Json& frame) {
    if (files_.size() == kMostFiles)
      throw Failed{"opened more than " + std::to_string(kMostFiles) + " files"};
    const auto name = frame.find("name");
    const bool is_named = name != frame.end() && name->is_string();
    files_.push_back({is_named ? std::optional(name->get<std::string>()) : std::nullopt, {}});
  }

  void add(const Json& frame) {
    const std::string data = wire::text_of(frame, "data");
    bytes_ += data.size();
    if (bytes_ > kMostBytes) throw Failed{"wrote more than " + std::to_string(kMostBytes >> 20) + " MiB"};
    if (!files_.empty()) files_.back().data += data;
  }

  wire::Child& child_;
  double limit_s_, end_s_;
  std::vector<ReportFile> files_;
  std::size_t bytes_ = 0;
};

Json request_json(const ReportRequest& request) {
  Json options = Json::array();
  for (const auto& [key, value] : request.options) options.push_back({key, value});
  return {{"type", "render"}, {"reporter", request.reporter}, {"options", std::move(options)}};
}

// The last lines of it.
std::string printed_by(wire::Child& child) {
  std::string text = child.output().text();
  text.resize(text.find_last_not_of('\n') + 1);
  return tail(text, kPrintedTail);
}

}  // namespace

std::vector<ReportFile> render_in_child(const std::string& document, const ReportRequest& request,
                                        const catalog::Reporter& reporter, const catalog::Manifest& manifest,
                                        const Start& start, milliseconds limit) {
  const wire::SharedText shared(document);
  process::Launch launch;
  launch.arguments = {start.program.string(), "worker"};
  launch.environment = start.environment;
  launch.input = shared.descriptor();
  wire::Child child(std::move(launch), wire::load_of(manifest));
  std::string what, next = "and 'assay report RESULT' renders it again";
  try {
    std::vector<ReportFile> files =
        RenderSession(child, std::chrono::duration<double>(limit).count()).run(request_json(request));
    child.await_end(kFinalMessages_s);
    return files;
  } catch (const Failed& failed) {
    what = failed.what;
    if (failed.is_too_large)
      next =
          "and other formats take less room, such as csv; a run of fewer cases, by --filter, takes less, too";
    child.signal(SIGKILL);
    child.await_end(kFinalMessages_s);
  } catch (const Error& error) {
    child.await_end(kFinalMessages_s);
    what = std::string("broke off: ") + error.what();
    if (child.ended() && !child.ended_well()) what = "ended with " + child.ending();
  }
  const std::string printed = printed_by(child);
  throw Error("reporter.failed", "the reporter '" + reporter.name + "' of '" + manifest.id + "' " + what +
                                     (printed.empty() ? "" : "; it printed:\n" + printed) +
                                     (printed.empty() ? "; " : "\n") + "the result itself is whole, " + next);
}

}  // namespace assay::report
