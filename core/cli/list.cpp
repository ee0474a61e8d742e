// SPDX-License-Identifier: Apache-2.0
#include "base/diagnostics.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/served.hpp"
#include "cli/suite_summary.hpp"
#include "engine/plugin_search.hpp"
#include "engine/preparation.hpp"
#include "engine/suite_search.hpp"
#include "suite/suite.hpp"
#include "text/table.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace assay::cli {
namespace {

// What `assay doctor` runs; nobody measures with it.
constexpr const char* kDoctor = "doctor";

struct ListOptions {
  PluginOptions plugins;
  bool json = false;
  bool verbose = false;
};

// What the suite needs, and what it is for in its own words.
std::pair<std::string, std::string> needs_and_purpose_of(const std::filesystem::path& file) {
  try {
    Diagnostics problems;
    const suite::Suite read = suite::parse_suite(file.string(), engine::read_include(file.string()),
                                                 engine::read_include, problems);
    if (problems.has_errors())
      return {"", "not valid: 'assay validate " + printable(file.stem().string()) + "' says why"};
    return {needs_text(read.requires_), printable(read.description)};
  } catch (const Error& error) {
    return {"", printable(error.what())};
  }
}

std::string suites_text(const Context& context, bool verbose) {
  AlignedTable table;
  std::set<std::string> names;  // of two files the first one is found by the name
  for (const auto& folder : suite_folders(context)) {
    std::error_code error;
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      if (entry.path().extension() == ".yaml" && names.insert(entry.path().stem()).second)
        files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (const auto& file : files) {
      const auto [needs, purpose] = needs_and_purpose_of(file);
      table.add({printable(file.stem().string()), needs, purpose, verbose ? printable(file.string()) : ""});
    }
  }
  return table.empty() ? ""
                       : "\nsuites ('assay run SUITE --dry-run' says how long one takes here)\n" +
                             table.text("  ", context.line_width());
}

// " (not here: libcuda.so.1, libcublasLt.so.13)", or "".
std::string not_here_text(const std::vector<catalog::NeededLibrary>& absent) {
  std::vector<std::string> names;
  for (const catalog::NeededLibrary& library : absent) names.push_back(printable(library.soname));
  return names.empty() ? "" : " (not here: " + join(names, ", ") + ")";
}

std::string text_of(const catalog::Catalog& catalog, const Context& context, const PluginOptions& plugins,
                    bool verbose) {
  AlignedTable benchmarks, backends, reporters, shadowed, absent;
  std::map<std::string, AlignedTable> of_absent_backends;  // by what they lack
  const std::vector<std::string> library_path = engine::library_path(context, plugins);
  std::set<std::string> told;
  for (const catalog::Manifest& manifest : catalog.manifests()) {
    // By which plugin, and where that is, takes the columns of what a thing is for.
    const std::string by = verbose ? manifest.id + " " + manifest.version : "";
    const std::string where = verbose ? manifest.path : "";
    const std::string why = unserved(manifest);
    const auto missing = catalog::absent_libraries(manifest, library_path);
    const auto summary = [&](const std::string& text) {
      return why.empty() ? printable(text) + not_here_text(missing) : "not usable: " + why;
    };
    const catalog::Manifest* const backend = catalog.backend(manifest.backend);
    const std::string lacks =
        backend == nullptr ? "" : not_here_text(catalog::absent_libraries(*backend, library_path));
    AlignedTable& same =
        lacks.empty() ? benchmarks : of_absent_backends["benchmarks for " + manifest.backend + lacks];
    for (const catalog::NeededLibrary& library : missing)
      if (told.insert(library.soname).second)
        absent.add({printable(library.soname), printable(library.hint)});
    for (const catalog::Benchmark& benchmark : manifest.benchmarks) {
      if (!verbose && benchmark.name == kDoctor) continue;
      same.add({benchmark.name + "@" + manifest.backend, summary(benchmark.summary), by, where});
    }
    if (!manifest.provides_backend.empty()) {
      backends.add({manifest.provides_backend, summary(manifest.summary), by, where});
    }
    for (const catalog::Reporter& reporter : manifest.reporters) {
      reporters.add({reporter.name, summary(reporter.summary), by, where});
    }
  }
  const int width = context.line_width();
  std::string text;
  if (!benchmarks.empty())
    text += "benchmarks ('assay system' says which devices are here)\n" + benchmarks.text("  ", width);
  for (const auto& [heading, table] : of_absent_backends)
    text += (text.empty() ? "" : "\n") + heading + "\n" + table.text("  ", width);
  if (!backends.empty()) text += "\nbackends\n" + backends.text("  ", width);
  if (!reporters.empty()) text += "\nreporters\n" + reporters.text("  ", width);
  if (!absent.empty())
    text += "\nlibraries that are not here (--library-path adds a folder)\n" + absent.text("  ", width);
  text += suites_text(context, verbose);
  if (verbose) {
    for (const catalog::Manifest& manifest : catalog.shadowed())
      shadowed.add({manifest.id + " " + manifest.version, manifest.path});
    if (!shadowed.empty())
      text += "\nshadowed by a plugin of the same id found earlier\n" + shadowed.text("  ");
  }
  return text.empty() ? "no plugins were found; 'assay list -v' shows where they are looked for\n" : text;
}

Json json_of(const catalog::Catalog& catalog, const std::vector<std::string>& library_path) {
  Json plugins = Json::array();
  for (const catalog::Manifest& manifest : catalog.manifests()) {
    Json entry = manifest.json;
    entry["path"] = manifest.path;
    if (const std::string why = unserved(manifest); !why.empty()) entry["not_usable"] = why;
    for (const catalog::NeededLibrary& library : libraries_not_here(manifest, catalog, library_path))
      entry["not_here"].push_back(library.soname);
    plugins.push_back(std::move(entry));
  }
  return {{"plugins", std::move(plugins)}};
}

}  // namespace

void add_list(CLI::App& program, const Context& context, Action& action) {
  auto options = std::make_shared<ListOptions>();
  CLI::App* command = add_command(program, "list", "list benchmarks, backends, reporters and suites",
                                  "  assay list            what there is\n"
                                  "  assay list -v         with the plugins and the files it comes from\n");
  command->add_flag("-v,--verbose", options->verbose,
                    "plugins, their files, and plugins that are shadowed by others, too");
  command->add_flag("--json", options->json, "manifests as JSON");
  add_plugin_options(*command, options->plugins);
  act(*command, action, [options, &context] {
    const catalog::Catalog catalog = load_catalog(context, options->plugins);
    if (options->json) {
      print_out(json_of(catalog, engine::library_path(context, options->plugins)).dump(2) + "\n");
      return 0;
    }
    print_out(text_of(catalog, context, options->plugins, options->verbose));
    if (options->verbose) {
      AlignedTable folders;
      for (const auto& folder : search_path(context, options->plugins).folders)
        folders.add({folder.string()});
      print_out("\nlooked for plugins in\n" + folders.text("  "));
    }
    return 0;
  });
}

}  // namespace assay::cli
