// SPDX-License-Identifier: Apache-2.0
//
// Services that are tried out: assay/abi/drafts.h.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace assay::worker {

class Messages;

// What to tell the author of a plugin that asked for a draft that this Assay does not serve: which one it has of
// that name, and what to do. "" for an id that is not a draft's, or is served.
[[nodiscard]] std::string unserved_draft(std::string_view id);

// Of "assay.progress/1-draft.1": how far a long call has come, in lines of the log. Any thread.
class ProgressService {
 public:
  explicit ProgressService(Messages& messages) : messages_(messages) {}
  void report(double share, const char* text);

 private:
  Messages& messages_;
  std::mutex mutex_;
  std::int64_t last_ns_ = 0;  // of the last line; 0: none yet
};

}  // namespace assay::worker
