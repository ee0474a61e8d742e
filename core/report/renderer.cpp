// SPDX-License-Identifier: Apache-2.0
#include "report/renderer.hpp"

#include "base/error.hpp"
#include "report/child.hpp"
#include "text/text.hpp"
#include "wire/channel.hpp"
#include "wire/frame_text.hpp"
#include "wire/messages.hpp"
#include "wire/pieces.hpp"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace assay::report {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kMostBytes = std::size_t{256} << 20;
constexpr std::size_t kMostFiles = 10000;
constexpr milliseconds kLastWords{2000};  // from the end of the talk to the process's own end

// Raised inside the talk with what happened; the caller adds who, and what to do.
struct Failed {
  std::string what;
};

std::string seconds_text(milliseconds limit) {
  return shortest(static_cast<double>(limit.count()) / 1000) + " s";
}

class Talk {
 public:
  Talk(wire::Channel& channel, milliseconds limit)
      : channel_(channel), limit_(limit), end_(Clock::now() + limit) {}

  std::vector<File> run(const wire::Load& load, std::string_view document, Json request) {
    channel_.send(to_json(load));
    while (wire::text_of(next(), "type") != "ready") {
    }
    std::string_view piece = wire::take_piece(document);
    for (; !document.empty(); piece = wire::take_piece(document))
      channel_.send({{"type", "document"}, {"data", piece}});
    request["document"] = piece;
    channel_.send(request);
    for (;;) {
      Json frame = next();
      const std::string type = wire::text_of(frame, "type");
      if (type == "rendered") break;
      if (type == "file") add(frame);
    }
    channel_.send({{"type", "exit"}});
    return std::move(files_);
  }

 private:
  Json next() {
    const auto left = std::chrono::duration_cast<milliseconds>(end_ - Clock::now());
    std::optional<Json> frame =
        channel_.receive(static_cast<int>(std::max<long>(0, static_cast<long>(left.count()))));
    if (!frame) throw Failed{"was not done after " + seconds_text(limit_) + " and was stopped"};
    if (wire::text_of(*frame, "type") == "error") {
      const std::string text = printable(wire::text_of(*frame, "text"));
      throw Failed{"said: " + (text.empty() ? std::string("an error without a text") : text)};
    }
    return std::move(*frame);
  }

  // Pieces of one file may come in several frames.
  void add(Json& frame) {
    std::optional<std::string> name;
    if (const auto found = frame.find("name"); found != frame.end() && found->is_string())
      name = found->get<std::string>();
    std::string data;
    if (const auto found = frame.find("data"); found != frame.end() && found->is_string())
      data = std::move(found->get_ref<std::string&>());
    bytes_ += data.size();
    if (bytes_ > kMostBytes) throw Failed{"wrote more than " + std::to_string(kMostBytes >> 20) + " MiB"};
    if (!files_.empty() && files_.back().name == name) {
      files_.back().data += data;
      return;
    }
    if (files_.size() == kMostFiles)
      throw Failed{"opened more than " + std::to_string(kMostFiles) + " files"};
    files_.push_back({std::move(name), std::move(data)});
  }

  wire::Channel& channel_;
  milliseconds limit_;
  Clock::time_point end_;
  std::vector<File> files_;
  std::size_t bytes_ = 0;
};

Json request_json(const Request& request) {
  Json options = Json::array();
  for (const auto& [key, value] : request.options) options.push_back({key, value});
  return {{"type", "render"}, {"reporter", request.reporter}, {"options", std::move(options)}};
}

}  // namespace

std::vector<File> render_in_child(const std::string& document, const Request& request,
                                  const catalog::Reporter& reporter, const catalog::Manifest& manifest,
                                  const Start& start, milliseconds limit) {
  const auto ends = wire::make_socket_pair();
  wire::Channel channel(ends[0]);
  std::optional<Child> child;
  try {
    child.emplace(start, ends[1]);
  } catch (...) {
    close(ends[1]);
    throw;
  }
  close(ends[1]);  // so that its death ends the stream
  wire::Load load;
  load.library = manifest.library;
  load.plugin_id = manifest.id;
  load.stamp = manifest.library_stamp;
  load.sha256 = manifest.library_sha256;
  load.version = manifest.version;
  std::string what;
  try {
    std::vector<File> files = Talk(channel, limit).run(load, document, request_json(request));
    child->finish(kLastWords);
    return files;
  } catch (const Failed& failed) {
    what = failed.what;
    child->finish(milliseconds(0));
  } catch (const Error& error) {
    child->finish(kLastWords);
    what =
        child->ending().empty() ? std::string("broke off: ") + error.what() : "ended with " + child->ending();
  }
  const std::string printed = child->printed();
  throw Error("reporter.failed",
              "the reporter '" + reporter.name + "' of '" + manifest.id + "' " + what +
                  (printed.empty() ? "" : "; it printed:\n" + printed) + (printed.empty() ? "; " : "\n") +
                  "the result itself is whole, and 'assay report RESULT' renders it again");
}

}  // namespace assay::report
