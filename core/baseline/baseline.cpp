// SPDX-License-Identifier: Apache-2.0
#include "baseline/baseline.hpp"

#include "base/error.hpp"
#include "base/hash.hpp"
#include "model/field_json.hpp"
#include "statistics/band.hpp"
#include "text/quantity_text.hpp"
#include "text/text.hpp"
#include "yaml/node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace assay::baseline {

using model::field;

constexpr auto fields_of(const BandRow*) {
  return model::object(field("row", &BandRow::row), field("metric", &BandRow::metric),
                       field("mean", &BandRow::mean), field("unit", &BandRow::unit),
                       field("deviation_percent", &BandRow::deviation_percent),
                       field("count", &BandRow::count), field("work", &BandRow::work));
}
constexpr auto fields_of(const Band*) {
  return model::object(field("model", &Band::model), field("power_limit_w", &Band::power_limit_w).if_any(),
                       field("oldest_driver", &Band::oldest_driver).if_any(),
                       field("newest_driver", &Band::newest_driver).if_any(),
                       field("device", &Band::device).if_any(), field("rows", &Band::rows));
}
constexpr auto fields_of(const Baseline*) {
  return model::object(field("baseline", &Baseline::version), field("suite", &Baseline::suite),
                       field("bands", &Baseline::bands));
}

namespace {

constexpr const char* kMalformed = "baseline.malformed";

// What is not quoted and reads as a number is one.
Json json_of(const yaml::Node& node) {
  switch (node.kind) {
    case yaml::Node::Kind::null:
      return nullptr;
    case yaml::Node::Kind::list: {
      Json list = Json::array();
      for (const yaml::NodePtr& item : node.items) list.push_back(json_of(*item));
      return list;
    }
    case yaml::Node::Kind::map: {
      Json map = Json::object();
      for (const auto& [name, value] : node.entries) map[name->text] = json_of(*value);
      return map;
    }
    case yaml::Node::Kind::scalar:
      break;
  }
  char* end = nullptr;
  const double number = std::strtod(node.text.c_str(), &end);
  if (node.quoted || node.text.empty() || *end != '\0' || !std::isfinite(number)) return printable(node.text);
  if (number >= 0 && number < 1e9 && number == std::floor(number)) return static_cast<std::uint64_t>(number);
  return number;
}

template <class T>
std::vector<std::string> keys_of() {
  std::vector<std::string> keys;
  model::visit_fields(fields_of(static_cast<T*>(nullptr)).all,
                      [&](const auto& each) { keys.emplace_back(each.name); });
  return keys;
}

// What stands below the key, item by item; nothing where it is no list.
std::vector<yaml::NodePtr> items_of(const yaml::Node& node, std::string_view key) {
  const yaml::Node* list = node.find(key);
  return list == nullptr ? std::vector<yaml::NodePtr>{} : list->items;
}

// A key that nobody reads would lift what it was written for.
void check_keys(const yaml::Node& root, Diagnostics& diagnostics) {
  if (!yaml::is_map_of(root, "a baseline", keys_of<Baseline>(), kMalformed, diagnostics)) return;
  for (const yaml::NodePtr& band : items_of(root, "bands")) {
    if (!yaml::is_map_of(*band, "a band", keys_of<Band>(), kMalformed, diagnostics)) continue;
    for (const yaml::NodePtr& row : items_of(*band, "rows"))
      (void)yaml::is_map_of(*row, "a row", keys_of<BandRow>(), kMalformed, diagnostics);
  }
}

// Whether no device is of both.
bool exclude_each_other(const Band& a, const Band& b) {
  if (a.model != b.model) return true;
  if (a.power_limit_w && b.power_limit_w && *a.power_limit_w != *b.power_limit_w) return true;
  if (!a.device.empty() && !b.device.empty() && a.device != b.device) return true;
  return !a.oldest_driver.empty() && !b.oldest_driver.empty() &&
         (is_older(a.newest_driver, b.oldest_driver) || is_older(b.newest_driver, a.oldest_driver));
}

bool is_same_row(const BandRow& a, const BandRow& b) {
  return a.row == b.row && a.metric == b.metric && a.unit == b.unit && a.work == b.work;
}

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw Error(kMalformed, "'" + printable(file) + "' " + why + "; write it anew with 'assay baseline'");
}

void check(const std::string& file, const BandRow& row) {
  const std::string name = "has a row '" + row.row + "' whose ";
  const auto is_above_zero = [](double value) { return value > 0 && std::isnormal(value); };
  if (!is_above_zero(row.mean)) refuse(file, name + "mean is not above zero");
  if (!is_above_zero(row.deviation_percent) || row.deviation_percent >= 100)
    refuse(file, name + "deviation_percent does not lie between 0 and 100");
  if (row.count < statistics::kFewestForBand)
    refuse(file, name + "count is below " + std::to_string(statistics::kFewestForBand) +
                     ", the fewest that make a band");
}

int line_of(const yaml::Node& root, std::size_t band, std::size_t row) {
  return items_of(*items_of(root, "bands")[band], "rows")[row]->position.line;
}

