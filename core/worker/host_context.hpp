// SPDX-License-Identifier: Apache-2.0
//
// The host's side of assay_host: what a plugin reaches from open to close, with or without a case.
#pragma once

#include "worker/plugin_messages.hpp"

#include <assay/abi/v1.h>

#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace assay::worker {

class HostContext {
 public:
  // `manifest` may be empty. `listener` is told lines that belong to no case, at once and in any thread.
  HostContext(std::string version, const std::filesystem::path& library,
              const std::filesystem::path& manifest, Messages::Listener listener);
  HostContext(const HostContext&) = delete;  // the plugin holds its address
  HostContext& operator=(const HostContext&) = delete;

  [[nodiscard]] const assay_host* abi() const { return &host_; }

  // From now on lines are the case's, and first of all those that came since the last one.
  void begin_case(Messages& messages);
  void end_case();

  // The reason of a call that had no case: the first since the last call of this.
  [[nodiscard]] std::optional<PluginReason> take_reason() { return own_.take_reason(); }
  // A reason without an error is a line of the log.
  void take_remark();

 private:
  struct Callbacks;  // the C functions
  struct Line {
    std::int32_t level;
    std::string text;
  };

  void log(std::int32_t level, const char* text);

  const std::string version_, library_, manifest_;
  Messages own_;
  std::mutex mutex_;
  Messages* case_ = nullptr;    // guarded by mutex_
  std::vector<Line> waiting_;   // guarded by mutex_
  std::set<std::string> told_;  // drafts that were asked for; guarded by mutex_
  assay_host host_{};
};

}  // namespace assay::worker
