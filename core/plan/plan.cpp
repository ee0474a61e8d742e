// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.hpp"

#include "base/error.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "plan/expression_check.hpp"
#include "plan/external.hpp"
#include "plan/order.hpp"
#include "plan/placement.hpp"
#include "plan/plan_hash.hpp"
#include "plan/points.hpp"
#include "plan/reference.hpp"
#include "plan/requirements.hpp"
#include "plan/settings.hpp"
#include "suite/external.hpp"
#include "suite/scalar.hpp"
#include "system/binding.hpp"

#include <algorithm>
#include <regex>
#include <set>
#include <unordered_set>

namespace assay::plan {
namespace {

// More would take longer to read than to measure.
constexpr std::size_t kMaximumCases = 100000;

std::vector<std::regex> compile(const std::vector<std::string>& filters) {
  std::vector<std::regex> compiled;
  for (const std::string& filter : filters) {
    try {
      compiled.emplace_back(filter, std::regex::ECMAScript | std::regex::optimize);
    } catch (const std::regex_error&) {
      throw Error("usage.filter",
                  "'" + printable(filter) +
                      "' is no regular expression; write '\\[' for a bracket, as in 'gemm\\[dtype=bf16'");
    }
  }
  return compiled;
}

system::BindRequest request_of(const suite::Bind& bind) {
  return {static_cast<system::BindKind>(bind.kind), bind.cpu, bind.memory};
}
static_assert(static_cast<int>(system::BindKind::explicit_nodes) ==
                  static_cast<int>(suite::Bind::Kind::explicit_nodes) &&
              static_cast<int>(system::BindKind::local) == static_cast<int>(suite::Bind::Kind::local));

// Why a whole case or one of its rows does not run.
struct Settled {
  result::Outcome outcome = result::Outcome::skipped;
  std::string code, text;
};

class Planner {
 public:
  Planner(const suite::Suite& suite, const catalog::Catalog& catalog, const system::Inventory* inventory,
          const Options& options, Diagnostics& diagnostics)
      : suite_(suite),
        catalog_(catalog),
        inventory_(inventory),
        options_(options),
        filters_(compile(options.filters)),
        diagnostics_(diagnostics) {}

  Plan run() {
    plan_.seed = options_.seed;
    if (inventory_ != nullptr) {
      for (std::string& text : unmet(suite_.requires_, {}, *inventory_))
        add_unmet(std::move(text), suite_.requires_.position);
      suite_is_unmet_ = !plan_.unmet.empty();
    }
    for (std::size_t i = 0; i < suite_.cases.size(); ++i) plan_case(i);
    check_expressions(suite_, subjects_, some_are_absent_, diagnostics_);
    for (const Case& planned : plan_.cases) plan_.rounds = std::max(plan_.rounds, planned.rounds);
    plan_.order = visit_order(plan_.cases, plan_.rounds, plan_.seed);
    plan_.hash = plan_hash(plan_);
    return std::move(plan_);
  }

 private:
  void add_unmet(std::string text, const Position& position) {
    const auto same = [&](const Unmet& other) { return other.text == text; };
    if (std::none_of(plan_.unmet.begin(), plan_.unmet.end(), same))
      plan_.unmet.push_back({std::move(text), position});
  }

  // ---- One case of the suite
  // --------------------------------------------------------------------------------------

  [[nodiscard]] const std::vector<suite::At<std::string>>& listed_backends(const suite::Case& one) const {
    return !one.backends.empty()             ? one.backends
           : !one.requires_.backends.empty() ? one.requires_.backends
                                             : suite_.requires_.backends;
  }

  // Backends that the case may run on, in the order of preference but with those that are there first.
  [[nodiscard]] std::vector<std::string> preferred_backends(const suite::Case& one,
                                                            const catalog::Reference& reference) const {
    std::vector<std::string> names;
    for (const auto& backend : listed_backends(one)) names.push_back(backend.value);
    if (inventory_ == nullptr || names.size() < 2) return names;
    const auto usable = [&](const std::string& backend) {
      const auto provides = [&](const catalog::Manifest& manifest) {
        return manifest.backend == backend && manifest.benchmark(reference.benchmark) != nullptr;
      };
      return is_available(*inventory_, backend) &&
             std::any_of(catalog_.manifests().begin(), catalog_.manifests().end(), provides);
    };
    std::stable_partition(names.begin(), names.end(), usable);
    return names;
  }

