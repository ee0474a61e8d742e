// SPDX-License-Identifier: Apache-2.0
#include "baseline/make.hpp"

#include "base/error.hpp"
#include "statistics/band.hpp"
#include "statistics/summary.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace assay::baseline {
namespace {

using comparison::LoadedResult;

[[noreturn]] void refuse_results(const std::string& why) { throw Error("baseline.refused", why); }

// What must be the same of all that makes a band.
struct Alike {
  std::set<std::string> models, power_limits, works, units;
  std::set<std::string, bool (*)(const std::string&, const std::string&)> drivers{is_older};
  std::optional<double> power_limit_w;
};

struct Gathered {
  Alike alike;
  std::map<std::string, std::vector<double>> by_device;  // logarithms
};

using RowMetric = std::pair<std::string, std::string>;  // row and metric

// Which device it was, whatever it is called on its machine.
std::string identity_of(const LoadedResult& reading, const model::Device& device) {
  if (!device.uuid.empty()) return device.uuid;
  return reading.run.host.value("hostname", "") + " " + device.name;
}

class Maker {
 public:
  NewBaseline run(std::span<const LoadedResult> readings) {
    std::set<std::string> seen;
    for (const LoadedResult& reading : readings) {
      refuse_unfit(reading);
      if (!seen.insert(reading.run.id + " " + reading.run.started_at).second)
        refuse_results("'" + reading.source +
                       "' is given twice: the same run tells nothing new; leave one out");
      for (const model::Case& one : reading.cases) add(reading, one);
      made_.baseline.suite = reading.run.suite;
    }
    for (const auto& [key, gathered] : rows_) settle(key, gathered);
    if (made_.baseline.bands.empty())
      refuse_results(made_.left_out.empty()
                         ? "no case of these results has a value: there is nothing to make a band of"
                         : "no row makes a band: " + made_.left_out.front() +
                               (made_.left_out.size() > 1
                                    ? "; " + std::to_string(made_.left_out.size() - 1) + " more like it"
                                    : ""));
    return std::move(made_);
  }

 private:
  static void refuse_unfit(const LoadedResult& reading) {
    const model::Mode& mode = reading.run.mode;
    const char* why = mode.simulated                     ? "is simulated"
                      : mode.quick                       ? "was measured with --quick"
                      : mode.wrap && !mode.wrap->empty() ? "was measured under --wrap"
                                                         : nullptr;
    if (why)
      refuse_results("'" + reading.source + "' " + why +
                     ", and a baseline holds others to it; measure without");
  }

  void add(const LoadedResult& reading, const model::Case& one) {
    // Limits that only a baseline can answer do not make a device sick.
    const bool waits =
        one.outcome == Outcome::failed && one.reason && one.reason->code == "expectation.no-reference";
    if (one.outcome != Outcome::passed && !waits) {
      made_.left_out.push_back("'" + one.id + "' of '" + reading.source + "' did not pass (" +
                               std::string(to_text(one.outcome)) + ")");
      return;
    }
    const std::string work = work_of(one.benchmark, one.backend, one.revision.value_or(1), one.parameters,
                                     one.conditions, one.command, one.placement.ranks, one.placement.load,
                                     one.placement.bind, {one.environment.begin(), one.environment.end()});
    for (const model::Metric& metric : one.metrics) {
      const bool is_measured = metric.statistic != "recorded" && metric.statistic != "derived";
      if (!metric.value || !metric.indices.empty() || !is_measured) continue;
      if (!(*metric.value > 0)) {
        made_.left_out.push_back(one.comparison_key + " " + metric.name +
                                 " has a value that is not above zero in '" + reading.source + "'");
        continue;
      }
      Gathered& row = rows_[{one.comparison_key, metric.name}];
      row.alike.works.insert(work);
      row.alike.units.insert(metric.unit.base);
      row.by_device[describe(reading, one, row.alike)].push_back(std::log(*metric.value));
    }
  }

