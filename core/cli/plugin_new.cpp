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
  struct Options {
    std::string name;
    std::string language = "c++";
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(plugin, "new", "make a project that builds, tests and packages a plugin",
                  "  assay plugin new saxpy                a folder 'saxpy' with a benchmark in C++\n"
                  "  assay plugin new saxpy --lang cuda\n");
  command->add_option("name", options->name, "of the benchmark, the plugin and the folder")
      ->required()
      ->type_name("NAME");
  command->add_option("--lang", options->language, "c, c++ or cuda")
      ->capture_default_str()
      ->type_name("LANGUAGE");
  command->callback([options, &context, &action] {
    action = [options, &context] {
      const Project project{options->name, options->language, engine::version_number()};
      const auto files = make_project(prefix_of(context) / "share/assay/templates", project, ".");
      std::string text = "made " + options->name + "/\n";
      for (const auto& file : files) text += "  " + file.string() + "\n";
      text += "next: cd " + options->name +
              " && cmake -B build -DCMAKE_PREFIX_PATH=" + shell_word(prefix_of(context).string()) +
              " && cmake --build build && ctest --test-dir build\n";
      print_out(text);
      return 0;
    };
  });
}

}  // namespace assay::cli