  // The backend that a case is for, if no plugin knows any of those that would do and it is not misspelt:
  // what is not installed is not the suite's fault.
  [[nodiscard]] std::string absent_backend(const catalog::Reference& reference,
                                           const std::vector<std::string>& backends) const {
    const std::vector<std::string> wanted =
        reference.backend.empty() ? backends : std::vector<std::string>{reference.backend};
    const std::vector<std::string> known = catalog_.backend_names();
    const bool all_are_absent = std::all_of(wanted.begin(), wanted.end(), [&](const std::string& name) {
      return !std::binary_search(known.begin(), known.end(), name) && nearest(name, known).empty();
    });
    return !wanted.empty() && all_are_absent ? wanted.front() : std::string();
  }

  // Reports the backends that are misspelt where nothing else that is listed would do, each once; false if
  // none is.
  bool report_misspelt(const suite::Case& one, const catalog::Reference& reference) {
    if (!reference.backend.empty()) return false;
    const std::vector<std::string> known = catalog_.backend_names();
    const auto is_known = [&](const auto& backend) {
      return std::binary_search(known.begin(), known.end(), backend.value);
    };
    const auto& listed = listed_backends(one);
    if (listed.empty() || std::any_of(listed.begin(), listed.end(), is_known)) return false;
    for (const auto& backend : listed) {
      if (nearest(backend.value, known).empty() || !reported_.insert(&backend).second) continue;
      diagnostics_.error("suite.unknown-backend", backend.position,
                         "unknown backend '" + printable(backend.value) + "'",
                         suggestion(backend.value, known));
    }
    return true;
  }

  // What somebody who named no backend, and has a machine without a device, may have meant.
  [[nodiscard]] std::string host_hint(const catalog::Reference& reference,
                                      const std::vector<std::string>& backends) const {
    const auto provides = [&](const catalog::Manifest& manifest) {
      return manifest.backend == catalog::kHostBackend && manifest.benchmark(reference.benchmark) != nullptr;
    };
    if (!reference.backend.empty() || !backends.empty() ||
        std::none_of(catalog_.manifests().begin(), catalog_.manifests().end(), provides)) {
      return {};
    }
    return "; on the host it is 'uses: " + reference.benchmark + "@" + catalog::kHostBackend + "'";
  }

  const std::vector<std::string>& missing_libraries_of(const catalog::Manifest& manifest) {
    if (options_.missing_libraries) {
      static const std::vector<std::string> none;
      const auto known = options_.missing_libraries->find(manifest.id);
      if (known == options_.missing_libraries->end()) return none;
      return plan_.missing_libraries[manifest.id] = known->second;
    }
    const auto known = looked_up_.find(manifest.id);
    if (known != looked_up_.end()) return known->second;
    auto missing = catalog::missing_libraries(manifest, options_.library_path);
    if (!missing.empty()) plan_.missing_libraries[manifest.id] = missing;
    return looked_up_[manifest.id] = std::move(missing);
  }

  void plan_case(std::size_t index) {
    const suite::Case& one = suite_.cases[index];
    if (one.uses.value.empty()) return;  // the parser has said so
    catalog::Reference reference = catalog::parse_reference(one.uses.value);
    std::vector<std::string> backends = preferred_backends(one, reference);
    if (const std::string absent = absent_backend(reference, backends); !absent.empty()) {
      add_unmet("'" + one.id.value + "' cannot run: no plugin here is for the backend '" + printable(absent) +
                    "'; install one, or name its folder with --plugin-dir",
                one.uses.position);
      some_are_absent_ = true;
      return;
    }
    if (report_misspelt(one, reference)) return;
    std::string backend_name;
    if (suite::is_external(one)) {
      // A command runs on the devices of any backend, and its plugin on the host.
      backend_name =
          external_backend(reference, backends, catalog_, inventory_, one.uses.position, diagnostics_);
      if (backend_name.empty()) return;
      reference.backend.clear();
      backends = {catalog::kHostBackend};
    }
    const auto provider = catalog_.find(reference, backends, one.uses.position, diagnostics_);
    if (!provider) return;
    const catalog::Manifest& manifest = *provider->manifest;
    if (backend_name.empty()) {
      backend_name = manifest.backend;
    } else {
      plan_.made.push_back(
          std::make_shared<const catalog::Benchmark>(external_benchmark(one, *provider->benchmark)));
    }
    const catalog::Benchmark& benchmark = suite::is_external(one) ? *plan_.made.back() : *provider->benchmark;

    const system::Backend* backend = nullptr;
    std::optional<Settled> settled;
    if (inventory_ != nullptr) {
      backend = inventory_->find(backend_name);
      if (!is_available(*inventory_, backend_name)) {
        std::string text = why_unavailable(*inventory_, backend_name) + host_hint(reference, backends);
        settled = Settled{result::Outcome::not_run, "requires.unmet", std::move(text)};
        backend = nullptr;
      } else if (const auto missing = unmet(one.requires_, {backend_name}, *inventory_); !missing.empty()) {
        settled = Settled{result::Outcome::skipped, "requires.unmet", join(missing, "; ")};
      }
      if (!settled) {
        if (const auto& missing = missing_libraries_of(manifest); !missing.empty()) {
          settled = Settled{result::Outcome::skipped, "needs.library", join(missing, "; ")};
        }
      }
    }

    Points points(one, benchmark, diagnostics_);
    const Settings base = base_settings(one, benchmark, points, options_.quick, diagnostics_);
    const std::size_t room = kMaximumCases - std::min(kMaximumCases, planned_);
    rows_.clear();
    for (Point& point : points.expand(room)) {
      Settings settings = base;
      apply_point(point, settings);
      plan_point({index, one, manifest, benchmark, backend_name, backend, settled}, points, point, settings);
    }
    resolve_references(one, plan_.cases, rows_);
    add_subject(one, benchmark, points);
  }