  // Notes what the case's devices are; the first one stands for them all.
  static std::string describe(const LoadedResult& reading, const model::Case& one, Alike& alike) {
    std::string first;
    std::set<std::string> models;
    for (const model::Backend& backend : reading.run.backends)
      for (const model::Device& device : backend.devices) {
        const auto& used = one.placement.devices;
        if (!contains(used, device.name)) continue;
        models.insert(device.model);
        if (const auto limit = device.facts.find("power_limit_w");
            limit != device.facts.end() && limit->is_number()) {
          alike.power_limit_w = limit->get<double>();
          alike.power_limits.insert(limit->dump() + " W");
        } else {
          alike.power_limits.insert("none");
        }
        if (const auto driver = backend.facts.find("driver");
            driver != backend.facts.end() && driver->is_string())
          alike.drivers.insert(driver->get<std::string>());
        if (device.name == used.front()) first = identity_of(reading, device);
      }
    alike.models.insert(join({models.begin(), models.end()}, ", "));
    return first.empty() ? reading.run.host.value("hostname", "") : first;
  }

  // Throws what tells unlike machines; leaves out what is too little.
  void settle(const RowMetric& key, const Gathered& gathered) {
    const std::string name = key.first + " " + key.second;
    const auto differ = [&](const char* what, const std::set<std::string>& texts) {
      if (texts.size() < 2) return;
      const std::vector<std::string> list(texts.begin(), texts.end());
      refuse_results("'" + name + "' is of devices that are not alike: " + what + " is " +
                     join(list, " and ") + "; make a baseline of each kind");
    };
    differ("the model", gathered.alike.models);
    differ("the power limit", gathered.alike.power_limits);
    differ("the digest of what was measured (parameters, conditions, environment, ranks)",
           gathered.alike.works);
    differ("the unit", gathered.alike.units);
    const bool of_runs = gathered.by_device.size() == 1;
    std::vector<double> values;
    for (const auto& [device, logarithms] : gathered.by_device) {
      if (of_runs)
        values = logarithms;
      else
        values.push_back(statistics::mean(logarithms));
    }
    if (values.size() < statistics::kFewestForBand) {
      made_.left_out.push_back(
          name + " is of " + std::to_string(values.size()) +
          (of_runs ? values.size() == 1 ? " run on one device" : " runs on one device" : " devices") +
          ", and a band takes " + std::to_string(statistics::kFewestForBand) +
          " devices of a model, or as many runs on one");
      return;
    }
    const double deviation = statistics::stdev(values);
    if (!(deviation > 0)) {
      made_.left_out.push_back(name + " has the same value every time: its scatter is not known");
      return;
    }
    BandRow row;
    row.row = key.first;
    row.metric = key.second;
    row.mean = std::exp(statistics::mean(values));
    row.unit = *gathered.alike.units.begin();
    row.deviation_percent = 100 * deviation;
    row.count = values.size();
    row.work = *gathered.alike.works.begin();
    band_for(gathered, of_runs ? gathered.by_device.begin()->first : "").rows.push_back(std::move(row));
  }

  Band& band_for(const Gathered& gathered, const std::string& device) {
    Band band;
    band.model = *gathered.alike.models.begin();
    band.power_limit_w = gathered.alike.power_limit_w;
    if (const auto& drivers = gathered.alike.drivers; !drivers.empty()) {
      band.oldest_driver = *drivers.begin();
      band.newest_driver = *drivers.rbegin();
    }
    band.device = device;
    const auto is_same = [&](const Band& each) {
      return each.model == band.model && each.power_limit_w == band.power_limit_w &&
             each.oldest_driver == band.oldest_driver && each.newest_driver == band.newest_driver &&
             each.device == band.device;
    };
    auto& bands = made_.baseline.bands;
    const auto found = std::find_if(bands.begin(), bands.end(), is_same);
    return found != bands.end() ? *found : bands.emplace_back(std::move(band));
  }

  std::map<RowMetric, Gathered> rows_;
  NewBaseline made_;
};

}  // namespace

NewBaseline make(std::span<const LoadedResult> readings) { return Maker().run(readings); }

}  // namespace assay::baseline
