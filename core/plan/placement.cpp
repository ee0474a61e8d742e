// SPDX-License-Identifier: Apache-2.0
#include "plan/placement.hpp"

#include "catalog/catalog.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>

namespace assay::plan {
namespace {

using DevicesKind = suite::DeviceChoice::Kind;
using Names = std::vector<std::string>;

bool within(int value, const catalog::CountRange& bounds) {
  return value >= bounds.minimum && (bounds.maximum == 0 || value <= bounds.maximum);
}

std::string range_text(const catalog::CountRange& bounds, const std::string& noun) {
  const std::string least = std::to_string(bounds.minimum);
  if (bounds.maximum == 0) return least + " or more " + noun + "s";
  if (bounds.maximum == bounds.minimum) return count_of(bounds.minimum, noun);
  return least + " to " + std::to_string(bounds.maximum) + " " + noun + "s";
}

class LayingOut {
 public:
  LayingOut(const PlacementRequest& request, const catalog::Benchmark& benchmark,
            const std::string& backend_name, const system::Backend* backend, Diagnostics& diagnostics)
      : request_(request),
        benchmark_(benchmark),
        backend_name_(backend_name),
        symbolic_(backend == nullptr),
        diagnostics_(diagnostics) {
    if (backend == nullptr) return;
    for (const system::Device& device : backend->devices) here_.push_back(device.name);
  }

