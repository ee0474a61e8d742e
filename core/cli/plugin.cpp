// SPDX-License-Identifier: Apache-2.0
#include "base/hash.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/served.hpp"
#include "engine/plugin_search.hpp"
#include "engine/recorded_environment.hpp"
#include "run/opening.hpp"
#include "text/table.hpp"
#include "text/text.hpp"

#include <memory>

namespace assay::cli {
namespace {

constexpr int kDoesNotOpen = 1;

std::string text_of(const catalog::Manifest& manifest, const std::vector<std::string>& library_path,
                    int width) {
  AlignedTable rows, offers;
  rows.add({"id", manifest.id});
  rows.add({"version", manifest.version});
  rows.add({"vendor", manifest.vendor});
  rows.add({"license", manifest.license});
  rows.add({"summary", manifest.summary});
  rows.add({"library", manifest.library});
  rows.add({"manifest", manifest.path});
  std::error_code error;
  // What is not a file is said by the loader, and by the run whose cases it costs.
  if (std::filesystem::is_regular_file(manifest.library, error))
    rows.add({"sha256", sha256_of_file(manifest.library)});
  rows.add({"of manifest", manifest.sha256});
  rows.add({"abi", interface_text(manifest)});
  if (const std::string why = unserved(manifest); !why.empty()) rows.add({"not usable", why});
  for (const catalog::Benchmark& benchmark : manifest.benchmarks) {
    offers.add(
        {"benchmark", benchmark.name + "@" + manifest.backend, benchmark.implements, benchmark.summary});
  }
  if (!manifest.provides_backend.empty()) offers.add({"backend", manifest.provides_backend, "", ""});
  for (const catalog::Reporter& reporter : manifest.reporters)
    offers.add({"reporter", reporter.name, "", reporter.summary});
  std::string text = printable(rows.text("", width) + "\n" + offers.text("", width));
  for (const std::string& missing : catalog::missing_libraries(manifest, library_path))
    text += "missing: " + printable(missing) + "\n";
  return text;
}

// Runs it as far as a run would before its first case.
int open(const catalog::Manifest& manifest, const Context& context, const PluginOptions& plugins) {
  run::RunSettings settings;
  settings.program = context.program;
  settings.library_path = library_path(context, plugins);
  settings.base_environment = engine::worker_environment(context.environment);
  const run::Opening opening = run::open_plugin(manifest, settings);
  for (const std::string& line : opening.lines) print_out(printable(line) + "\n");
  print_out(opening.problem.empty() ? "opens: yes\n" : "opens: no, " + printable(opening.problem) + "\n");
  return opening.problem.empty() ? 0 : kDoesNotOpen;
}

}  // namespace

void add_plugin(CLI::App& program, const Context& context, Action& action) {
  struct PluginCommandOptions {
    PluginOptions plugins;
    std::string file;
    bool open = false;
  };
  auto options = std::make_shared<PluginCommandOptions>();
  CLI::App* command = add_command(program, "plugin", "make, check and look at plugins",
                                  "  assay plugin new saxpy --lang c++      a project to start from\n"
                                  "  assay plugin check build/saxpy.so      does it keep the rules?\n"
                                  "  assay plugin info build/saxpy.so       what it says of itself\n");
  command->require_subcommand(1);
  add_plugin_new(*command, context, action);
  add_plugin_check(*command, context, action);
  CLI::App* info =
      add_command(*command, "info", "show what a plugin file says of itself, without running it",
                  "  assay plugin info com.acme.saxpy.so\n"
                  "  assay plugin info com.acme.saxpy.so --open   load it, too: does it open?\n");
  info->add_option("file", options->file, "the shared object or its manifest")->required()->type_name("FILE");
  info->add_option("--library-path", options->plugins.library_path,
                   "folder to search first for libraries that the plugin needs")
      ->type_name("DIR");
  info->add_option(
          "--plugin-allow", options->plugins.allowed,
          "SHA-256 of the library and of its manifest, or a file written by sha256sum; other plugins are refused")
      ->type_name("SHA256[,…]|FILE")
      ->delimiter(',');
  info->add_flag("--open", options->open,
                 "answers of the plugin, opened in a process of its own; exit status 1 if it does not open");
  act(*info, action, [options, &context] {
    PluginOptions named = options->plugins;
    named.plugins = {options->file};
    const catalog::Catalog catalog = load_catalog(context, named);
    const catalog::Manifest& manifest = catalog.manifests().front();
    print_out(text_of(manifest, library_path(context, named), context.line_width()));
    return options->open ? open(manifest, context, named) : 0;
  });
}

}  // namespace assay::cli
