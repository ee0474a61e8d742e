// SPDX-License-Identifier: Apache-2.0
#include "base/hash.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/plugin_search.hpp"
#include "cli/table.hpp"

#include <memory>

namespace assay::cli {
namespace {

std::string text_of(const catalog::Manifest& manifest, const std::vector<std::string>& library_path,
                    int width) {
  Table rows, offers;
  rows.add({"id", manifest.id});
  rows.add({"version", manifest.version});
  rows.add({"vendor", manifest.vendor});
  rows.add({"license", manifest.license});
  rows.add({"summary", manifest.summary});
  rows.add({"library", manifest.library});
  rows.add({"manifest", manifest.path});
  std::error_code error;
  // What is no file is said by the loader, and by the run whose cases it costs.
  if (std::filesystem::is_regular_file(manifest.library, error))
    rows.add({"sha256", sha256_of_file(manifest.library)});
  rows.add({"of manifest", manifest.sha256});
  rows.add({"abi", "v" + std::to_string(manifest.abi_major) + ", needs minor " +
                       std::to_string(manifest.needs_minor) + ", built with minor " +
                       std::to_string(manifest.built_minor)});
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

}  // namespace

void add_plugin(CLI::App& program, const Context& context, Action& action) {
  struct Options {
    PluginOptions plugins;
    std::string file;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(program, "plugin", "make, check and look at plugins",
                                  "  assay plugin new saxpy --lang c++      a project to start from\n"
                                  "  assay plugin check build/saxpy.so      does it keep the rules?\n"
                                  "  assay plugin info build/saxpy.so       what it says of itself\n");
  command->require_subcommand(1);
  add_plugin_new(*command, context, action);
  add_plugin_check(*command, context, action);
  CLI::App* info = add_command(*command, "info", "show what a plugin file says of itself, without running it",
                               "  assay plugin info com.acme.saxpy.so\n");
  info->add_option("file", options->file, "the shared object or its manifest")->required()->type_name("FILE");
  info->add_option("--library-path", options->plugins.library_path,
                   "look for libraries that it needs in this folder first")
      ->type_name("DIR");
  info->add_option(
          "--plugin-allow", options->plugins.allowed,
          "refuse it unless its SHA-256 and its manifest's are of these, or of those that a file of sha256sum lists")
      ->type_name("SHA256[,…]|FILE")
      ->delimiter(',');
  info->callback([options, &context, &action] {
    action = [options, &context] {
      PluginOptions named = options->plugins;
      named.plugins = {options->file};
      const catalog::Catalog catalog = load_catalog(context, named);
      print_out(text_of(catalog.manifests().front(), library_path(context, named), context.line_width()));
      return 0;
    };
  });
}

}  // namespace assay::cli
