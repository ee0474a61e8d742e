// SPDX-License-Identifier: Apache-2.0
//
// A benchmark's description, written once: it yields the manifest, decodes parameters and feeds the
// documentation.
//
//   enum class Kernel { plain, wide };
//   struct Params {
//     std::int64_t bytes = 64 << 20;
//     Kernel kernel = Kernel::plain;
//   };
//   static void describe(assay::Description<Params>& is) {
//     is.named("saxpy").summary("y = a·x + y over vectors larger than any cache");
//     is.param("bytes", &Params::bytes)
//         .unit(assay::unit::bytes)
//         .range(4, std::int64_t{1} << 40)
//         .help("size of each vector");
//     is.param("kernel", &Params::kernel)
//         .choices({{"plain", Kernel::plain}, {"wide", Kernel::wide}})
//         .help("loop that adds");
//     is.rate("bandwidth", assay::unit::bytes_per_second).counting("x read, y read, y written");
//   }
//
// Defaults are the values that a Params{} holds.
#pragma once

#include <assay/abi/v1.h>
#include <assay/case.hpp>
#include <assay/detail/benchmark_description.hpp>
#include <assay/errors.hpp>
#include <assay/units.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace assay {

// Details of one metric. Names are quantities (bandwidth, latency, throughput), never units.
class MetricBuilder {
 public:
  explicit MetricBuilder(detail::MetricDescription& metric) : metric_(&metric) {}

  // What counts as work, for rates: "x read, y read, y written: 12 bytes an element".
  MetricBuilder& counting(std::string text) {
    return set(&detail::MetricDescription::counting, std::move(text));
  }
  // Which way it flows: "one way", "sum of both ways".
  MetricBuilder& flow(std::string text) { return set(&detail::MetricDescription::flow, std::move(text)); }
  // What does it: "SM kernel", "copy engine", "CPU threads".
  MetricBuilder& mechanism(std::string text) {
    return set(&detail::MetricDescription::mechanism, std::move(text));
  }
  // The limit that `% of peak` refers to: "memory_bandwidth".
  MetricBuilder& peak(std::string name) { return set(&detail::MetricDescription::peak, std::move(name)); }
  MetricBuilder& summary(std::string text) {
    return set(&detail::MetricDescription::summary, std::move(text));
  }
  MetricBuilder& higher_is_better() { return set(&detail::MetricDescription::direction, "higher"); }
  MetricBuilder& lower_is_better() { return set(&detail::MetricDescription::direction, "lower"); }
  // Leads tables. Without any, the first rate or duration does.
  MetricBuilder& headline() {
    metric_->headline = true;
    return *this;
  }
  // Number of indices of a value: 0, 1 or 2.
  MetricBuilder& dimensions(int count) {
    metric_->dimensions = count;
    return *this;
  }

 private:
  MetricBuilder& set(std::string detail::MetricDescription::*field, std::string text) {
    metric_->*field = std::move(text);
    return *this;
  }

  detail::MetricDescription* metric_;
};

namespace detail {

// How a member of Params travels: its type in the manifest, its limits, and how it is read.
template <class Value, class = void>
struct ParameterTraits;

template <>
struct ParameterTraits<bool> {
  static constexpr const char* type = "boolean";
  static bool read(const assay_case* host, const char* name, bool& out) {
    std::int32_t value = 0;
    if (host->get_boolean(host, name, &value) != ASSAY_OK) return false;
    out = value != 0;
    return true;
  }
};

template <>
struct ParameterTraits<std::string> {
  static constexpr const char* type = "text";
  static bool read(const assay_case* host, const char* name, std::string& out) {
    const char* value = nullptr;
    if (host->get_text(host, name, &value) != ASSAY_OK || !value) return false;
    out = value;
    return true;
  }
};

template <class Value>
struct ParameterTraits<Value, std::enable_if_t<std::is_floating_point_v<Value>>> {
  static constexpr const char* type = "number";
  static bool read(const assay_case* host, const char* name, Value& out) {
    double value = 0;
    if (host->get_number(host, name, &value) != ASSAY_OK) return false;
    out = static_cast<Value>(value);
    return true;
  }
};

template <class Value>
struct ParameterTraits<Value, std::enable_if_t<std::is_integral_v<Value> && !std::is_same_v<Value, bool>>> {
  static constexpr const char* type = "integer";
  static bool read(const assay_case* host, const char* name, Value& out) {
    std::int64_t value = 0;
    if (host->get_integer(host, name, &value) != ASSAY_OK) return false;
    const Value converted = static_cast<Value>(value);
    if (static_cast<std::int64_t>(converted) != value || (converted < Value{}) != (value < 0)) {
      throw BadParameter(name, "'" + std::to_string(value) + "' is outside of what the benchmark can hold");
    }
    out = converted;
    return true;
  }
};

}  // namespace detail

