// SPDX-License-Identifier: Apache-2.0
#include "check/checker.hpp"

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/suggest.hpp"
#include "check/check_frames.hpp"
#include "process/orphan_reaper.hpp"
#include "run/backend.hpp"
#include "run/launch.hpp"
#include "run/worker_sets.hpp"
#include "text/clock.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"
#include "wire/child.hpp"
#include "worker/elf.hpp"

#include <signal.h>

#include <algorithm>
#include <map>

namespace assay::check {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kManifestSuffix = ".assay.json";

class PluginChecker {
 public:
  PluginChecker(const fs::path& file, const catalog::Catalog& catalog, const CheckSettings& settings)
      : settings_(settings) {
    find_files(file);
    const Subject subject(
        request_.library, request_.manifest, settings.contracts, {}, [](const std::string&, bool) {},
        settings.given);
    request_.given = settings.given;
    request_.contracts = settings.contracts.string();
    report_.library = request_.library;
    report_.manifest = request_.manifest;
    std::map<std::string, std::string> visible;
    if (subject.manifest()) {
      report_.plugin = subject.manifest()->id;
      report_.version = subject.manifest()->version;
      const std::vector<std::string> missing =
          catalog::missing_libraries(*subject.manifest(), settings.run.library_path);
      request_.missing_library = join(missing, "; ");
      if (!subject.manifest()->benchmarks.empty() && !settings.without_device)
        visible = find_devices(subject.manifest()->backend, catalog);
    }
    launch_ = run::launch_of(settings.run, "checker", visible);
  }

  CheckReport run(const std::vector<const CheckDefinition*>& rows,
                  const std::function<void(const CompletedCheck&)>& watch) {
    const process::OrphanReaper reaper;  // ranks of a check that was killed, and what plugins leave behind
    for (const CheckDefinition* row : rows) {
      if (settings_.without_device && row->needs == Needs::benchmarks) {
        ++report_.left_out;
        continue;
      }
      const double began_s = monotonic_s();
      CompletedCheck finding{row, check(*row), 0};
      finding.duration_s = monotonic_s() - began_s;
      watch(finding);
      report_.findings.push_back(std::move(finding));
    }
    return std::move(report_);
  }

 private:
  void find_files(const fs::path& file) {
    const std::string name = printable(file.string());
    std::error_code missing;
    if (!fs::is_regular_file(file, missing)) throw Error("plugin.named", "'" + name + "' is not a file");
    const fs::path whole = fs::absolute(file);
    if (whole.filename().string().ends_with(kManifestSuffix)) {
      const Subject subject("", whole, "", {}, [](const std::string&, bool) {});
      if (!subject.manifest())
        throw Error("plugin.named", "'" + name + "' is not a valid manifest: " + subject.problems());
      request_.library = subject.manifest()->library;
      request_.manifest = whole.string();
    } else {
      request_.library = whole.string();
      request_.manifest = (fs::path(whole).replace_extension() += kManifestSuffix).string();
    }
    try {
      (void)worker::read_elf(request_.library);
    } catch (const Error& error) {
      throw Error("plugin.named", error.what());
    }
    check_allowed();
  }

  static std::string hash_of(const fs::path& file) {
    try {
      return sha256_of_file(file);
    } catch (const Error& error) {
      throw Error("plugin.named", error.what());
    }
  }

  void check_allowed() const {
    if (!settings_.allowed) return;
    for (const fs::path file : {request_.library, request_.manifest}) {
      std::error_code missing;
      if (!fs::exists(file, missing)) continue;  // a library without a manifest is checked as such
      const std::string hash = hash_of(file);
      if (settings_.allowed->contains(hash)) continue;
      throw Error("plugin.named", "--plugin-allow does not list '" + printable(file.string()) +
                                      "', so none of it is run (its SHA-256 is " + hash + ")");
    }
  }

