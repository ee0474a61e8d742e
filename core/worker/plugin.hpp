// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "worker/host_context.hpp"

#include <assay/abi/v1.h>

#include <filesystem>
#include <memory>
#include <string>

namespace assay::worker {

// A loaded and opened plugin with its facets, checked as far as a struct can be: sizes and required
// functions.
class LoadedPlugin {
 public:
  // `id` and `version` are what its manifest says, which lies at `manifest` ("" is not looked at); `host_version`
  // what it may see of the host. `listener` is told what it logs while there is no case. Throws Error
  // "plugin.load", with the plugin's own reason if that does not open.
  LoadedPlugin(
      const std::filesystem::path& library, const std::string& id, const std::string& host_version,
      const std::string& version = "", const std::filesystem::path& manifest = {},
      Messages::Listener listener = [](std::string_view, const std::string&) {});
  ~LoadedPlugin();                             // closes it
  LoadedPlugin(const LoadedPlugin&) = delete;  // the plugin holds the host's address
  LoadedPlugin& operator=(const LoadedPlugin&) = delete;

  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] const std::string& version() const { return version_; }
  [[nodiscard]] std::uint32_t built_minor() const { return entry_.built_minor; }
  [[nodiscard]] void* self() const { return self_; }
  [[nodiscard]] HostContext& host() const { return *host_; }

  // Throw Error "plugin.protocol" if the plugin does not offer it or leaves a required function out.
  [[nodiscard]] const assay_benchmark_v1& benchmark() const;
  [[nodiscard]] const assay_backend_v1& backend() const;
  [[nodiscard]] const assay_reporter_v1& reporter() const;

 private:
  [[nodiscard]] const void* facet(const char* id) const;

  const assay_plugin_v1& entry_;
  std::string id_;
  std::string version_;
  std::unique_ptr<HostContext> host_;
  void* self_ = nullptr;
};

}  // namespace assay::worker