// Details of one parameter.
template <class Params, class Value>
class ParameterBuilder {
 public:
  using Decode = std::function<void(const assay_case*, Params&)>;

  ParameterBuilder(detail::ParameterDescription& parameter, Decode& decode, Value Params::*member)
      : parameter_(&parameter), decode_(&decode), member_(member) {}

  ParameterBuilder& help(std::string text) {
    parameter_->help = std::move(text);
    return *this;
  }
  // The base unit of an integer or a number. Suites write 64MiB, the benchmark gets 67108864.
  ParameterBuilder& unit(Unit unit) {
    parameter_->unit = unit.name;
    return *this;
  }
  // Inclusive limits.
  template <class Low, class High>
  ParameterBuilder& range(Low minimum, High maximum) {
    parameter_->minimum_json = detail::json_of(minimum);
    parameter_->maximum_json = detail::json_of(maximum);
    return *this;
  }
  template <class Low>
  ParameterBuilder& at_least(Low minimum) {
    parameter_->minimum_json = detail::json_of(minimum);
    return *this;
  }
  // Suites must give a value.
  ParameterBuilder& required() {
    parameter_->required = true;
    return *this;
  }
  // What a text may be.
  ParameterBuilder& values(std::initializer_list<const char*> texts) {
    parameter_->values.assign(texts.begin(), texts.end());
    return *this;
  }
  // The texts that an enumeration's values have in suites. Every enumeration needs them.
  ParameterBuilder& choices(std::initializer_list<std::pair<const char*, Value>> choices) {
    static_assert(std::is_enum_v<Value>, "choices are for enumerations; a text takes values()");
    parameter_->values.clear();
    parameter_->default_json.clear();
    const Value initial = Params{}.*member_;
    for (const auto& [text, value] : choices) {
      parameter_->values.emplace_back(text);
      if (value == initial) parameter_->default_json = detail::json_of(text);
    }
    *decode_ = [name = parameter_->name, member = member_,
                table = std::vector<std::pair<std::string, Value>>(choices.begin(), choices.end())](
                   const assay_case* host, Params& params) {
      std::string given;
      if (!detail::ParameterTraits<std::string>::read(host, name.c_str(), given)) {
        throw BadParameter(name, "the host gave no text for it");
      }
      for (const auto& [text, value] : table) {
        if (text == given) {
          params.*member = value;
          return;
        }
      }
      throw BadParameter(name, "'" + given + "' is not one of its values");
    };
    return *this;
  }

 private:
  detail::ParameterDescription* parameter_;
  Decode* decode_;
  Value Params::*member_;
};

// Handed to a benchmark's static describe().
template <class Params>
class Description {
 public:
  Description& named(std::string name) {
    is_.name = std::move(name);
    return *this;
  }
  // The contract that it follows: "membw/1".
  Description& implements(std::string contract) {
    is_.implements = std::move(contract);
    return *this;
  }
  // To be raised when the benchmark's numbers stop being comparable with earlier ones.
  Description& revision(int number) {
    is_.revision = number;
    return *this;
  }
  Description& summary(std::string line) {
    is_.summary = std::move(line);
    return *this;
  }
  // What is measured, how it is counted, pitfalls. Markdown.
  Description& doc(std::string text) {
    is_.doc = std::move(text);
    return *this;
  }

