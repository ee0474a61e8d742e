// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "base/file.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "engine/plugin_search.hpp"
#include "engine/preparation.hpp"
#include "plan/site.hpp"
#include "system/census.hpp"
#include "system/host.hpp"
#include "text/fact_text.hpp"
#include "text/quote.hpp"
#include "text/table.hpp"
#include "text/text.hpp"

#include <filesystem>
#include <memory>

namespace assay::cli {
namespace {

struct SystemOptions {
  PluginOptions plugins;
  bool json = false;
  std::string site;  // --write-site
};

std::string scalar_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// A key ends with its unit, which people read beside the number.
void add_fact(const std::string& key, const Json& value, AlignedTable& table) {
  const std::string text = value.is_number() ? fact_text(key, value.get<double>()) : std::string();
  if (text.empty()) {
    table.add({key, scalar_text(value)});
  } else {
    table.add({fact_name(key), text});
  }
}

bool worth_showing(const Json& value) {
  return !value.is_null() && !value.is_structured() && value != "" && value != 0;
}

// How many devices each source lists, and which are missing, if more than one source can tell.
std::string census_text(const system::Backend& backend) {
  const auto census = system::census_of(backend);
  if (!census || (census->known.size() < 2 && census->missing.empty() && census->withheld.empty())) return {};
  std::string text = "  " + system::to_text(*census, backend.devices.size()) + "\n";
  for (const system::Census::Gap& gap : census->missing)
    text += "  " + census->kind + " " + gap.device + " is missing: " + gap.why + "\n";
  return text;
}

std::string text_of(const Json& host, const system::Inventory& inventory, int width) {
  AlignedTable rows;
  for (const auto& [key, value] : host.items()) {
    if (worth_showing(value)) add_fact(key, value, rows);
  }
  std::string text = "machine\n" + printable(rows.text("  ", width));
  for (const system::Backend& backend : inventory.backends) {
    text += "\n" + backend.name + (backend.unavailable.empty() ? "" : ": " + printable(backend.unavailable)) +
            "\n" + census_text(backend);
    for (const system::Device& device : backend.devices) {
      AlignedTable facts;
      for (const auto& [key, value] : device.facts.items()) {
        if (worth_showing(value)) add_fact(key, value, facts);
      }
      text += "  " +
              printable(device.name + "  " + device.model + (device.uuid.empty() ? "" : "  " + device.uuid)) +
              "\n" + printable(facts.text("    ", width));
    }
  }
  return text;
}

// A file that is there may be what other machines are held to.
void write_site(const std::string& path, const system::Inventory& inventory, const Json& host) {
  std::error_code ignored;
  if (std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) {
    throw Error("usage.output",
                "'" + path + "' is there already and is not replaced; name another file, or remove it first");
  }
  write_file(path, plan::site_text(inventory, host));
  print_error("wrote " + printable(path) + "; hold a machine to it with: assay run SUITE --site " +
              shell_word(path) + "\n");
}

}  // namespace

void add_system(CLI::App& program, const Context& context, Action& action) {
  auto options = std::make_shared<SystemOptions>();
  CLI::App* command = add_command(
      program, "system", "show this machine as suites see it: host, backends, devices",
      "  assay system                     for people\n"
      "  assay system --json > node.json  for 'assay run SUITE --dry-run --inventory node.json' elsewhere\n"
      "  assay system --write-site site.yaml   for 'assay run SUITE --site site.yaml'\n");
  value_option(*command, "--write-site", "FILE", options->site,
               "new site file with what this machine has, for 'assay run --site'");
  command->add_flag("--json", options->json, "inventory as JSON");
  add_plugin_options(*command, options->plugins);
  act(*command, action, [options, &context] {
    const catalog::Catalog catalog = load_catalog(context, options->plugins);
    system::Inventory inventory = inventory_of_all(context, options->plugins, catalog);
    inventory.topology = system::read_topology();
    const Json host = system::host_identity(*inventory.topology);
    if (!options->site.empty()) write_site(options->site, inventory, host);
    if (options->json) {
      Json json = system::to_json(inventory);
      json["host"] = host;
      print_out(json.dump(2) + "\n");
    } else if (options->site.empty()) {
      print_out(text_of(host, inventory, context.line_width()));
    }
    return 0;
  });
}

}  // namespace assay::cli
