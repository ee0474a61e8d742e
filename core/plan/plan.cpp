// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.hpp"

#include "model/measure_keys.hpp"
#include "plan/acceptance.hpp"
#include "plan/backend_choice.hpp"
#include "plan/case_settings.hpp"
#include "plan/expression_check.hpp"
#include "plan/external.hpp"
#include "plan/filter.hpp"
#include "plan/machine_needs.hpp"
#include "plan/order.hpp"
#include "plan/placement.hpp"
#include "plan/plan_hash.hpp"
#include "plan/points.hpp"
#include "plan/rank_placement.hpp"
#include "plan/reference.hpp"
#include "plan/requirements.hpp"
#include "plan/variants.hpp"
#include "suite/external.hpp"
#include "suite/undecidable.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>

namespace assay::plan {
namespace {

// More than a result can hold, and they would take longer to read than to measure.
constexpr std::size_t kMaximumCases = 20000;
// Of all ranks of a visit: three times each, of up to 25 characters, fill the longest line that a journal may
// have. More would be measured, and left out when the journal is read.
constexpr std::uint64_t kMostSamples = 3500000;
constexpr const char* kAnyDevice = "*";

class Planner {
 public:
  Planner(const suite::Suite& suite, const catalog::Catalog& catalog, const system::Inventory* inventory,
          const PlanOptions& options, Diagnostics& diagnostics)
      : suite_(suite),
        catalog_(catalog),
        inventory_(inventory),
        options_(options),
        filter_(options),
        backends_(suite, catalog, inventory),
        needs_(catalog, inventory, options, diagnostics),
        diagnostics_(diagnostics) {}

  Plan run() {
    plan_.seed = options_.seed;
    if (inventory_ != nullptr) {
      for (std::string& text : needs_.lacking(suite_.requires_))
        add_unmet(std::move(text), suite_.requires_.position);
      suite_is_unmet_ = !plan_.unmet.empty();
    }
    for (std::size_t i = 0; i < suite_.cases.size(); ++i) plan_case(i);
    if (!diagnostics_.has_errors()) filter_.require_matches();
    if (inventory_ != nullptr) check_acceptance();
    check_expressions(suite_, subjects_, some_are_absent_, !options_.rounds_follow && options_.rounds.empty(),
                      diagnostics_);
    plan_.missing_libraries = needs_.missing_libraries();
    for (const PlannedCase& planned : plan_.cases) plan_.rounds = std::max(plan_.rounds, planned.rounds);
    plan_.order = visit_order(plan_.cases, plan_.rounds, plan_.seed);
    plan_.hash = plan_hash(plan_);
    return std::move(plan_);
  }

 private:
  void add_unmet(Unmet unmet) {
    const auto same = [&](const Unmet& other) { return other.text == unmet.text; };
    if (std::none_of(plan_.unmet.begin(), plan_.unmet.end(), same)) plan_.unmet.push_back(std::move(unmet));
  }
  void add_unmet(std::string text, const Position& position) { add_unmet(Unmet{std::move(text), position}); }

  void check_acceptance() {
    const std::vector<std::string> backends = backends_in_use(suite_, plan_);
    if (suite_.policy.complete.value) plan_.complete = backends;
    for (Unmet& each : missing_devices(suite_, backends, *inventory_)) add_unmet(std::move(each));
    for (Unmet& each : unstated_devices(suite_, backends, *inventory_, options_.site.get()))
      add_unmet(std::move(each));
    if (options_.site == nullptr) return;
    for (Unmet& each : differences(*options_.site, *inventory_, options_.host)) add_unmet(std::move(each));
  }

  // ---- One case of the suite

