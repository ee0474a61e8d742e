// SPDX-License-Identifier: Apache-2.0
#include "run/opening.hpp"

#include "base/error.hpp"
#include "run/frame_text.hpp"
#include "run/launch.hpp"
#include "text/clock.hpp"
#include "text/text.hpp"
#include "wire/child.hpp"
#include "wire/load_of.hpp"

#include <signal.h>

#include <optional>

namespace assay::run {
namespace {

// Takes what came; true once it is known whether the plugin is open.
bool take_frames(wire::Child& worker, Opening& opening) {
  while (const std::optional<Json> frame = worker.next_frame()) {
    const std::string type = text_of(*frame, "type");
    if (type == "ready") return true;
    if (type == "log") opening.lines.push_back(text_of(*frame, "level") + ": " + text_of(*frame, "text"));
    if (type != "error") continue;
    opening.problem = text_of(*frame, "text");
    return true;
  }
  if (!worker.ended() && !worker.hung_up()) return false;
  worker.await_end();
  opening.problem = "its process " + worker.end_text() + " when it was opened";
  return true;
}

}  // namespace

Opening open_plugin(const catalog::Manifest& manifest, const RunSettings& settings) {
  Opening opening;
  try {
    wire::Child worker(launch_of(settings), wire::load_of(manifest));
    const double deadline_s = monotonic_s() + settings.answer_s;
    while (!take_frames(worker, opening)) {
      const double left_s = deadline_s - monotonic_s();
      if (left_s <= 0) {
        opening.problem = "it was not open after " + shortest(settings.answer_s) + " s";
        break;
      }
      worker.wait(left_s);
    }
    worker.signal(SIGKILL);
  } catch (const Error& error) {
    opening.problem = error.what();
  }
  return opening;
}

}  // namespace assay::run
