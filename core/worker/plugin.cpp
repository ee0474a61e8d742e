// SPDX-License-Identifier: Apache-2.0
#include "worker/plugin.hpp"

#include "base/error.hpp"
#include "text/text.hpp"
#include "worker/interface.hpp"
#include "worker/loader.hpp"
#include "worker/plugin_text.hpp"

#include <cstddef>
#include <optional>
#include <utility>

namespace assay::worker {
namespace {

template <class Struct, class Field>
bool holds(const Struct& checked, const Field& last) {
  const auto end =
      reinterpret_cast<const char*>(&last) - reinterpret_cast<const char*>(&checked) + sizeof last;
  return checked.size >= static_cast<std::size_t>(end);
}

[[noreturn]] void refuse(const std::string& id, const std::string& what) {
  throw Error("plugin.load", "plugin '" + printable(id) + "' cannot be used: " + what);
}

[[noreturn]] void refuse_to_open(const std::string& id, assay_status status,
                                 const std::optional<PluginReason>& reason) {
  if (!reason || reason->text.empty())
    refuse(id, "its function open gave the status " + std::to_string(status) + " and no reason");
  const std::string number =
      reason->domain.empty() ? "" : " (" + reason->domain + " " + std::to_string(reason->number) + ")";
  throw Error("plugin.load", "plugin '" + printable(id) + "' did not open: " + reason->text + number);
}

[[noreturn]] void broken(const std::string& id, const std::string& what) {
  throw Error("plugin.protocol",
              "plugin '" + printable(id) + "' " + what + "; report it to the plugin's vendor");
}

}  // namespace

LoadedPlugin::LoadedPlugin(const std::filesystem::path& library, const std::string& id,
                           const std::string& host_version, const std::string& version,
                           const std::filesystem::path& manifest, Messages::Listener listener)
    : entry_(load_library(library)),
      id_(id),
      host_(std::make_unique<HostContext>(host_version, library, manifest, std::move(listener))) {
  if (!holds(entry_, entry_.query))
    refuse(id, "its entry struct is smaller than the interface's first version");
  if (entry_.reserved != 0) refuse(id, "`reserved` of its entry struct is not 0");
  if (const std::string why = mismatch(kThisInterface, entry_.built_minor, entry_.needs_minor); !why.empty())
    refuse(id, why);
  if (entry_.id == nullptr || entry_.version == nullptr || entry_.open == nullptr ||
      entry_.query == nullptr) {
    refuse(id, "id, version, open or query is missing from its entry struct");
  }
  if (entry_.id != id) {
    refuse(id,
           "the library calls itself '" + printable(entry_.id) + "'; its manifest belongs to another file");
  }
  version_ = printable(entry_.version);
  if (!version.empty() && version != entry_.version) {
    refuse(id, "the library has the version '" + version_ + "' and its manifest '" + printable(version) +
                   "'; build or install both together");
  }
  assay_status status = ASSAY_E_INTERNAL;
  try {
    status = entry_.open(host_->abi(), &self_);
  } catch (...) {
    refuse(id, with_exception_text("an exception left its function open"));
  }
  if (status != ASSAY_OK) refuse_to_open(id, status, host_->take_reason());
  host_->take_remark();
}

LoadedPlugin::~LoadedPlugin() {
  try {
    if (entry_.close != nullptr) entry_.close(self_);
  } catch (...) {
    // The process ends after this; there is nobody left to tell.
  }
}

const void* LoadedPlugin::facet(const char* id) const {
  const void* found = nullptr;
  try {
    found = entry_.query(self_, id);
  } catch (...) {
    broken(id_, with_exception_text("threw an exception when asked for '" + std::string(id) + "'"));
  }
  if (found == nullptr) broken(id_, "does not offer '" + std::string(id) + "'");
  return found;
}

const assay_benchmark_v1& LoadedPlugin::benchmark() const {
  const auto& found = *static_cast<const assay_benchmark_v1*>(facet(ASSAY_FACET_BENCHMARK));
  if (!holds(found, found.release))
    broken(id_, "has a benchmark struct smaller than the interface's first version");
  if (found.reserved != 0) broken(id_, "has a benchmark struct whose `reserved` is not 0");
  if (found.create == nullptr || found.probe == nullptr || found.prepare == nullptr ||
      found.traits == nullptr || found.iterate == nullptr || found.release == nullptr) {
    broken(id_, "leaves a required function of assay.benchmark/1 out");
  }
  return found;
}

const assay_backend_v1& LoadedPlugin::backend() const {
  const auto& found = *static_cast<const assay_backend_v1*>(facet(ASSAY_FACET_BACKEND));
  if (!holds(found, found.visibility))
    broken(id_, "has a backend struct smaller than the interface's first version");
  if (found.reserved != 0) broken(id_, "has a backend struct whose `reserved` is not 0");
  if (found.inventory == nullptr || found.read == nullptr) {
    broken(id_, "leaves a required function of assay.backend/1 out");
  }
  return found;
}

const assay_reporter_v1& LoadedPlugin::reporter() const {
  const auto& found = *static_cast<const assay_reporter_v1*>(facet(ASSAY_FACET_REPORTER));
  if (!holds(found, found.render))
    broken(id_, "has a reporter struct smaller than the interface's first version");
  if (found.reserved != 0) broken(id_, "has a reporter struct whose `reserved` is not 0");
  if (found.render == nullptr) broken(id_, "leaves a required function of assay.reporter/1 out");
  return found;
}

}  // namespace assay::worker