  void plan_case(std::size_t index) {
    const suite::SuiteCase& one = suite_.cases[index];
    if (one.uses.value.empty()) return;  // the parser has said so
    catalog::Reference reference = catalog::parse_reference(one.uses.value);
    std::vector<std::string> backends = backends_.preferred(one, reference);
    if (const std::string absent = backends_.absent(reference, backends); !absent.empty()) {
      add_unmet("'" + one.id.value + "' cannot run: no plugin here is for the backend '" + printable(absent) +
                    "'; install one, or name its folder with --plugin-dir",
                one.uses.position);
      some_are_absent_ = true;
      return;
    }
    if (backends_.report_misspelt(one, reference, diagnostics_)) return;
    std::string backend_name;
    if (suite::runs_command(one)) {
      // A command runs on the devices of any backend, and its plugin on the host.
      backend_name =
          external_backend(reference, backends, catalog_, inventory_, one.uses.position, diagnostics_);
      if (backend_name.empty()) return;
      reference.backend.clear();
      backends = {catalog::kHostBackend};
    }
    if (reference.plugin.empty()) reference.plugin = plugin_of_variants(one, catalog_);
    const auto provider = catalog_.find(reference, backends, one.uses.position, diagnostics_);
    if (!provider) return;
    const catalog::Manifest& manifest = *provider->manifest;
    if (backend_name.empty()) {
      backend_name = manifest.backend;
    } else {
      plan_.made.push_back(
          std::make_shared<const catalog::Benchmark>(external_benchmark(one, *provider->benchmark)));
    }
    const catalog::Benchmark& benchmark =
        suite::runs_command(one) ? *plan_.made.back() : *provider->benchmark;

    std::optional<Predetermined> predetermined =
        needs_.reason_against(one, backend_name, backends_.host_hint(reference, backends));
    const system::Backend* backend = inventory_ == nullptr ? nullptr : inventory_->find(backend_name);
    if (predetermined && predetermined->outcome == result::Outcome::not_run &&
        !is_available(*inventory_, backend_name))
      backend = nullptr;
    if (!predetermined) predetermined = needs_.without_libraries(manifest);

    Points points(one, benchmark, diagnostics_);
    const CaseSettings base = base_settings(suite_, one, benchmark, points, options_.quick, diagnostics_);
    const std::size_t room = kMaximumCases - std::min(kMaximumCases, planned_);
    rows_.clear();
    points_matched_.assign(one.expect.size(), false);
    rows_matched_.assign(one.expect.size(), false);
    std::map<std::string, std::optional<catalog::Provider>> named;  // by variants
    for (Point& point : points.expand(room)) {
      CaseSettings settings = base;
      apply_point(point, settings);
      catalog::Provider of_point{&manifest, &benchmark};
      std::optional<Predetermined> predetermined_here = predetermined;
      if (const auto& plugin = settings.plugin; !plugin.value.empty()) {
        const auto [known, is_new] = named.try_emplace(plugin.value);
        if (is_new) known->second = provider_of_variant(plugin, one, of_point, catalog_, diagnostics_);
        if (!known->second) continue;
        of_point = *known->second;
        if (!predetermined_here) predetermined_here = needs_.without_libraries(*of_point.manifest);
      }
      plan_point(
          {index, one, *of_point.manifest, *of_point.benchmark, backend_name, backend, predetermined_here},
          points, point, settings);
    }
    check_where(index, predetermined.has_value());
    resolve_references(one, plan_.cases, rows_);
    add_subject(one, benchmark, catalog_.backend(backend_name), points);
  }

  void add_subject(const suite::SuiteCase& one, const catalog::Benchmark& benchmark,
                   const catalog::Manifest* backend, const Points& points) {
    ResolvedCase subject{&one, &benchmark, backend, {}};
    for (const MatrixAxis& axis : points.axes()) subject.axes.push_back(axis.name);
    if (devices_told_apart_) subject.axes.emplace_back("device");
    devices_told_apart_ = false;
    subjects_.push_back(std::move(subject));
  }

  // ---- One point of its matrix
  // ------------------------------------------------------------------------------------

  struct PointContext {
    std::size_t index;
    const suite::SuiteCase& one;
    const catalog::Manifest& manifest;
    const catalog::Benchmark& benchmark;
    const std::string& backend_name;
    const system::Backend* backend;
    const std::optional<Predetermined>& predetermined;
  };

  void plan_point(const PointContext& context, const Points& points, const Point& point,
                  const CaseSettings& settings) {
    for (const std::size_t i : matching_expectations(context.one, point, kAnyDevice))
      points_matched_[i] = true;
    const PlacementRequest request{settings.devices, settings.ranks, settings.together,
                                   settings.placement_position};
    Layouts layouts =
        lay_out(request, context.benchmark, context.backend_name, context.backend, diagnostics_);
    devices_told_apart_ = devices_told_apart_ || layouts.tells_devices_apart;
    std::optional<Predetermined> predetermined = context.predetermined;
    if (!layouts.unmet.empty() && !predetermined) {
      predetermined = Predetermined{result::Outcome::not_run, "requires.unmet", layouts.unmet};
    } else if (!layouts.skipped.empty() && !predetermined) {
      predetermined = Predetermined{result::Outcome::skipped, "case.skipped", layouts.skipped};
    }
    if (!predetermined) predetermined = unsupported_condition(context, settings.measure);
    for (const Layout& layout : layouts.list) {
      ++planned_;
      if (planned_ == kMaximumCases + 1) {
        diagnostics_.error(
            "suite.limit", context.one.id.position,
            "the suite has more than " + std::to_string(kMaximumCases) + " cases on this machine",
            "shorten an axis, or split the suite");
      }
      if (planned_ > kMaximumCases) return;
      add_case(context, points, point, settings, layout, predetermined);
    }
  }

