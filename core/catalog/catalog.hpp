// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/diagnostics.hpp"
#include "catalog/contract.hpp"
#include "catalog/libraries.hpp"
#include "catalog/manifest.hpp"

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace assay::catalog {

// A benchmark and the plugin that provides it.
struct Provider {
  const Manifest* manifest = nullptr;
  const Benchmark* benchmark = nullptr;
};

// What `uses` names: "gemm", "gemm@cuda", "gemm@cuda:com.acme.fastgemm".
struct Reference {
  std::string benchmark, backend, plugin;
};
[[nodiscard]] Reference parse_reference(const std::string& text);

// The backend of the machine itself. Never a fallback: it is used only where a suite names it, or where
// nothing else offers the benchmark. Its devices may be shared by several ranks.
inline constexpr const char* kHostBackend = "host";

// Leaves out the host's where another backend offers the benchmark, too.
void leave_out_fallback(std::vector<Provider>& providers);

// All manifests that were found, first id wins. Owns them; pointers live as long as the catalog.
class Catalog {
 public:
  // Adds one manifest, or a shadowed one (same id) to the list that `list -v` shows. A shadowed one that was named is of use to variants only,
  // which name its file.
  void add(Manifest manifest);
  void add(Contract contract);

  [[nodiscard]] const std::vector<Manifest>& manifests() const { return manifests_; }
  [[nodiscard]] const std::vector<Manifest>& shadowed() const { return shadowed_; }
  [[nodiscard]] const std::vector<Contract>& contracts() const { return contracts_; }
  [[nodiscard]] const Manifest* manifest(const std::string& id) const;
  // By its identifier, its file or the manifest's; a shadowed one by a file only.
  [[nodiscard]] const Manifest* plugin(const std::string& name) const;
  [[nodiscard]] const Manifest* backend(const std::string& name) const;
  [[nodiscard]] const Contract* contract(const std::string& id) const;

  // The provider of a benchmark on one of the backends, in their order of preference; a backend in the
  // reference comes before them. Without any, the one backend that offers it, where host counts only if no
  // other does. Two providers on one backend are an error that names both, an unknown benchmark or backend
  // one with a suggestion.
  [[nodiscard]] std::optional<Provider> find(const Reference& reference,
                                             const std::vector<std::string>& backends,
                                             const Position& position, Diagnostics& diagnostics) const;
  [[nodiscard]] std::vector<std::string> benchmark_names() const;
  // Those that a plugin provides or has benchmarks for, sorted.
  [[nodiscard]] std::vector<std::string> backend_names() const;
  [[nodiscard]] const Reporter* reporter(const std::string& name, const Manifest** manifest = nullptr) const;

 private:
  std::vector<Manifest> manifests_, shadowed_;
  std::vector<Contract> contracts_;
};

// Where to look, in this order. The command fills it from options and environment.
struct SearchPath {
  std::vector<std::filesystem::path> files;    // --plugin
  std::vector<std::filesystem::path> folders;  // --plugin-dir, ASSAY_PLUGIN_PATH, user, prefix, system
  // --plugin-allow: SHA-256 in lower case of the only libraries that may be loaded, and of their manifests;
  // without it, any.
  std::optional<std::set<std::string>> allowed = std::nullopt;
};

// Reads every *.assay.json of the folders (sorted bytewise, not recursive) and the named files (a manifest or
// the shared object beside it). A named file that is not a plugin is an error; a bad manifest in a folder is a
// warning, and so is a folder that everybody may write to, which is not read, and a plugin without a
// manifest. A plugin that everybody may write to or exchange, or whose library or manifest is not among the allowed ones,
// counts as bad. A folder that is not there is passed over. `contracts` is a folder of *.json.
[[nodiscard]] Catalog discover(const SearchPath& path, const std::filesystem::path& contracts,
                               Diagnostics& diagnostics);

}  // namespace assay::catalog
