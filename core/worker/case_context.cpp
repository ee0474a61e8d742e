// SPDX-License-Identifier: Apache-2.0
#include "worker/case_context.hpp"

#include "base/error.hpp"
#include "model/measure_keys.hpp"
#include "text/clock.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"
#include "worker/control.hpp"
#include "worker/plugin_text.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace assay::worker {
namespace {

// The C interface numbers the words of a condition in the order of the table.
static_assert(model::kCaches[ASSAY_CACHE_HOT] == "hot" && model::kCaches[ASSAY_CACHE_COLD] == "cold" &&
              model::kCaches[ASSAY_CACHE_ROTATING] == "rotating");
static_assert(model::kLaunches[ASSAY_LAUNCH_STREAM] == "stream" &&
              model::kLaunches[ASSAY_LAUNCH_GATED] == "gated" &&
              model::kLaunches[ASSAY_LAUNCH_GRAPH] == "graph");
static_assert(model::kData[ASSAY_DATA_NORMAL] == "normal" && model::kData[ASSAY_DATA_UNIFORM] == "uniform" &&
              model::kData[ASSAY_DATA_INTEGER] == "integer" && model::kData[ASSAY_DATA_ZEROS] == "zeros" &&
              model::kData[ASSAY_DATA_ONES] == "ones");
static_assert(model::kThermals[ASSAY_THERMAL_BURST] == "burst" &&
              model::kThermals[ASSAY_THERMAL_SUSTAINED] == "sustained");

std::int32_t condition(std::string_view name, const model::MeasureOptions& options) {
  const model::MeasureKey& key = *model::find_measure_key(name);
  const std::string word = model::value_of(options, key);
  const auto found = std::find(key.words.begin(), key.words.end(), word);
  if (found != key.words.end()) return static_cast<std::int32_t>(found - key.words.begin());
  throw Error("wire.malformed", "the condition '" + std::string(name) + "' cannot be '" + printable(word) +
                                    "'; controller and worker must be the same build");
}

}  // namespace

// No callback throws, because an exception must not enter the plugin. Inside, only a lack of memory throws.
struct CaseContext::Callbacks {
  static CaseContext& context(const assay_case* c) { return *static_cast<CaseContext*>(c->host); }

  template <class Body>
  static void guarded(const assay_case* c, Body&& body) noexcept {
    try {
      body(context(c));
    } catch (...) {
      context(c).recorder_.violated_without_memory();
    }
  }

  static const Json* parameter(const assay_case* c, const char* name) {
    if (name == nullptr) return nullptr;
    const Json& parameters = context(c).start_.parameters;
    const auto found = parameters.find(name);
    return found == parameters.end() ? nullptr : &*found;
  }

  static void log(const assay_case* c, assay_log_level level, const char* text) {
    guarded(c, [&](CaseContext& self) { self.messages_.log(level, text); });
  }
  static void fail(const assay_case* c, const char* domain, std::int64_t code, const char* text) {
    guarded(c, [&](CaseContext& self) { self.messages_.fail(domain, code, text); });
  }
  static void fail_parameter(const assay_case* c, const char* name, const char* text) {
    guarded(c, [&](CaseContext& self) { self.messages_.fail_parameter(name, text); });
  }

  static assay_status get_integer(const assay_case* c, const char* name, std::int64_t* out) {
    const Json* found = parameter(c, name);
    if (found == nullptr || out == nullptr) return ASSAY_E_INVALID;
    const auto number = integer<std::int64_t>(*found);
    if (!number) return ASSAY_E_INVALID;
    *out = *number;
    return ASSAY_OK;
  }
  static assay_status get_number(const assay_case* c, const char* name, double* out) {
    const Json* found = parameter(c, name);
    if (found == nullptr || out == nullptr || !found->is_number()) return ASSAY_E_INVALID;
    *out = found->get<double>();
    return ASSAY_OK;
  }
  static assay_status get_boolean(const assay_case* c, const char* name, std::int32_t* out) {
    const Json* found = parameter(c, name);
    if (found == nullptr || out == nullptr || !found->is_boolean()) return ASSAY_E_INVALID;
    *out = found->get<bool>() ? 1 : 0;
    return ASSAY_OK;
  }
  static assay_status get_text(const assay_case* c, const char* name, const char** out) {
    const Json* found = parameter(c, name);
    if (found == nullptr || out == nullptr || !found->is_string()) return ASSAY_E_INVALID;
    *out = found->get_ref<const std::string&>().c_str();
    return ASSAY_OK;
  }

  static std::int32_t cancelled(const assay_case* c) { return context(c).interrupted() ? 1 : 0; }
  static std::int64_t now_ns(const assay_case*) { return monotonic_ns(); }
  static std::int64_t deadline_ns(const assay_case* c) { return context(c).deadline_ns_; }

  static void work(const assay_case* c, const char* metric, double per_iteration) {
    guarded(c, [&](CaseContext& self) { self.recorder_.work(metric, per_iteration); });
  }
  static void value(const assay_case* c, const char* metric, std::uint32_t dimensions,
                    const std::uint32_t* indices, double value) {
    guarded(c, [&](CaseContext& self) { self.recorder_.value(metric, dimensions, indices, value); });
  }
  static void fact(const assay_case* c, const char* name, const char* text) {
    guarded(c, [&](CaseContext& self) { self.recorder_.fact(name, text); });
  }
  static void check(const assay_case* c, const char* name, const char* subject, std::int32_t passed,
                    const char* text) {
    guarded(c, [&](CaseContext& self) { self.recorder_.check(name, subject, passed != 0, text); });
  }

