// SPDX-License-Identifier: Apache-2.0
#include "check/checked_visit.hpp"
#include "check/checks.hpp"
#include "check/resources.hpp"
#include "text/clock.hpp"
#include "text/text.hpp"
#include "worker/host_context.hpp"
#include "worker/loader.hpp"

#include <assay/abi/v1.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>

namespace assay::check {
namespace {

constexpr int kOpenings = 5;
constexpr double kOpenLimit_s = 0.05;

// The host as it is for a plugin that is opened by hand.
std::unique_ptr<worker::HostContext> make_host(const Subject& subject) {
  return std::make_unique<worker::HostContext>("0.0.0", subject.library(), subject.manifest_file(),
                                               [](std::string_view, const std::string&) {});
}

// "open gave the status -3: the licence ended".
std::string open_text(assay_status status, worker::HostContext& host) {
  const auto reason = host.take_reason();
  return "open gave the status " + std::to_string(status) +
         (reason && !reason->text.empty() ? ": " + reason->text : ", without a reason");
}

struct Described {
  std::string text, why;
};

void append(void* context, const char* text, std::size_t length) {
  if (text != nullptr) static_cast<Described*>(context)->text.append(text, length);
}

void keep_reason(void* context, const char* text) {
  std::string& why = static_cast<Described*>(context)->why;
  if (text != nullptr && why.empty()) why = printable(text);
}

// Whether a device's file, as drivers name them.
bool is_device(const std::string& target) {
  return target.starts_with("/dev/nvidia") || target.starts_with("/dev/kfd") ||
         target.starts_with("/dev/dri/") || target.starts_with("/dev/accel");
}

}  // namespace

CheckVerdict check_loads(const Subject& subject) {
  (void)worker::load_library(subject.library());
  return passed();
}

CheckVerdict check_abi(const Subject& subject) {
  const assay_plugin_v1& entry = worker::load_library(subject.library());
  const catalog::Manifest& manifest = *subject.manifest();
  if (entry.size < offsetof(assay_plugin_v1, query) + sizeof entry.query)
    return failed("its entry struct has " + std::to_string(entry.size) +
                  " bytes, fewer than the first version's");
  (void)open_plugin(subject);  // throws what a run would say
  std::vector<std::string> differ;
  const auto compare = [&](const std::string& what, const std::string& library, const std::string& file) {
    if (library != file)
      differ.push_back(what + " is '" + library + "' in the library and '" + file + "' in the manifest");
  };
  compare("id", printable(entry.id), manifest.id);
  compare("version", printable(entry.version), manifest.version);
  compare("built_minor", std::to_string(entry.built_minor), std::to_string(manifest.built_minor));
  compare("needs_minor", std::to_string(entry.needs_minor), std::to_string(manifest.needs_minor));
  if (entry.needs_minor > entry.built_minor) differ.emplace_back("needs_minor is above built_minor");
  return differ.empty() ? passed("interface 1." + std::to_string(entry.built_minor) +
                                 (ASSAY_ABI_PREVIEW ? ", a preview" : ""))
                        : failed(join(differ, "; "));
}

CheckVerdict check_manifest_agrees(const Subject& subject) {
  const assay_plugin_v1& entry = worker::load_library(subject.library());
  if (!ASSAY_HAS(&entry, describe))
    return skipped("it describes nothing; its manifest was given to the build");
  Described described;
  const assay_text_sink sink{sizeof sink, 0, &described, append, keep_reason};
  if (const assay_status status = entry.describe(&sink); status != ASSAY_OK)
    return failed("describe gave the status " + std::to_string(status) +
                  (described.why.empty() ? ", without a reason" : ": " + described.why));
  // Members may stand in another order.
  const auto own = nlohmann::json::parse(described.text, nullptr, false);
  auto file = nlohmann::json::parse(subject.manifest()->json.dump(), nullptr, false);
  if (!own.is_object()) return failed("describe wrote no JSON object");
  for (const char* added : {"library", "abi"}) {
    if (!own.contains(added)) file.erase(added);
  }
  const auto changes = nlohmann::json::diff(own, file);
  if (changes.empty()) return passed();
  return failed("the manifest differs from what the library says of itself at " +
                printable(changes.front().at("path").get<std::string>()) + " and in " +
                count_of(changes.size(), "place") + "; write it anew with assay-describe");
}

CheckVerdict check_facets(const Subject& subject) {
  const worker::LoadedPlugin plugin = open_plugin(subject);
  const catalog::Manifest& manifest = *subject.manifest();
  std::vector<std::string> facets;
  if (!manifest.benchmarks.empty()) {
    (void)plugin.benchmark();
    facets.emplace_back(ASSAY_FACET_BENCHMARK);
  }
  if (!manifest.provides_backend.empty()) {
    (void)plugin.backend();
    facets.emplace_back(ASSAY_FACET_BACKEND);
  }
  if (!manifest.reporters.empty()) {
    (void)plugin.reporter();
    facets.emplace_back(ASSAY_FACET_REPORTER);
  }
  return passed(join(facets, ", "));
}

CheckVerdict check_open_fast(const Subject& subject) {
  const assay_plugin_v1& entry = worker::load_library(subject.library());
  const auto host = make_host(subject);
  // The best of several: others use this machine, too.
  double best_s = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kOpenings; ++i) {
    void* self = nullptr;
    const std::int64_t begin_ns = monotonic_ns();
    const assay_status status = entry.open(host->abi(), &self);
    best_s = std::min(best_s, static_cast<double>(monotonic_ns() - begin_ns) * 1e-9);
    if (status != ASSAY_OK) return failed(open_text(status, *host));
    if (entry.close != nullptr) entry.close(self);
  }
  const std::string took = shortest(std::round(best_s * 1e6) / 1e3) + " ms";
  return best_s <= kOpenLimit_s
             ? passed(took)
             : failed("open takes " + took + "; the limit is 50 ms: leave work to prepare");
}

