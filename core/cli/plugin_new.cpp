// SPDX-License-Identifier: Apache-2.0
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/project.hpp"
#include "engine/version.hpp"
#include "text/quote.hpp"
#include "text/text.hpp"

#include <memory>

namespace assay::cli {

void add_plugin_new(CLI::App& plugin, const Context& context, Action& action) {
  struct PluginNewOptions {
    std::string name;
    std::string kind = "benchmark";
    std::string language = "c++";
  };
  auto options = std::make_shared<PluginNewOptions>();
  CLI::App* command =
      add_command(plugin, "new", "make a project that builds, tests and packages a plugin",
                  "  assay plugin new saxpy                a folder 'saxpy' with a benchmark in C++\n"
                  "  assay plugin new saxpy --lang cuda\n"
                  "  assay plugin new wiki --kind reporter         or backend\n");
  value_option(*command, "name", "NAME", options->name,
               "name of the plugin, of its folder, and of its benchmark, reporter or backend")
      ->required();
  value_option(*command, "--kind", "KIND", options->kind, "kind of plugin: benchmark, reporter or backend")
      ->capture_default_str();
  value_option(*command, "--lang", "LANGUAGE", options->language,
               "language of the source: c, c++ or cuda for a benchmark, c++ for the other kinds")
      ->capture_default_str();
  act(*command, action, [options, &context] {
    const Project project{options->name, options->kind, options->language, engine::version_number()};
    const auto files = make_project(prefix_of(context) / "share/assay/templates", project, ".");
    std::string text = "made " + options->name + "/\n";
    for (const auto& file : files) text += "  " + file.string() + "\n";
    text += "next: cd " + options->name +
            " && cmake -B build -DCMAKE_PREFIX_PATH=" + shell_word(prefix_of(context).string()) +
            " && cmake --build build && ctest --test-dir build\n";
    print_out(text);
    return 0;
  });
}

}  // namespace assay::cli