  // Gives the environment in which a process sees the devices.
  std::map<std::string, std::string> find_devices(const std::string& backend,
                                                  const catalog::Catalog& catalog) {
    const system::Inventory inventory = run::take_inventory(catalog, {backend}, settings_.run);
    const system::Backend& found = *inventory.find(backend);
    std::vector<std::string> names;
    for (const system::Device& device : found.devices) names.push_back(device.name);
    if (!settings_.device.empty()) {
      if (!contains(names, settings_.device)) {
        const std::string hint = suggestion(settings_.device, names);
        throw Error("usage.device", "there is no device '" + printable(settings_.device) + "' of backend " +
                                        backend + (hint.empty() ? "" : " (" + hint + ")"));
      }
      names = {settings_.device};
    }
    if (names.empty()) {
      request_.devices.lacking = "it needs a device of backend '" + backend +
                                 "': " + (found.unavailable.empty() ? "none was found" : found.unavailable);
      return {};
    }
    std::map<std::string, std::string> visible;
    const catalog::Manifest* provider = catalog.backend(backend);
    try {
      run::BackendProcess worker(*provider, settings_.run);
      visible = worker.visibility(names);
      worker.close();
    } catch (const Error& error) {
      request_.devices.lacking = error.what();
      return {};
    }
    for (const system::Device& device : found.devices) {
      const auto at = std::find(names.begin(), names.end(), device.name);
      if (at == names.end()) continue;
      const int ordinal =
          visible.empty() ? run::number_in_name(device.name) : static_cast<int>(at - names.begin());
      request_.devices.list.push_back({device.name, device.uuid, ordinal, device.numa_node});
    }
    return visible;
  }

  CheckVerdict check(const CheckDefinition& row) {
    if (hangs_ >= kMostHangs)
      return not_checked(std::to_string(hangs_) + " checks before it did not end; mend those first");
    try {
      request_.check = row.id;
      wire::Load load;
      load.library = request_.library;
      load.plugin_id = report_.plugin;
      wire::Child child(launch_, load);
      child.send(to_json(request_));
      return verdict_of(child);
    } catch (const Error& error) {
      return not_checked(error.what());
    }
  }

  // Until the process has ended: what it does after its verdict counts, too.
  CheckVerdict verdict_of(wire::Child& child) {
    const double deadline_s = monotonic_s() + settings_.limit_s;
    Answers answers;
    while (!child.ended()) {
      const double left_s = deadline_s - monotonic_s();
      if (left_s <= 0) {
        child.signal(SIGKILL);
        ++hangs_;
        return failed("it did not end within " + shortest(settings_.limit_s) + " s" + answers.where());
      }
      child.wait(left_s);
      answers.take(child);
    }
    if (child.end_signal() != 0 && answers.stage.may_die)
      return passed("it " + child.end_text() + answers.where());
    if (answers.verdict && child.ended_well()) return *answers.verdict;
    return failed("the process " + child.end_text() +
                  (answers.verdict ? " after the check" : answers.where()) + child.last_line());
  }

  const CheckSettings& settings_;
  process::Launch launch_;
  CheckRequest request_;
  CheckReport report_;
  int hangs_ = 0;
};

std::vector<const CheckDefinition*> chosen(const std::vector<std::string>& only) {
  for (const std::string& id : only) (void)check_named(id);
  std::vector<const CheckDefinition*> rows;
  for (const CheckDefinition& row : check_table())
    if (only.empty() || contains(only, row.id)) rows.push_back(&row);
  return rows;
}

}  // namespace

std::size_t CheckReport::count(CheckStatus result) const {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [&](const CompletedCheck& finding) { return finding.verdict.result == result; }));
}

int CheckReport::exit_code() const {
  constexpr int kFailed = 1, kUnmet = 6;  // as of a run: result/exit_code.hpp
  if (count(CheckStatus::failed) > 0) return kFailed;
  return count(CheckStatus::not_checked) > 0 || findings.empty() ? kUnmet : 0;
}

bool brings_backend(const fs::path& file) {
  const bool named = file.filename().string().ends_with(kManifestSuffix);
  const fs::path manifest = named ? file : fs::path(file).replace_extension() += kManifestSuffix;
  const Subject subject("", fs::absolute(manifest), "", {}, [](const std::string&, bool) {});
  return subject.manifest() && !subject.manifest()->provides_backend.empty();
}

CheckReport check_plugin(const fs::path& file, const catalog::Catalog& catalog, const CheckSettings& settings,
                         const std::function<void(const CompletedCheck&)>& watch) {
  const std::vector<const CheckDefinition*> rows = chosen(settings.only);
  return PluginChecker(file, catalog, settings).run(rows, watch);
}

}  // namespace assay::check