  static std::optional<Predetermined> unsupported_condition(const PointContext& context,
                                                            const model::MeasureOptions& measure) {
    for (const auto& [name, value] : model::conditions_of(measure)) {
      if (context.benchmark.supports(name, value)) continue;
      return Predetermined{
          result::Outcome::skipped, "condition.unsupported",
          context.benchmark.name + "@" + context.backend_name + " cannot measure " + name + ": " + value};
    }
    return std::nullopt;
  }

  void add_case(const PointContext& context, const Points& points, const Point& point,
                const CaseSettings& settings, const Layout& layout,
                const std::optional<Predetermined>& predetermined) {
    PlannedCase planned;
    std::string inside, inside_key;
    planned.axes.reserve(point.size() + 1);
    for (std::size_t i = 0; i < point.size(); ++i) {
      const std::string& name = points.axes()[i].name;
      const std::string key = name + "=" + point[i]->one_text;
      // Of two ways to write a value of one axis the first stands for both, so that rows of several cases meet.
      const std::string& text = texts_.emplace(key, point[i]->text).first->second;
      inside += (inside.empty() ? "" : ",") + name + "=" + text;
      inside_key += (inside_key.empty() ? "" : ",") + key;
      planned.axes.push_back({name, text, point[i]->value});
    }
    const auto bracketed = [&](const std::string& text) {
      return text.empty() ? context.one.id.value : context.one.id.value + "[" + text + "]";
    };
    planned.comparison_key = bracketed(inside_key);
    if (!layout.device.empty()) {
      inside += (inside.empty() ? "" : ",") + ("device=" + layout.device);
      planned.axes.push_back({"device", layout.device, layout.device});
    }
    planned.id = bracketed(inside);
    // Which device a row that cannot be placed here would have is not known.
    const std::string device = predetermined && layout.device.empty() ? kAnyDevice : layout.device;
    for (const std::size_t i : matching_expectations(context.one, point, device)) rows_matched_[i] = true;
    planned.parameters = settings.parameters;
    if (!filter_.passes(planned)) {
      plan_.left_out.push_back(
          {context.index, std::move(planned.axes), matching_expectations(context.one, point, layout.device)});
      return;
    }
    planned.suite_case = context.index;
    planned.manifest = &context.manifest;
    planned.benchmark = &context.benchmark;
    planned.device_backend = catalog_.backend(context.backend_name);
    if (context.backend_name != context.manifest.backend) planned.backend = context.backend_name;
    if (suite::runs_command(context.one))
      planned.external = external_definition(context.one, settings.parameters, layout);
    planned.environment = settings.environment;
    planned.measure = settings.measure;
    planned.timeout_s = settings.timeout_s;
    planned.rounds = settings.rounds;
    if (const auto chosen = options_.rounds.find(planned.id); chosen != options_.rounds.end())
      planned.rounds = chosen->second;
    if (const auto looks = options_.looks.find(planned.id); looks != options_.looks.end())
      planned.looks = looks->second;
    planned.has_reference_key = !context.one.reference.empty();
    planned.position = context.one.position;
    planned.parameter_positions = settings.parameter_positions;
    planned.written = settings.written;
    std::optional<Predetermined> reason = predetermined;
    std::string unbound;
    planned.placement = place(settings, layout, inventory_, context.backend != nullptr, unbound);
    if (!unbound.empty() && !reason)
      reason = Predetermined{result::Outcome::skipped, "case.skipped", std::move(unbound)};
    if (!reason) check_samples(context.one, planned);
    planned.expectations = matching_expectations(context.one, point, layout.device);
    planned.worker_key = worker_key(planned);
    if (reason) {
      planned.predetermined = reason->outcome;
      planned.predetermined_reason.code = reason->code;
      planned.predetermined_reason.text = reason->text;
      if (reason->outcome == result::Outcome::not_run && !suite_is_unmet_) {
        add_unmet("'" + context.one.id.value + "' cannot run: " + reason->text, settings.placement_position);
      }
    }
    rows_.push_back({plan_.cases.size(), point, layout.device});
    plan_.cases.push_back(std::move(planned));
  }

