// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <assay/abi/v1.h>

#include <filesystem>
#include <string>

namespace assay::worker {

// A loaded and opened plugin with its facets, checked as far as a struct can be: sizes and required
// functions.
class Plugin {
 public:
  // `id` and `version` are what its manifest says ("" is not looked at); `host_version` what it may see of the
  // host. Throws Error "plugin.load".
  Plugin(const std::filesystem::path& library, const std::string& id, const std::string& host_version,
         const std::string& version = "");
  ~Plugin();                       // closes it
  Plugin(const Plugin&) = delete;  // the plugin holds the host's address
  Plugin& operator=(const Plugin&) = delete;

  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] const std::string& version() const { return version_; }
  [[nodiscard]] std::uint32_t built_minor() const { return entry_.built_minor; }
  [[nodiscard]] void* self() const { return self_; }

  // Throw Error "plugin.protocol" if the plugin does not offer it or leaves a required function out.
  [[nodiscard]] const assay_benchmark_v1& benchmark() const;
  [[nodiscard]] const assay_backend_v1& backend() const;
  [[nodiscard]] const assay_reporter_v1& reporter() const;

 private:
  [[nodiscard]] const void* facet(const char* id) const;

  const assay_plugin_v1& entry_;
  std::string id_;
  std::string version_;
  std::string host_version_;
  assay_host host_{};
  void* self_ = nullptr;
};

}  // namespace assay::worker