  Layouts run() {
    if (request_.ranks && !request_.together && !within(*request_.ranks, benchmark_.ranks)) {
      error("'" + benchmark_.name + "' takes " + range_text(benchmark_.ranks, "rank") + ", not " +
            std::to_string(*request_.ranks));
      return {};
    }
    switch (request_.devices.kind) {
      case DevicesKind::unset:
        unset();
        break;
      case DevicesKind::each:
        each(symbolic_ ? Names{any()} : here_);
        break;
      case DevicesKind::all:
        all();
        break;
      case DevicesKind::pairs:
        pairs();
        break;
      case DevicesKind::count:
        count();
        break;
      case DevicesKind::list:
        list();
        break;
    }
    if ((!result_.unmet.empty() || !result_.skipped.empty()) && !failed_)
      result_.list = {{{Names{any()}}, ""}};
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::string any() const { return backend_name_ + ":*"; }
  [[nodiscard]] int least_devices() const { return std::max(1, benchmark_.devices.minimum); }
  [[nodiscard]] bool single() const {
    return benchmark_.ranks.maximum == 1 && benchmark_.devices.maximum == 1;
  }
  [[nodiscard]] bool shared() const { return backend_name_ == catalog::kHostBackend; }
  [[nodiscard]] std::string counted(std::size_t n) const { return count_of(n, backend_name_ + " device"); }

  void error(std::string text, std::string hint = {}) {
    diagnostics_.error("suite.placement", request_.position, std::move(text), std::move(hint));
    failed_ = true;
  }

  void add(std::vector<Names> ranks, std::string device) {
    result_.list.push_back({std::move(ranks), std::move(device)});
  }

  // Shares devices out among ranks, as many ranks as the benchmark takes. Empty if it cannot.
  [[nodiscard]] std::vector<Names> split(const Names& devices) const {
    const int total = static_cast<int>(devices.size());
    const auto deal = [&](int per_rank) {
      std::vector<Names> ranks;
      for (int i = 0; i + per_rank <= total; i += per_rank) {
        ranks.emplace_back(devices.begin() + i, devices.begin() + i + per_rank);
      }
      return ranks;
    };
    if (request_.ranks) {
      const int ranks = *request_.ranks;
      if (shared() && total < ranks) return std::vector<Names>(static_cast<std::size_t>(ranks), devices);
      return total % ranks == 0 && within(total / ranks, benchmark_.devices) ? deal(total / ranks)
                                                                             : std::vector<Names>{};
    }
    const int per_rank = least_devices();
    if (total % per_rank == 0 && within(total / per_rank, benchmark_.ranks)) return deal(per_rank);
    if (benchmark_.ranks.minimum == 1 && within(total, benchmark_.devices)) return deal(total);
    return {};
  }

  [[nodiscard]] std::string cannot_split(std::size_t total) const {
    if (request_.ranks && static_cast<int>(total) % *request_.ranks != 0) {
      return counted(total) + " can't be shared evenly by " + std::to_string(*request_.ranks) + " ranks";
    }
    return "'" + benchmark_.name + "' runs on " + range_text(benchmark_.ranks, "rank") + " with " +
           range_text(benchmark_.devices, "device") + " each, not on " + counted(total);
  }

  void unset() {
    const int ranks = request_.ranks.value_or(benchmark_.ranks.minimum);
    const auto needed = static_cast<std::size_t>(ranks) * static_cast<std::size_t>(least_devices());
    Names devices = here_;
    if (symbolic_) devices.assign(needed, any());
    if (shared() && !devices.empty() && devices.size() < needed) {
      add(std::vector<Names>(static_cast<std::size_t>(ranks), Names{devices.front()}), "");
      return;
    }
    if (devices.size() < needed) {
      (request_.ranks ? result_.unmet : result_.skipped) = "'" + benchmark_.name + "' needs " +
                                                           counted(needed) + "; " +
                                                           std::to_string(devices.size()) + " found";
      return;
    }
    std::vector<Names> list;
    for (std::size_t i = 0; i < needed; i += static_cast<std::size_t>(least_devices())) {
      const auto begin = devices.begin() + static_cast<std::ptrdiff_t>(i);
      list.emplace_back(begin, begin + least_devices());
    }
    add(std::move(list), "");
  }

  void each(const Names& devices) {
    if (least_devices() > 1 || (benchmark_.ranks.minimum > 1 && !request_.ranks)) {
      error("'" + benchmark_.name + "' needs more than one device, and 'devices: each' gives it one",
            "try 'devices: pairs' or 'all'");
      return;
    }
    // One device has none beside it: its case is as it would be alone.
    if (request_.together && (symbolic_ || devices.size() != 1)) {
      std::vector<Names> ranks;
      for (const std::string& device : devices) ranks.push_back({device});
      if (!ranks.empty()) add(std::move(ranks), "");
      return;
    }
    result_.tells_devices_apart = true;
    const int ranks = request_.together ? 1 : request_.ranks.value_or(1);
    for (const std::string& device : devices)
      add(std::vector<Names>(static_cast<std::size_t>(ranks), Names{device}), device);
  }

  void all() {
    if (single()) {
      error("'" + benchmark_.name + "' runs on one device, not on all at once",
            "write 'devices: each', and 'load: together' to load them at the same time");
      return;
    }
    if (symbolic_) {
      add({{any()}}, "");
      return;
    }
    auto ranks = split(here_);
    if (ranks.empty()) {
      result_.skipped = cannot_split(here_.size());
    } else {
      add(std::move(ranks), "");
    }
  }

  void pairs() {
    Names devices = here_;
    if (symbolic_) devices.assign(2, any());
    if (split({any(), any()}).empty()) {
      error("'devices: pairs' gives two devices, but " + cannot_split(2),
            single() ? "write 'devices: each'" : "");
      return;
    }
    result_.tells_devices_apart = true;
    if (devices.size() < 2) {
      result_.skipped = "pairs need two devices; " + std::to_string(devices.size()) + " found";
      return;
    }
    for (std::size_t a = 0; a < devices.size(); ++a) {
      for (std::size_t b = 0; b < devices.size(); ++b) {
        if (a == b || (symbolic_ && a > b)) continue;
        add(split({devices[a], devices[b]}), devices[a] + "-" + devices[b]);
      }
    }
  }

  void count() {
    const auto wanted = static_cast<std::size_t>(std::max(1, request_.devices.count));
    if (symbolic_) {
      chosen(Names(wanted, any()));
    } else if (here_.size() < wanted) {
      result_.unmet = "'devices: " + std::to_string(wanted) + "' needs " + counted(wanted) + "; " +
                      std::to_string(here_.size()) + " found";
    } else {
      chosen(Names(here_.begin(), here_.begin() + static_cast<std::ptrdiff_t>(wanted)));
    }
  }

  void list() {
    Names wanted;
    for (const auto& device : request_.devices.list) {
      if (!device.value.starts_with(backend_name_ + ":")) {
        diagnostics_.error("suite.placement", device.position,
                           "'" + device.value + "' is not a " + backend_name_ +
                               " device, and the case runs on " + backend_name_,
                           "name devices like " + backend_name_ + ":0");
        failed_ = true;
      } else if (!symbolic_ && !contains(here_, device.value)) {
        result_.unmet =
            "'" + device.value + "' is not there; " +
            (here_.empty() ? "no device is" : join(here_, ", ") + (here_.size() == 1 ? " is" : " are"));
      }
      wanted.push_back(device.value);
    }
    if (!failed_ && result_.unmet.empty()) chosen(wanted);
  }

  // Devices that the suite names or counts: together if the benchmark spans them, else in turn.
  void chosen(const Names& devices) {
    if (request_.together || (single() && !request_.ranks)) {
      const bool numbered = symbolic_ && request_.devices.kind == DevicesKind::count;
      each(numbered && !request_.together ? Names{any()} : devices);
      return;
    }
    auto ranks = split(devices);
    if (ranks.empty()) {
      error(cannot_split(devices.size()));
    } else {
      add(std::move(ranks), "");
    }
  }

  const PlacementRequest& request_;
  const catalog::Benchmark& benchmark_;
  const std::string& backend_name_;
  bool symbolic_;
  bool failed_ = false;
  Diagnostics& diagnostics_;
  Names here_;
  Layouts result_;
};

}  // namespace

Layouts lay_out(const PlacementRequest& request, const catalog::Benchmark& benchmark,
                const std::string& backend_name, const system::Backend* backend, Diagnostics& diagnostics) {
  return LayingOut(request, benchmark, backend_name, backend, diagnostics).run();
}

}  // namespace assay::plan