  // A parameter that is decoded into `member`: an integer, a floating-point number, bool, std::string, or an
  // enumeration with choices().
  template <class Value>
  ParameterBuilder<Params, Value> param(std::string name, Value Params::*member) {
    detail::ParameterDescription& parameter = is_.parameters.emplace_back();
    parameter.name = name;
    auto& decode = decoders_.emplace_back();
    if constexpr (std::is_enum_v<Value>) {
      parameter.type = "text";
      decode = [name](const assay_case*, Params&) {
        throw Failure("the description of parameter '" + name + "' lacks choices()");
      };
    } else {
      using Travel = detail::ParameterTraits<Value>;
      parameter.type = Travel::type;
      parameter.default_json = detail::json_of(Params{}.*member);
      if constexpr (std::is_integral_v<Value> && !std::is_same_v<Value, bool>) {
        if (std::is_unsigned_v<Value> || sizeof(Value) < sizeof(std::int64_t)) {
          parameter.minimum_json = detail::json_of(std::numeric_limits<Value>::min());
        }
        if (sizeof(Value) < sizeof(std::int64_t)) {
          parameter.maximum_json = detail::json_of(std::numeric_limits<Value>::max());
        }
      }
      decode = [name, member](const assay_case* host, Params& params) {
        if (!Travel::read(host, name.c_str(), params.*member)) {
          throw BadParameter(name, std::string("the host gave no ") + Travel::type + " for it");
        }
      };
    }
    return {parameter, decode, member};
  }

  // Work per iteration over its time; higher is better.
  MetricBuilder rate(std::string name, Unit unit) { return metric(std::move(name), unit, "rate", "higher"); }
  // Time of an iteration over its work (1 unless work() is called, such as the loads of a chase); lower is
  // better.
  MetricBuilder duration(std::string name) {
    return metric(std::move(name), unit::seconds, "duration", "lower");
  }
  // How long a part of a sample took: iterate() records value(name, seconds), of one iteration, in each sample.
  MetricBuilder part(std::string name) { return metric(std::move(name), unit::seconds, "part", "lower"); }
  // Recorded by the benchmark, without samples.
  MetricBuilder value(std::string name, Unit unit) { return metric(std::move(name), unit, "value", "none"); }

  // A text that cases record, such as a chosen algorithm.
  Description& fact(std::string name, std::string summary) {
    is_.facts.emplace_back(std::move(name), std::move(summary));
    return *this;
  }
  // A yes/no that cases report about subjects.
  Description& check(std::string name) {
    is_.checks.push_back(std::move(name));
    return *this;
  }

  // Conditions that it supports. Those that are not listed cannot be asked of it.
  Description& supports(std::initializer_list<Cache> values) {
    static constexpr const char* names[] = {"default", "hot", "cold", "rotating"};
    return condition("cache", values, names);
  }
  Description& supports(std::initializer_list<Launch> values) {
    static constexpr const char* names[] = {"default", "stream", "gated", "graph"};
    return condition("launch", values, names);
  }
  Description& supports(std::initializer_list<Data> values) {
    static constexpr const char* names[] = {"default", "normal", "uniform", "integer", "zeros", "ones"};
    return condition("data", values, names);
  }

  // Processes in one visit, and devices of each; a maximum of 0 means no limit. 1 to 1 unless said.
  Description& ranks(int minimum, int maximum) {
    is_.minimum_ranks = minimum;
    is_.maximum_ranks = maximum;
    return *this;
  }
  Description& devices(int minimum, int maximum) {
    is_.minimum_devices = minimum;
    is_.maximum_devices = maximum;
    return *this;
  }

  // Every case gets fresh processes, because what ran before in one would change what is measured.
  Description& own_process() {
    is_.own_process = true;
    return *this;
  }

  const detail::BenchmarkDescription& description() const { return is_; }

  // Reads every parameter from the host. Throws BadParameter.
  Params decode(const assay_case* host) const {
    Params params{};
    for (const auto& decoder : decoders_) decoder(host, params);
    return params;
  }

 private:
  MetricBuilder metric(std::string name, Unit unit, const char* kind, const char* direction) {
    detail::MetricDescription& metric = is_.metrics.emplace_back();
    metric.name = std::move(name);
    metric.unit = unit.name;
    metric.kind = kind;
    metric.direction = direction;
    return MetricBuilder(metric);
  }

  template <class Condition, std::size_t kCount>
  Description& condition(const char* name, std::initializer_list<Condition> values,
                         const char* const (&names)[kCount]) {
    auto& entry = is_.conditions.emplace_back();
    entry.first = name;
    for (const Condition value : values) {
      if (value != Condition::standard) entry.second.emplace_back(names[static_cast<std::size_t>(value)]);
    }
    return *this;
  }

  detail::BenchmarkDescription is_;
  std::deque<typename std::function<void(const assay_case*, Params&)>> decoders_;
};

}  // namespace assay
