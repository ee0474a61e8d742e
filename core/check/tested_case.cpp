// SPDX-License-Identifier: Apache-2.0
#include "check/tested_case.hpp"

#include "worker/plugin_text.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::check {
namespace {

// What takes any number of devices is checked with two, if there are two: with one it may have nothing to do.
std::size_t devices_for(const catalog::Benchmark& benchmark, bool alone, std::size_t here) {
  const auto minimum = static_cast<std::size_t>(benchmark.devices.minimum);
  const auto maximum = static_cast<std::size_t>(benchmark.devices.maximum);
  if (maximum != 0) return std::clamp(std::size_t{1}, minimum, maximum);
  return alone ? std::max(minimum, std::min(here, std::size_t{2})) : minimum;
}

}  // namespace

wire::StartVisit start_of(const CheckedBenchmark& checked, Json parameters) {
  const Subject& subject = checked.subject;
  const catalog::Benchmark& benchmark = checked.benchmark;
  wire::StartVisit start;
  start.number = 1;
  start.case_id = benchmark.name;
  start.benchmark = benchmark.name;
  start.parameters = std::move(parameters);
  bool leads = false;
  for (const catalog::MetricDeclaration& metric : benchmark.metrics) {
    start.metrics.push_back(metric.name);
    if (metric.by_sample()) start.by_sample.push_back(metric.name);
    if (!metric.headline || leads || metric.kind == catalog::MetricKind::value ||
        metric.kind == catalog::MetricKind::part)
      continue;
    leads = true;
    if (metric.kind == catalog::MetricKind::rate) start.headline = "rate";
  }
  for (const catalog::Fact& fact : benchmark.facts) start.facts.push_back(fact.name);
  start.checks = benchmark.checks;
  const auto& devices = subject.devices().list;
  const worker::RankPosition& place = subject.rank().place();
  const std::size_t wanted = devices_for(benchmark, place.alone(), devices.size());
  // Ranks share them out; those of the host are everybody's, so all have the first ones.
  const auto devices_of = [&](int rank) {
    const std::size_t first = static_cast<std::size_t>(rank) * wanted;
    const auto from =
        devices.begin() + static_cast<std::ptrdiff_t>(first + wanted <= devices.size() ? first : 0);
    return std::vector(from, from + static_cast<std::ptrdiff_t>(std::min(wanted, devices.size())));
  };
  start.devices = devices_of(subject.rank().number());
  for (int rank = 0; !place.alone() && rank < place.rank_count; ++rank)
    start.ranks.push_back({rank, place.node, devices_of(rank)});
  start.measure.precision = 0.05;
  start.measure.samples = 5;
  start.measure.warmup = 1;
  start.measure.max_time_s = 2;
  return start;
}

std::string Answer::text() const {
  if (threw) return "an exception left it" + (reason.empty() ? "" : ": " + reason);
  return "status " + std::to_string(status) + (reason.empty() ? ", without a reason" : ": " + reason);
}

// What the plugin calls instead of the context's own functions; all of them end up there.
struct TestedCase::Hooks {
  static TestedCase& tested(const assay_case* c) { return *reinterpret_cast<const HookedCase*>(c)->tested; }
  static const assay_case* inner(const assay_case* c) { return tested(c).context_.abi(); }

  static assay_status get_integer(const assay_case* c, const char* name, std::int64_t* out) {
    return tested(c).refuse.parameters ? ASSAY_E_INVALID : inner(c)->get_integer(inner(c), name, out);
  }
  static assay_status get_number(const assay_case* c, const char* name, double* out) {
    return tested(c).refuse.parameters ? ASSAY_E_INVALID : inner(c)->get_number(inner(c), name, out);
  }
  static assay_status get_boolean(const assay_case* c, const char* name, std::int32_t* out) {
    return tested(c).refuse.parameters ? ASSAY_E_INVALID : inner(c)->get_boolean(inner(c), name, out);
  }
  static assay_status get_text(const assay_case* c, const char* name, const char** out) {
    return tested(c).refuse.parameters ? ASSAY_E_INVALID : inner(c)->get_text(inner(c), name, out);
  }
  static std::int32_t cancelled(const assay_case* c) {
    if (tested(c).disturbing) tested(c).disturb();
    return inner(c)->cancelled(inner(c));
  }
  static std::int64_t now_ns(const assay_case* c) {
    if (tested(c).disturbing) tested(c).disturb();
    return inner(c)->now_ns(inner(c));
  }
  static const void* query(const assay_case* c, const char* id) {
    if (id != nullptr && std::string_view(id) == ASSAY_SERVICE_MEMORY) return &tested(c).memory_;
    return inner(c)->query(inner(c), id);
  }
  static const assay_memory_v1& memory(const assay_case* c) {
    return *static_cast<const assay_memory_v1*>(inner(c)->query(inner(c), ASSAY_SERVICE_MEMORY));
  }
  static void* allocate(const assay_case* c, std::size_t bytes, std::size_t alignment) {
    if (tested(c).refuse.memory) return nullptr;
    void* block = memory(c).allocate(inner(c), bytes, alignment);
    if (block != nullptr) tested(c).blocks_[block] = bytes;
    return block;
  }
  static void free(const assay_case* c, void* block) {
    tested(c).blocks_.erase(block);
    memory(c).free(inner(c), block);
  }
};

