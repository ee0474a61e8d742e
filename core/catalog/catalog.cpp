// SPDX-License-Identifier: Apache-2.0
#include "catalog/catalog.hpp"

#include "base/suggest.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace assay::catalog {
namespace {

template <typename Range, typename Match>
auto find_pointer(const Range& range, Match match) -> decltype(&*range.begin()) {
  const auto found = std::find_if(range.begin(), range.end(), match);
  return found == range.end() ? nullptr : &*found;
}

std::vector<std::string> distinct(std::vector<std::string> list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

std::vector<std::string> backends_of(const std::vector<Provider>& providers) {
  std::vector<std::string> names;
  for (const Provider& provider : providers) names.push_back(provider.manifest->backend);
  return distinct(std::move(names));
}

std::string quoted(const std::string& text) { return "'" + text + "'"; }

}  // namespace

Reference parse_reference(const std::string& text) {
  const std::size_t at = text.find('@');
  if (at == std::string::npos) return {text, "", ""};
  const std::size_t colon = text.find(':', at);
  if (colon == std::string::npos) return {text.substr(0, at), text.substr(at + 1), ""};
  return {text.substr(0, at), text.substr(at + 1, colon - at - 1), text.substr(colon + 1)};
}

void leave_out_fallback(std::vector<Provider>& providers) {
  const auto is_of_host = [](const Provider& provider) { return provider.manifest->backend == kHostBackend; };
  if (!std::all_of(providers.begin(), providers.end(), is_of_host)) std::erase_if(providers, is_of_host);
}

void Catalog::add(Manifest manifest) {
  auto& list = this->manifest(manifest.id) == nullptr ? manifests_ : shadowed_;
  list.push_back(std::move(manifest));
}

void Catalog::add(Contract contract) { contracts_.push_back(std::move(contract)); }

const Manifest* Catalog::manifest(const std::string& id) const {
  return find_pointer(manifests_, [&](const Manifest& m) { return m.id == id; });
}

const Manifest* Catalog::plugin(const std::string& name) const {
  if (const Manifest* found = manifest(name)) return found;
  std::error_code ignored;
  const std::string file = std::filesystem::absolute(name, ignored).lexically_normal().string();
  const auto is_it = [&](const Manifest& m) { return m.path == name || m.library == file; };
  const Manifest* found = find_pointer(manifests_, is_it);
  return found != nullptr ? found : find_pointer(shadowed_, is_it);
}

const Manifest* Catalog::backend(const std::string& name) const {
  return find_pointer(manifests_,
                      [&](const Manifest& m) { return !name.empty() && m.provides_backend == name; });
}

const Contract* Catalog::contract(const std::string& id) const {
  return find_pointer(contracts_, [&](const Contract& c) { return c.id == id; });
}

std::vector<std::string> Catalog::benchmark_names() const {
  std::vector<std::string> names;
  for (const Manifest& manifest : manifests_) {
    for (const Benchmark& benchmark : manifest.benchmarks) names.push_back(benchmark.name);
  }
  return distinct(std::move(names));
}

std::vector<std::string> Catalog::backend_names() const {
  std::vector<std::string> names;
  for (const Manifest& manifest : manifests_) {
    for (const std::string& name : {manifest.backend, manifest.provides_backend}) {
      if (!name.empty()) names.push_back(name);
    }
  }
  return distinct(std::move(names));
}

const Reporter* Catalog::reporter(const std::string& name, const Manifest** owner) const {
  for (const Manifest& manifest : manifests_) {
    const Reporter* found =
        find_pointer(manifest.reporters, [&](const Reporter& r) { return r.name == name; });
    if (found == nullptr) continue;
    if (owner != nullptr) *owner = &manifest;
    return found;
  }
  return nullptr;
}

std::optional<Provider> Catalog::find(const Reference& reference, const std::vector<std::string>& backends,
                                      const Position& position, Diagnostics& diagnostics) const {
  const auto fail = [&](const char* code, std::string text, std::string hint) -> std::optional<Provider> {
    diagnostics.error(code, position, std::move(text), std::move(hint));
    return std::nullopt;
  };
  std::vector<Provider> providers;
  for (const Manifest& manifest : manifests_) {
    if (const Benchmark* benchmark = manifest.benchmark(reference.benchmark))
      providers.push_back({&manifest, benchmark});
  }
  if (providers.empty()) {
    const std::vector<std::string> names = benchmark_names();
    std::string hint = suggestion(reference.benchmark, names);
    if (nearest(reference.benchmark, names).empty())
      hint += (hint.empty() ? "" : "; ") + std::string("name a plugin that is elsewhere with --plugin");
    return fail("suite.unknown-benchmark", "unknown benchmark " + quoted(printable(reference.benchmark)),
                manifests_.empty() ? "no plugin was found; name a folder with --plugin-dir" : hint);
  }
  if (!reference.plugin.empty()) {
    std::vector<std::string> ids;
    for (const Provider& provider : providers) ids.push_back(provider.manifest->id);
    std::erase_if(providers, [&](const Provider& p) { return p.manifest->id != reference.plugin; });
    if (providers.empty()) {
      return fail(
          "suite.unknown-plugin",
          "plugin " + quoted(printable(reference.plugin)) + " does not provide '" + reference.benchmark + "'",
          suggestion(reference.plugin, ids));
    }
  }
  const std::vector<std::string> offered = backends_of(providers);
  std::vector<std::string> wanted =
      reference.backend.empty() ? backends : std::vector<std::string>{reference.backend};
  if (wanted.empty()) {
    std::vector<Provider> meant = providers;
    leave_out_fallback(meant);
    wanted = backends_of(meant);
    if (wanted.size() > 1) {
      return fail("suite.ambiguous-backend",
                  quoted(reference.benchmark) + " is offered on " + join(offered, ", "),
                  "say which with 'backend', or write " + reference.benchmark + "@" + wanted.front());
    }
  }
  for (const std::string& backend : wanted) {
    std::vector<const Provider*> here;
    for (const Provider& provider : providers) {
      if (provider.manifest->backend == backend) here.push_back(&provider);
    }
    if (here.size() == 1) return *here.front();
    if (here.empty()) continue;
    std::vector<std::string> ids;
    for (const Provider* provider : here) ids.push_back(quoted(provider->manifest->id));
    return fail("suite.ambiguous-provider",
                quoted(reference.benchmark) + " is provided on " + backend + " by " + join(ids, " and "),
                "write " + reference.benchmark + "@" + backend + ":" + here.front()->manifest->id);
  }
  const std::vector<std::string> known = backend_names();
  for (const std::string& backend : wanted) {
    if (!std::binary_search(known.begin(), known.end(), backend)) {
      return fail("suite.unknown-backend", "unknown backend " + quoted(printable(backend)),
                  suggestion(backend, known));
    }
  }
  const bool host_would_do = offered == std::vector<std::string>{kHostBackend};
  return fail("suite.no-provider",
              quoted(reference.benchmark) + " is offered on " + join(offered, ", ") + ", not on " +
                  join(wanted, ", "),
              host_would_do
                  ? "host is not a fallback unless it is listed: backend: [" + join(wanted, ", ") + ", host]"
                  : "");
}

}  // namespace assay::catalog