  void check_samples(const suite::SuiteCase& one, const PlannedCase& planned) {
    const std::uint64_t ranks = std::max<std::uint64_t>(1, planned.placement.ranks.size());
    if (planned.measure.samples <= kMostSamples / ranks) return;
    const Position* stated = one.measure.where(&model::MeasureOptions::samples);
    diagnostics_.error(
        "suite.limit", stated ? *stated : one.id.position,
        "'" + planned.id + "' would take " + std::to_string(planned.measure.samples) + " samples on " +
            count_of(ranks, "rank") + ", and the record of a visit holds " + std::to_string(kMostSamples),
        "take fewer samples, or more iterations in each; with several 'processes' each has a record of its own");
  }

  // What can be known without a machine is an error; a device that is not here is a gap in the verdict.
  void check_where(std::size_t index, bool is_predetermined) {
    const suite::SuiteCase& one = suite_.cases[index];
    if (one.matrix.broken || is_refused()) return;
    for (std::size_t i = 0; i < one.expect.size(); ++i) {
      if (!points_matched_[i]) {
        const auto& [name, values] = one.expect[i].where.front();
        diagnostics_.error(suite::kNoSuchRow, name.position,
                           "no row of '" + one.id.value + "' is left that this 'where' names",
                           "'exclude' takes them out; leave the expectation out, too");
        plan_.unmatched.push_back({index, i});
      } else if (!rows_matched_[i] && inventory_ != nullptr && !is_predetermined && one_row_is_planned()) {
        plan_.unmatched.push_back({index, i});
      }
    }
  }

  // For more than what cannot be decided.
  [[nodiscard]] bool is_refused() const {
    const std::vector<Diagnostic> all = diagnostics_.sorted();
    return std::any_of(all.begin(), all.end(), [](const Diagnostic& each) {
      return each.severity == Severity::error && !suite::only_prevents_deciding(each.code);
    });
  }

  // A case of which no row can be run here says so itself.
  [[nodiscard]] bool one_row_is_planned() const {
    // What --failed leaves out is not settled by that.
    if (rows_.empty()) return options_.only.has_value();
    return std::any_of(rows_.begin(), rows_.end(), [&](const MatrixRow& row) {
      return !plan_.cases[row.case_index].predetermined.has_value();
    });
  }

  static std::vector<std::size_t> matching_expectations(const suite::SuiteCase& one, const Point& point,
                                                        const std::string& device) {
    std::vector<std::size_t> matching;
    for (std::size_t i = 0; i < one.expect.size(); ++i) {
      const auto& where = one.expect[i].where;
      const bool all = std::all_of(where.begin(), where.end(), [&](const auto& term) {
        return std::any_of(term.second.begin(), term.second.end(), [&](const suite::Scalar& value) {
          if (term.first.value == "device" && device == kAnyDevice) return true;
          return row_has(point, device, term.first.value, value);
        });
      });
      if (all) matching.push_back(i);
    }
    return matching;
  }

  const suite::Suite& suite_;
  const catalog::Catalog& catalog_;
  const system::Inventory* inventory_;
  const PlanOptions& options_;
  Filter filter_;
  BackendChoice backends_;
  MachineNeeds needs_;
  Diagnostics& diagnostics_;
  Plan plan_;
  std::vector<ResolvedCase> subjects_;
  std::map<std::string, std::string> texts_;         // of values of axes, by "name=one text"
  std::vector<MatrixRow> rows_;                      // of the case at hand
  std::vector<bool> points_matched_, rows_matched_;  // its expectations, whatever the device or with it
  bool suite_is_unmet_ = false;                      // says enough; its cases need not say it again
  bool some_are_absent_ = false;                     // no plugin is for their backend
  bool devices_told_apart_ = false;                  // by the rows of the case at hand
  std::size_t planned_ = 0;                          // filtered ones included
};

}  // namespace

Plan make_plan(const suite::Suite& suite, const catalog::Catalog& catalog, const system::Inventory* inventory,
               const PlanOptions& options, Diagnostics& diagnostics) {
  return Planner(suite, catalog, inventory, options, diagnostics).run();
}

}  // namespace assay::plan
