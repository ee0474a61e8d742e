// SPDX-License-Identifier: Apache-2.0
#include "worker/plugin_messages.hpp"

#include "text/text.hpp"

#include <assay/abi/v1.h>

#include <utility>

namespace assay::worker {
namespace {

constexpr std::size_t kTail = 16 << 10;
constexpr std::size_t kListened =
    256 << 10;  // of one visit; a plugin that floods its log must not flood the socket
constexpr std::size_t kLine = 4096;

std::string line_of(const char* text) {
  if (text == nullptr) return {};
  std::string_view view(text);
  const bool cut = view.size() > kLine;
  if (cut) view = view.substr(0, kLine);
  return printable(view) + (cut ? " […]" : "");
}

std::string_view level_name(std::int32_t level) {
  switch (level) {
    case ASSAY_LOG_DEBUG:
      return "debug";
    case ASSAY_LOG_INFO:
      return "info";
    case ASSAY_LOG_WARNING:
      return "warning";
    default:
      return "error";
  }
}

}  // namespace

void Messages::log(std::int32_t level, const char* text) { add_line(level_name(level), line_of(text)); }

void Messages::add_line(std::string_view level, const std::string& text) {
  bool tell = false;
  {
    const std::lock_guard lock(mutex_);
    text_ += std::string(level) + ": " + text + "\n";
    if (text_.size() > 4 * kTail) text_ = tail(text_, kTail);
    listened_bytes_ += text.size();
    tell = listened_bytes_ <= kListened;
  }
  if (tell) listener_(level, text);
}

// What came first is the cause; what a destructor or another thread says of it later is what followed.
bool Messages::set_reason(PluginReason& reason) {
  const std::lock_guard lock(mutex_);
  if (reason_) return false;
  reason_ = std::move(reason);
  has_reason_.store(true, std::memory_order_relaxed);
  return true;
}

void Messages::fail(const char* domain, std::int64_t number, const char* text) {
  PluginReason reason{line_of(domain), number, {}, line_of(text)};
  if (!set_reason(reason)) add_line("error", reason.text);
}

void Messages::fail_parameter(const char* parameter, const char* text) {
  PluginReason reason{{}, 0, line_of(parameter), line_of(text)};
  if (!set_reason(reason)) add_line("error", reason.text);
}

void Messages::fail_unless_failed(const char* text) {
  PluginReason reason{{}, 0, {}, line_of(text)};
  if (set_reason(reason)) return;
  {
    const std::lock_guard lock(mutex_);
    if (reason_ && reason_->text == reason.text) return;
  }
  add_line("error", reason.text);
}

std::optional<PluginReason> Messages::take_reason() {
  // Asked after every sample, and nearly always in vain.
  if (!has_reason_.load(std::memory_order_relaxed)) return std::nullopt;
  const std::lock_guard lock(mutex_);
  has_reason_.store(false, std::memory_order_relaxed);
  return std::exchange(reason_, std::nullopt);
}

std::string Messages::log_tail() const {
  const std::lock_guard lock(mutex_);
  return tail(text_, kTail);
}

}  // namespace assay::worker