  void add_subject(const suite::Case& one, const catalog::Benchmark& benchmark, const Points& points) {
    Subject subject{&one, &benchmark, {}};
    for (const MatrixAxis& axis : points.axes()) subject.axes.push_back(axis.name);
    if (devices_told_apart_) subject.axes.emplace_back("device");
    devices_told_apart_ = false;
    subjects_.push_back(std::move(subject));
  }

  // ---- One point of its matrix
  // ------------------------------------------------------------------------------------

  struct Context {
    std::size_t index;
    const suite::Case& one;
    const catalog::Manifest& manifest;
    const catalog::Benchmark& benchmark;
    const std::string& backend_name;
    const system::Backend* backend;
    const std::optional<Settled>& settled;
  };

  void plan_point(const Context& context, const Points& points, const Point& point,
                  const Settings& settings) {
    const PlacementRequest request{settings.devices, settings.ranks, settings.together,
                                   settings.placement_position};
    Layouts layouts =
        lay_out(request, context.benchmark, context.backend_name, context.backend, diagnostics_);
    devices_told_apart_ = devices_told_apart_ || layouts.tells_devices_apart;
    std::optional<Settled> settled = context.settled;
    if (!layouts.unmet.empty() && !settled) {
      settled = Settled{result::Outcome::not_run, "requires.unmet", layouts.unmet};
    } else if (!layouts.skipped.empty() && !settled) {
      settled = Settled{result::Outcome::skipped, "case.skipped", layouts.skipped};
    }
    if (!settled) settled = unsupported_condition(context, settings.conditions);
    for (const Layout& layout : layouts.list) {
      ++planned_;
      if (planned_ == kMaximumCases + 1) {
        diagnostics_.error(
            "suite.limit", context.one.id.position,
            "the suite has more than " + std::to_string(kMaximumCases) + " cases on this machine",
            "shorten an axis, or split the suite");
      }
      if (planned_ > kMaximumCases) return;
      add_case(context, points, point, settings, layout, settled);
    }
  }

  static std::optional<Settled> unsupported_condition(const Context& context, const Conditions& conditions) {
    for (const auto& [name, value] : chosen_conditions(conditions)) {
      if (context.benchmark.honours(name, value)) continue;
      return Settled{
          result::Outcome::skipped, "condition.unsupported",
          context.benchmark.name + "@" + context.backend_name + " cannot measure " + name + ": " + value};
    }
    return std::nullopt;
  }

  void add_case(const Context& context, const Points& points, const Point& point, const Settings& settings,
                const Layout& layout, const std::optional<Settled>& settled) {
    Case planned;
    std::string inside;
    planned.axes.reserve(point.size() + 1);
    for (std::size_t i = 0; i < point.size(); ++i) {
      const std::string& name = points.axes()[i].name;
      inside += (inside.empty() ? "" : ",") + name + "=" + point[i]->text;
      planned.axes.push_back({name, point[i]->text, point[i]->value});
    }
    const auto bracketed = [&](const std::string& text) {
      return text.empty() ? context.one.id.value : context.one.id.value + "[" + text + "]";
    };
    planned.comparison_key = bracketed(inside);
    if (!layout.device.empty()) {
      inside += (inside.empty() ? "" : ",") + ("device=" + layout.device);
      planned.axes.push_back({"device", layout.device, layout.device});
    }
    planned.id = bracketed(inside);
    if (!passes_filters(planned.id)) {
      plan_.left_out.push_back(
          {context.index, std::move(planned.axes), matching_expectations(context.one, point, layout.device)});
      return;
    }
    planned.suite_case = context.index;
    planned.manifest = &context.manifest;
    planned.benchmark = &context.benchmark;
    if (context.backend_name != context.manifest.backend) planned.backend = context.backend_name;
    planned.parameters = settings.parameters;
    if (suite::is_external(context.one))
      planned.external = external_definition(context.one, settings.parameters, layout);
    planned.environment = settings.environment;
    planned.conditions = settings.conditions;
    planned.measure = settings.measure;
    planned.timeout_s = settings.timeout_s;
    planned.rounds = settings.rounds;
    planned.has_reference_key = !context.one.reference.empty();
    planned.position = context.one.position;
    planned.parameter_positions = settings.parameter_positions;
    std::optional<Settled> reason = settled;
    place(context, settings, layout, planned, reason);
    planned.expectations = matching_expectations(context.one, point, layout.device);
    planned.worker_key = worker_key(planned);
    if (reason) {
      planned.settled = reason->outcome;
      planned.settled_reason.code = reason->code;
      planned.settled_reason.text = reason->text;
      if (reason->outcome == result::Outcome::not_run && !suite_is_unmet_) {
        add_unmet("'" + context.one.id.value + "' cannot run: " + reason->text, settings.placement_position);
      }
    }
    rows_.push_back({plan_.cases.size(), point, layout.device});
    plan_.cases.push_back(std::move(planned));
  }