CheckVerdict check_open_cheap(const Subject& subject) {
  (void)worker::load_library(
      subject.library());  // what libraries do when they are loaded is not the plugin's
  const Resources before = resources();
  const worker::LoadedPlugin plugin = open_plugin(subject);
  const Resources after = resources();
  if (after.threads > before.threads) {
    return failed("open leaves " + std::to_string(after.threads - before.threads) +
                  " threads running; start them in prepare");
  }
  for (const auto& [number, target] : after.descriptors) {
    if (before.descriptors.contains(number)) continue;
    if (is_device(target)) return failed("open opens '" + target + "'; leave devices to probe and prepare");
  }
  return passed();
}

CheckVerdict check_open_twice(const Subject& subject) {
  for (int i = 0; i < 2; ++i) {
    subject.enter(i == 0 ? "the first open and close" : "the second open and close");
    const worker::LoadedPlugin plugin = open_plugin(subject);
  }
  return passed();
}

CheckVerdict check_unknown_facet(const Subject& subject) {
  const assay_plugin_v1& entry = worker::load_library(subject.library());
  const worker::LoadedPlugin plugin = open_plugin(subject);
  for (const char* id : {"assay.unknown/1", "assay.benchmark/99", "", "com.example.nothing/1"}) {
    subject.enter("query(\"" + std::string(id) + "\")");
    if (entry.query(plugin.self(), id) != nullptr)
      return failed("query(\"" + std::string(id) + "\") gives something; what it does not know is NULL");
  }
  return passed();
}

CheckVerdict check_smallest_host(const Subject& subject) {
  const assay_plugin_v1& entry = worker::load_library(subject.library());
  if (ASSAY_HAS(&entry, describe)) {
    subject.enter("describe with a sink that ends before 'fail'");
    Described described;
    assay_text_sink sink{offsetof(assay_text_sink, fail), 0, &described, append, nullptr};
    const assay_status status = entry.describe(&sink);
    if (status != ASSAY_OK || described.text.empty())
      return failed("it cannot describe itself to an Assay of the lowest minor");
  }
  subject.enter("open with an Assay of the lowest minor");
  const auto context = make_host(subject);
  assay_host host = *context->abi();
  host.abi_minor = entry.needs_minor;
  constexpr std::uint32_t kMinorOfPaths = 2;
  if (entry.needs_minor < kMinorOfPaths) host.size = offsetof(assay_host, library_path);
  void* self = nullptr;
  const assay_status status = entry.open(&host, &self);
  if (status != ASSAY_OK) {
    return failed(open_text(status, *context) + "; Assay offered minor " + std::to_string(entry.needs_minor) +
                  ", the minor that the plugin says it needs");
  }
  if (entry.close != nullptr) entry.close(self);
  return passed("minor " + std::to_string(entry.needs_minor));
}

}  // namespace assay::check
