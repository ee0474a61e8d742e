// SPDX-License-Identifier: Apache-2.0
//
// The host as a plugin sees it from open to close, with or without a case: a log, and where the plugin's files
// lie.
#pragma once

#include <assay/abi/v1.h>

#include <string>

namespace assay {

// A view of the host's struct: cheap to copy, valid until the plugin is closed.
class PluginHost {
 public:
  explicit PluginHost(const assay_host* host) : host_(host) {}

  // [any thread] Adds a line to the log of the case that is under way, else of the next one. Does not block.
  void debug(const std::string& text) const { log(ASSAY_LOG_DEBUG, text); }
  void info(const std::string& text) const { log(ASSAY_LOG_INFO, text); }
  void warning(const std::string& text) const { log(ASSAY_LOG_WARNING, text); }

  // Absolute; "" if the host does not say.
  std::string library_path() const {
    return ASSAY_HAS(host_, library_path) ? std::string(host_->library_path) : std::string();
  }
  std::string manifest_path() const {
    return ASSAY_HAS(host_, manifest_path) ? std::string(host_->manifest_path) : std::string();
  }
  // Of the library: what a plugin brings (kernels, models, tables) lies beside it.
  std::string folder() const {
    const std::string path = library_path();
    return path.substr(0, path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
  }

 private:
  void log(assay_log_level level, const std::string& text) const {
    if (ASSAY_HAS(host_, log)) host_->log(host_, level, text.c_str());
  }

  const assay_host* host_;
};

}  // namespace assay
