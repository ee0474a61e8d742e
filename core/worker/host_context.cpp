// SPDX-License-Identifier: Apache-2.0
#include "worker/host_context.hpp"

#include "worker/drafts.hpp"

#include <cstring>
#include <utility>

namespace assay::worker {
namespace {

constexpr std::size_t kMostWaiting = 200;  // lines that no case has taken yet
// One byte more than a case's log shows, so that it says that it cut.
constexpr std::size_t kLongestLine = 4097;

}  // namespace

// All noexcept in effect: an exception must not enter the plugin. The only ones possible are of memory, and a line
// of the log is not worth more.
struct HostContext::Callbacks {
  static HostContext& context(const assay_host* host) { return *static_cast<HostContext*>(host->host); }

  static const void* query(const assay_host* host, const char* id) noexcept {
    try {
      HostContext& self = context(host);
      const std::string why = id != nullptr ? unserved_draft(id) : std::string();
      if (why.empty()) return nullptr;
      bool is_new = false;
      {
        const std::lock_guard lock(self.mutex_);
        is_new = self.told_.insert(id).second;
      }
      if (is_new) self.log(ASSAY_LOG_WARNING, why.c_str());
    } catch (...) {
      // It is NULL all the same.
    }
    return nullptr;
  }
  static void log(const assay_host* host, assay_log_level level, const char* text) noexcept {
    try {
      context(host).log(level, text);
    } catch (...) {
      // One line less.
    }
  }
  static void fail(const assay_host* host, const char* domain, std::int64_t code, const char* text) noexcept {
    try {
      context(host).own_.fail(domain, code, text);
    } catch (...) {
      // The status says enough.
    }
  }
};

HostContext::HostContext(std::string version, const std::filesystem::path& library,
                         const std::filesystem::path& manifest, Messages::Listener listener)
    : version_(std::move(version)),
      library_(library.string()),
      manifest_(manifest.string()),
      own_(std::move(listener)) {
  host_ = {sizeof host_,     ASSAY_ABI_MINOR,   "assay", version_.c_str(), Callbacks::query,
           library_.c_str(), manifest_.c_str(), this,    Callbacks::log,   Callbacks::fail};
}

void HostContext::log(std::int32_t level, const char* text) {
  {
    const std::lock_guard lock(mutex_);
    if (case_ != nullptr) return case_->log(level, text);
    if (text != nullptr && waiting_.size() < kMostWaiting)
      waiting_.push_back({level, std::string(text, strnlen(text, kLongestLine))});
  }
  own_.log(level, text);
}

void HostContext::take_remark() {
  if (const auto reason = take_reason()) log(ASSAY_LOG_WARNING, reason->text.c_str());
}

void HostContext::begin_case(Messages& messages) {
  const std::lock_guard lock(mutex_);
  for (const Line& line : std::exchange(waiting_, {})) messages.log(line.level, line.text.c_str());
  case_ = &messages;
}

void HostContext::end_case() {
  const std::lock_guard lock(mutex_);
  case_ = nullptr;
}

}  // namespace assay::worker