  static const void* query(const assay_case* c, const char* id) {
    if (id == nullptr) return nullptr;
    const CaseContext& self = context(c);
    if (std::string_view(id) == ASSAY_SERVICE_GROUP && self.group_) return self.group_->abi();
    if (std::string_view(id) == ASSAY_SERVICE_SPAN) return &self.span_;
    if (std::string_view(id) == ASSAY_SERVICE_MEMORY) return &self.memory_service_;
    if (std::string_view(id) == ASSAY_DRAFT_PROGRESS) return &self.progress_draft_;
    guarded(c, [&](CaseContext& context) { context.log_use_of_draft(id); });
    return nullptr;
  }

  static void span(const assay_case* c, const assay_span* span) {
    if (span != nullptr) guarded(c, [&](CaseContext& self) { self.recorder_.span(*span); });
  }
  static void match(const assay_case* c, std::uint32_t clock, std::int64_t clock_ns, std::int64_t host_ns) {
    guarded(c, [&](CaseContext& self) { self.recorder_.match(clock, clock_ns, host_ns); });
  }

  static void progress(const assay_case* c, double share, const char* text) {
    guarded(c, [&](CaseContext& self) { self.progress_.report(share, text); });
  }
  static void lost(const assay_case* c, const char* device, const char* text) {
    guarded(c, [&](CaseContext& self) { self.mark_lost(device, text); });
  }

  static void* allocate(const assay_case* c, std::size_t bytes, std::size_t alignment) {
    void* memory = nullptr;
    guarded(c, [&](CaseContext& self) { memory = self.memory_.allocate(bytes, alignment); });
    return memory;
  }
  static void free(const assay_case* c, void* memory) {
    guarded(c, [&](CaseContext& self) {
      if (self.memory_.free(memory)) return;
      self.recorder_.violate("plugin.protocol",
                             "the plugin freed memory that it had not allocated, or freed it twice");
    });
  }
};

CaseContext::CaseContext(const wire::StartVisit& start, std::int64_t deadline_ns, const RankPosition& place,
                         const Interruption& interruption, Messages::Listener listener)
    : start_(start),
      deadline_ns_(deadline_ns),
      place_(place),
      interruption_(interruption),
      recorder_(start.metrics, start.by_sample, start.facts, start.checks),
      messages_(std::move(listener)),
      progress_(messages_) {
  conditions_.size = sizeof conditions_;
  conditions_.cache = condition("cache", start.measure);
  conditions_.launch = condition("launch", start.measure);
  conditions_.data = condition("data", start.measure);
  conditions_.thermal = condition("thermal", start.measure);
  conditions_.seed = start.measure.seed;

  for (const wire::VisitDevice& device : start.devices) {
    devices_.push_back({sizeof(assay_device), device.ordinal, device.name.c_str(), device.uuid.c_str(),
                        device.numa_node, 0});
  }
  for (const assay_device& device : devices_) device_pointers_.push_back(&device);

  if (!place.alone()) group_.emplace(start, place);
  span_ = {sizeof span_, 0, Callbacks::span, Callbacks::match};
  progress_draft_ = {sizeof progress_draft_, 0, Callbacks::progress};
  memory_service_ = {sizeof memory_service_, 0, Callbacks::allocate, Callbacks::free};

  case_.size = sizeof case_;
  case_.device_count = static_cast<std::uint32_t>(devices_.size());
  case_.conditions = &conditions_;
  case_.devices = device_pointers_.data();
  case_.host = this;
  case_.log = Callbacks::log;
  case_.fail = Callbacks::fail;
  case_.fail_parameter = Callbacks::fail_parameter;
  case_.get_integer = Callbacks::get_integer;
  case_.get_number = Callbacks::get_number;
  case_.get_boolean = Callbacks::get_boolean;
  case_.get_text = Callbacks::get_text;
  case_.cancelled = Callbacks::cancelled;
  case_.now_ns = Callbacks::now_ns;
  case_.deadline_ns = Callbacks::deadline_ns;
  case_.work = Callbacks::work;
  case_.value = Callbacks::value;
  case_.fact = Callbacks::fact;
  case_.check = Callbacks::check;
  case_.query = Callbacks::query;
  case_.lost = Callbacks::lost;
}

void CaseContext::mark_lost(const char* device, const char* text) {
  const std::string name = plugin_text(device);
  const auto is_it = [&](const wire::VisitDevice& each) { return each.name == name; };
  if (std::none_of(start_.devices.begin(), start_.devices.end(), is_it)) {
    recorder_.violate("plugin.protocol", "the plugin reported the device '" + name +
                                             "' as lost, which is not a device of its rank; it must pass "
                                             "assay_device.name");
    messages_.log(ASSAY_LOG_ERROR, ("lost: '" + name + "' is not a device of this rank").c_str());
    return messages_.fail_unless_failed(text);
  }
  messages_.fail_unless_failed(text);
  const std::lock_guard lock(mutex_);
  add_once(lost_, name);
  has_lost_.store(true, std::memory_order_relaxed);
}

std::vector<std::string> CaseContext::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

void CaseContext::log_use_of_draft(const char* id) {
  const std::string why = unserved_draft(id);
  if (why.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    if (!told_.insert(id).second) return;
  }
  messages_.log(ASSAY_LOG_WARNING, why.c_str());
}

}  // namespace assay::worker