// Two bands that may both be of a device must not say two things of one row.
void check_bands(const std::string& file, const Baseline& baseline, const yaml::Node& root) {
  for (std::size_t b = 0; b < baseline.bands.size(); ++b)
    for (std::size_t r = 0; r < baseline.bands[b].rows.size(); ++r)
      for (std::size_t other = 0; other < b; ++other) {
        if (exclude_each_other(baseline.bands[b], baseline.bands[other])) continue;
        const BandRow& row = baseline.bands[b].rows[r];
        const auto& rows = baseline.bands[other].rows;
        const auto same = std::find_if(rows.begin(), rows.end(),
                                       [&](const BandRow& each) { return is_same_row(each, row); });
        if (same == rows.end()) continue;
        refuse(file, "has at line " + std::to_string(line_of(root, b, r)) + " '" + row.metric +
                         "' of the row '" + row.row + "', which stands at line " +
                         std::to_string(line_of(root, other, static_cast<std::size_t>(same - rows.begin()))) +
                         " already, and a device may be of both bands, so it may be either");
      }
}

std::string quoted(const std::string& text) { return Json(text).dump(); }

}  // namespace

std::string work_of(const std::string& benchmark, const std::string& backend, std::uint64_t revision,
                    Json parameters, Json conditions, const std::vector<std::string>& command, int ranks,
                    const std::string& load, const std::string& bind, const Environment& environment) {
  conditions.erase("seed");
  Json all = Json::array();
  all.push_back(benchmark);
  all.push_back(backend);
  all.push_back(revision);
  all.push_back(std::move(parameters));
  all.push_back(std::move(conditions));
  all.push_back(command);
  all.push_back(ranks);
  all.push_back(load);
  all.push_back(bind);
  if (!environment.empty()) {
    Json variables = Json::object();
    for (const auto& [name, value] : std::map(environment.begin(), environment.end()))
      variables[name] = value ? Json(*value) : Json();
    all.push_back(std::move(variables));
  }
  return sha256(all.dump(-1, ' ', false, Json::error_handler_t::replace)).substr(0, 12);
}

bool is_older(const std::string& version, const std::string& than) {
  std::vector<unsigned long> left = version_parts(version), right = version_parts(than);
  left.resize(std::max(left.size(), right.size()));
  right.resize(left.size());
  return left < right;
}

std::string to_yaml(const Baseline& baseline) {
  std::string text =
      "# What healthy devices reach, made by 'assay baseline'. Held to it: assay run SUITE --baseline FILE, where SUITE says\n"
      "# 'expect: METRIC within band' or 'METRIC >= 97% of baseline'. Rows count for devices of this model, power limit and driver alone.\n"
      "baseline: 1\nsuite: " +
      quoted(baseline.suite) + "\nbands:\n";
  for (const Band& band : baseline.bands) {
    text += "  - model: " + quoted(band.model) + "\n";
    if (band.power_limit_w) text += fmt::format("    power_limit_w: {:g}\n", *band.power_limit_w);
    if (!band.oldest_driver.empty())
      text += "    oldest_driver: " + quoted(band.oldest_driver) +
              "\n    newest_driver: " + quoted(band.newest_driver) + "\n";
    if (!band.device.empty())
      text += "    device: " + quoted(band.device) + "  # of runs on this one: of no other\n";
    text += "    rows:\n";
    for (const BandRow& row : band.rows)
      text += fmt::format(
          "      - {{row: {}, metric: {}, mean: {:.6e}, unit: {}, deviation_percent: {:.4g}, count: {}, work: {}}}  # {}\n",
          quoted(row.row), quoted(row.metric), row.mean, quoted(row.unit), row.deviation_percent, row.count,
          quoted(row.work), quantity_text(row.mean, row.unit));
  }
  return text;
}

Baseline from_yaml(const std::string& file, const std::string& text) {
  auto source = std::make_shared<yaml::Source>();
  source->file = file;
  source->text = text;
  source->kind = "baseline";
  Diagnostics diagnostics;
  const yaml::NodePtr root = yaml::read_yaml(std::move(source), diagnostics);
  if (root && !diagnostics.has_errors()) check_keys(*root, diagnostics);
  if (diagnostics.has_errors() || !root) {
    const auto problems = diagnostics.sorted();
    if (problems.empty()) refuse(file, "is empty");
    const Diagnostic& first = problems.front();
    refuse(file, "cannot be read: line " + std::to_string(first.position.line) + ", column " +
                     std::to_string(first.position.column) + ": " + first.text +
                     (first.hint.empty() ? "" : " (" + first.hint + ")"));
  }
  auto baseline = model::from_json<Baseline>(json_of(*root), {kMalformed, "'" + printable(file) + "'",
                                                              "write it anew with 'assay baseline'", false});
  if (baseline.version != 1) refuse(file, "is of another version than 1, which this assay reads");
  if (baseline.bands.empty()) refuse(file, "has no bands");
  for (const Band& band : baseline.bands) {
    std::set<std::pair<std::string, std::string>> known;
    for (const BandRow& row : band.rows) {
      check(file, row);
      if (!known.emplace(row.row, row.metric).second)
        refuse(file, "has '" + row.metric + "' of the row '" + row.row +
                         "' twice in one band, so it may be either");
    }
  }
  check_bands(file, baseline, *root);
  return baseline;
}

}  // namespace assay::baseline
