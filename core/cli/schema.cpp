// SPDX-License-Identifier: Apache-2.0
#include "suite/schema.hpp"

#include "catalog/benchmark_schemas.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "engine/plugin_search.hpp"
#include "result/schema.hpp"

#include <memory>

namespace assay::cli {

void add_schema(CLI::App& program, const Context& context, Action& action) {
  struct SchemaOptions {
    PluginOptions plugins;
    std::string what = "suite";
  };
  auto options = std::make_shared<SchemaOptions>();
  CLI::App* command =
      add_command(program, "schema", "print a JSON Schema",
                  "  assay schema suite > suite.schema.json   editors complete and check suites with it\n"
                  "  assay schema result                      of result.json\n"
                  "  assay schema comparison                  of what 'assay compare' finds\n");
  value_option(*command, "what", "WHAT", options->what,
               "document: suite (with the parameters of all plugins found), result or comparison")
      ->check(CLI::IsMember({"suite", "result", "comparison"}))
      ->capture_default_str();
  add_plugin_options(*command, options->plugins);
  act(*command, action, [options, &context] {
    if (options->what == "result") {
      print_out(result::document_schema().dump(2) + "\n");
    } else if (options->what == "comparison") {
      print_out(result::comparison_schema().dump(2) + "\n");
    } else {
      print_out(
          suite::suite_schema(catalog::benchmark_schemas(load_catalog(context, options->plugins))).dump(2) +
          "\n");
    }
    return 0;
  });
}

}  // namespace assay::cli