  [[nodiscard]] bool passes_filters(const std::string& id) const {
    if (options_.only && !options_.only->contains(id)) return false;
    return filters_.empty() || std::any_of(filters_.begin(), filters_.end(), [&](const std::regex& filter) {
             return std::regex_search(id, filter);
           });
  }

  void place(const Context& context, const Settings& settings, const Layout& layout, Case& planned,
             std::optional<Settled>& reason) const {
    planned.placement.bind = to_text(settings.bind);
    planned.placement.load = settings.together ? "together" : "alone";
    for (const auto& devices : layout.ranks) {
      RankPlacement rank;
      rank.devices = devices;
      if (context.backend != nullptr && inventory_ != nullptr) {
        const std::string name = devices.empty() ? "" : devices.front();
        const system::Device* device = inventory_->find_device(name);
        const system::Topology* topology = inventory_->topology ? &*inventory_->topology : nullptr;
        system::Binding binding = system::resolve_binding(request_of(settings.bind), topology, name,
                                                          device == nullptr ? -1 : device->numa_node);
        rank.cpus = std::move(binding.cpus);
        rank.memory_nodes = std::move(binding.memory_nodes);
        if (!binding.problem.empty() && !reason) {
          reason = Settled{result::Outcome::skipped, "case.skipped",
                           "bind: " + planned.placement.bind + " is not possible: " + binding.problem};
        }
      }
      planned.placement.ranks.push_back(std::move(rank));
    }
  }

  static std::vector<std::size_t> matching_expectations(const suite::Case& one, const Point& point,
                                                        const std::string& device) {
    std::vector<std::size_t> matching;
    for (std::size_t i = 0; i < one.expect.size(); ++i) {
      const auto& where = one.expect[i].where;
      const bool all = std::all_of(where.begin(), where.end(), [&](const auto& term) {
        return std::any_of(term.second.begin(), term.second.end(), [&](const suite::Scalar& value) {
          return row_has(point, device, term.first.value, value);
        });
      });
      if (all) matching.push_back(i);
    }
    return matching;
  }

  // Cases with one key can share workers: all that is fixed before a worker starts.
  static std::string worker_key(const Case& planned) {
    std::string key = planned.manifest->id + "|ranks=" + std::to_string(planned.placement.ranks.size());
    for (const auto& [name, value] : planned.environment)
      key += "|" + name + (value ? "=" + *value : " removed");
    key += "|" + planned.placement.bind;
    std::string last;
    for (const RankPlacement& rank : planned.placement.ranks) {
      std::string part = "|" + std::to_string(rank.node) + ":" + system::to_cpu_list(rank.cpus) + ":" +
                         system::to_cpu_list(rank.memory_nodes);
      if (part != last) key += part;
      last = std::move(part);
    }
    return key;
  }

  const suite::Suite& suite_;
  const catalog::Catalog& catalog_;
  const system::Inventory* inventory_;
  const Options& options_;
  std::vector<std::regex> filters_;
  Diagnostics& diagnostics_;
  Plan plan_;
  std::map<std::string, std::vector<std::string>> looked_up_;  // missing libraries by plugin
  std::set<const suite::At<std::string>*> reported_;           // misspelt backends
  std::vector<Subject> subjects_;
  std::vector<Row> rows_;            // of the case at hand
  bool suite_is_unmet_ = false;      // says enough; its cases need not say it again
  bool some_are_absent_ = false;     // no plugin is for their backend
  bool devices_told_apart_ = false;  // by the rows of the case at hand
  std::size_t planned_ = 0;          // filtered ones included
};

}  // namespace

Plan make_plan(const suite::Suite& suite, const catalog::Catalog& catalog, const system::Inventory* inventory,
               const Options& options, Diagnostics& diagnostics) {
  return Planner(suite, catalog, inventory, options, diagnostics).run();
}

}  // namespace assay::plan
