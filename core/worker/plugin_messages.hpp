// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace assay::worker {

// What a plugin gave as the reason of a status.
struct PluginReason {
  std::string domain;
  std::int64_t number = 0;
  std::string parameter;  // of fail_parameter, or empty
  std::string text;
};

// Collects log lines and reasons of one case. Any thread; the plugin's texts may be null.
class Messages {
 public:
  // Told each line that was logged, cleaned.
  using Listener = std::function<void(std::string_view level, const std::string& text)>;

  explicit Messages(Listener listener) : listener_(std::move(listener)) {}

  void log(std::int32_t level, const char* text);
  void fail(const char* domain, std::int64_t number, const char* text);
  void fail_parameter(const char* parameter, const char* text);
  // A reason unless there is one; nothing if that says the same.
  void fail_unless_failed(const char* text);

  // The first reason since the call before; those that followed it became lines of the log.
  [[nodiscard]] std::optional<PluginReason> take_reason();
  // The last lines, at most 16 KiB.
  [[nodiscard]] std::string log_tail() const;

 private:
  void add_line(std::string_view level, const std::string& text);
  // False if there is one already.
  bool set_reason(PluginReason& reason);

  Listener listener_;
  mutable std::mutex mutex_;
  std::string text_;
  std::size_t listened_bytes_ = 0;
  std::optional<PluginReason> reason_;
  std::atomic<bool> has_reason_{false};
};

}  // namespace assay::worker