TestedCase::TestedCase(const CheckedBenchmark& checked, Json parameters)
    : rank_(checked.subject.rank()),
      plugin_(checked.plugin),
      facet_(plugin_.benchmark()),
      start_(start_of(checked, std::move(parameters))),
      interruption_(rank_.group()),
      context_(start_, std::numeric_limits<std::int64_t>::max(), rank_.place(), interruption_,
               [](std::string_view, const std::string&) {}),
      hooked_{*context_.abi(), this} {
  rank_.begin_case();
  hooked_.abi.get_integer = Hooks::get_integer;
  hooked_.abi.get_number = Hooks::get_number;
  hooked_.abi.get_boolean = Hooks::get_boolean;
  hooked_.abi.get_text = Hooks::get_text;
  hooked_.abi.cancelled = Hooks::cancelled;
  hooked_.abi.now_ns = Hooks::now_ns;
  hooked_.abi.query = Hooks::query;
  memory_ = {sizeof memory_, 0, Hooks::allocate, Hooks::free};
}

TestedCase::~TestedCase() { release(); }

template <class Body>
Answer TestedCase::call(Body&& body) {
  Answer answer;
  std::string thrown;
  try {
    answer.status = body();
  } catch (...) {
    answer.threw = true;
    thrown = worker::exception_text();
  }
  if (auto reason = context_.messages().take_reason()) answer.reason = reason->text;
  if (answer.threw) answer.reason = thrown;
  return answer;
}

template <class Body>
Answer TestedCase::call_of_all(Body&& body) {
  own_ = call(body);
  Answer answer = own_;
  auto failure = CallFailure::none;
  if (!answer.ok()) {
    failure = answer.status == ASSAY_CANCELLED && !answer.threw ? CallFailure::cancelled : CallFailure::fault;
    rank_.end_group();
  }
  const Json mine = {{"status", answer.status}, {"threw", answer.threw}, {"reason", answer.reason}};
  if (const auto remote = rank_.share_failure(failure, mine)) {
    answer.status = remote->part.at("status").get<assay_status>();
    answer.threw = remote->part.at("threw").get<bool>();
    answer.reason = remote->part.at("reason").get<std::string>();
    if (!answer.reason.empty()) answer.reason.insert(0, "rank " + std::to_string(remote->rank) + ": ");
  }
  return answer;
}

Answer TestedCase::create(const char* name) {
  return call_of_all([&] {
    const assay_status status = facet_.create(
        plugin_.self(), name == nullptr ? start_.benchmark.c_str() : name, &hooked_.abi, &instance_);
    instance_made_ = status == ASSAY_OK;
    return status;
  });
}

Answer TestedCase::probe() {
  return call_of_all([&] { return facet_.probe(instance_); });
}

Answer TestedCase::prepare() {
  return call_of_all([&] { return facet_.prepare(instance_); });
}

Answer TestedCase::traits(assay_traits& out) {
  out = {};
  out.size = sizeof out;
  return call_of_all([&] { return facet_.traits(instance_, &out); });
}

Answer TestedCase::iterate(std::uint64_t n, assay_mode mode) {
  assay_sample sample{};
  sample.size = sizeof sample;
  return call_of_all([&] { return facet_.iterate(instance_, mode, n, &sample); });
}

Answer TestedCase::verify(assay_verify_phase phase, assay_verification& out) {
  out = {};
  out.size = sizeof out;
  return call_of_all([&] { return facet_.verify(instance_, phase, &out); });
}

Answer TestedCase::damage() {
  return call_of_all([&] { return facet_.damage(instance_); });
}

Answer TestedCase::get_ready(assay_traits* out) {
  Answer answer = create();
  if (answer.ok()) answer = probe();
  if (answer.ok()) answer = prepare();
  return answer.ok() && out != nullptr ? traits(*out) : answer;
}

void TestedCase::release() {
  if (!std::exchange(instance_made_, false)) return;
  call([&] {
    facet_.release(instance_);
    return ASSAY_OK;
  });
}

std::size_t TestedCase::memory_bytes() const {
  std::size_t sum = 0;
  for (const auto& [block, bytes] : blocks_) sum += bytes;
  return sum;
}

void TestedCase::disturb() {
  constexpr unsigned char kFlip = 0x5a;  // turns numbers of every type into quite different ones
  for (const auto& [block, size] : blocks_) {
    auto* bytes = static_cast<unsigned char*>(block);
    std::for_each(bytes, bytes + size, [](unsigned char& byte) { byte ^= kFlip; });
  }
  ++disturbances_;
}

Json quick_parameters(const CheckedBenchmark& checked) {
  Json small = small_parameters(checked.benchmark);
  TestedCase tested(checked, small);
  return tested.get_ready().ok() ? small : default_parameters(checked.benchmark);
}

}  // namespace assay::check
