// SPDX-License-Identifier: Apache-2.0
//
// What outlives a case: objects that a plugin keeps for its later cases (communicators, handles), by type and
// key.
#pragma once

#include <assay/nvtx.hpp>
#include <assay/plugin_host.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace assay::detail {

// One address for each type: a key part that needs no RTTI.
template <class Kept>
struct TypeTag {
  static inline const char tag = 0;
};

class PluginState {
 public:
  // `id` is the plugin's.
  PluginState(const char* id, const assay_host* host) : nvtx_(id), host_(host) {}
  PluginState(const PluginState&) = delete;  // kept objects are referred to by address
  PluginState& operator=(const PluginState&) = delete;
  ~PluginState() {
    while (!kept_.empty()) kept_.pop_back();  // the newest first: it may depend on older ones
  }

  const nvtx::Domain& nvtx() const { return nvtx_; }
  const PluginHost& host() const { return host_; }

  template <class Kept, class Make>
  Kept& keep(const std::string& key, Make&& make) {
    for (const Entry& entry : kept_) {
      if (entry.type == &TypeTag<Kept>::tag && entry.key == key)
        return *static_cast<Kept*>(entry.object.get());
    }
    auto object = std::shared_ptr<Kept>(std::forward<Make>(make)());
    kept_.push_back({&TypeTag<Kept>::tag, key, object});
    return *object;
  }

  template <class Kept>
  void forget(const std::string& key) {
    for (auto entry = kept_.begin(); entry != kept_.end(); ++entry) {
      if (entry->type == &TypeTag<Kept>::tag && entry->key == key) {
        kept_.erase(entry);
        return;
      }
    }
  }

 private:
  struct Entry {
    const char* type;
    std::string key;
    std::shared_ptr<void> object;
  };
  nvtx::Domain nvtx_;
  PluginHost host_;
  std::vector<Entry> kept_;
};

}  // namespace assay::detail
