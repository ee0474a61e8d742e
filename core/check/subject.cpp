// SPDX-License-Identifier: Apache-2.0
#include "check/subject.hpp"

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/quantity.hpp"
#include "base/suggest.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

namespace assay::check {
namespace {

constexpr std::size_t kLargestManifest = std::size_t{1} << 20;
constexpr double kSmall = 1 << 16;
constexpr double kRequired = 256;  // of an integer that has no default

double within(const catalog::Parameter& parameter, double value) {
  if (parameter.minimum) value = std::max(value, *parameter.minimum);
  if (parameter.maximum) value = std::min(value, *parameter.maximum);
  return value;
}

Json small_value(const catalog::Parameter& parameter, Json value) {
  if (parameter.type != catalog::ParameterType::integer || std::fabs(value.get<double>()) <= kSmall)
    return value;
  return static_cast<std::int64_t>(within(parameter, kSmall));
}

// In the orders of the enums.
constexpr std::array<std::string_view, 4> kTypeNames{"a whole number", "a number", "true or false", "a text"};
constexpr std::array<std::string_view, 4> kStatusWords{"passed", "failed", "skipped", "not_checked"};

std::optional<Json> typed(const catalog::Parameter& parameter, const std::string& text) {
  if (parameter.type == catalog::ParameterType::text) return text;
  if (parameter.type == catalog::ParameterType::boolean)
    return text == "true" || text == "false" ? std::optional<Json>(text == "true") : std::nullopt;
  const std::optional<Quantity> quantity = parse_quantity(text);
  if (!quantity) return std::nullopt;
  if (parameter.type == catalog::ParameterType::number) return quantity->value;
  constexpr double kExact = 9007199254740992;  // 2^53
  if (std::trunc(quantity->value) != quantity->value || std::fabs(quantity->value) > kExact)
    return std::nullopt;
  return static_cast<std::int64_t>(quantity->value);
}

// Puts what is given in the place of the defaults.
void take(const Given& given, catalog::Manifest& manifest) {
  for (const auto& [name, text] : given) {
    std::vector<std::string> known;
    bool found = false;
    for (catalog::Benchmark& benchmark : manifest.benchmarks) {
      for (catalog::Parameter& parameter : benchmark.parameters) {
        known.push_back(parameter.name);
        if (parameter.name != name) continue;
        found = true;
        const std::optional<Json> value = typed(parameter, text);
        if (!value)
          throw Error("usage.parameter",
                      "'" + printable(text) + "' is not a value of '" + name + "', which is " +
                          std::string(kTypeNames.at(static_cast<std::size_t>(parameter.type))));
        parameter.default_value = *value;
      }
    }
    if (found) continue;
    const std::string hint = suggestion(name, known);
    throw Error("usage.parameter", "no benchmark of the plugin has a parameter '" + printable(name) + "'" +
                                       (hint.empty() ? "" : " (" + hint + ")"));
  }
}

}  // namespace

std::string_view to_text(CheckStatus result) { return kStatusWords.at(static_cast<std::size_t>(result)); }

bool from_text(std::string_view text, CheckStatus& result) {
  const auto* const found = std::find(kStatusWords.begin(), kStatusWords.end(), text);
  if (found == kStatusWords.end()) return false;
  result = static_cast<CheckStatus>(found - kStatusWords.begin());
  return true;
}

bool is_worse(CheckStatus result, CheckStatus than) {
  constexpr std::array<int, 4> kWeights{1, 3, 0, 2};  // in the order of the enum
  return kWeights.at(static_cast<std::size_t>(result)) > kWeights.at(static_cast<std::size_t>(than));
}

Subject::Subject(std::filesystem::path library, std::filesystem::path manifest,
                 const std::filesystem::path& contracts, TestDevices devices, StageCallback progress,
                 const Given& given, InRanks in_ranks)
    : library_(std::move(library)),
      manifest_file_(std::move(manifest)),
      devices_(std::move(devices)),
      progress_(std::move(progress)),
      in_ranks_(std::move(in_ranks)) {
  Diagnostics ignored;
  contracts_ = catalog::discover({}, contracts, ignored);
  Diagnostics diagnostics;
  std::error_code missing;
  if (!std::filesystem::exists(manifest_file_, missing)) {
    problems_ = "'" + manifest_file_.filename().string() +
                "' is not beside the library; assay-describe writes it, and so does assay_add_plugin()";
    return;
  }
  try {
    manifest_ = catalog::parse_manifest(manifest_file_.string(), read_file(manifest_file_, kLargestManifest),
                                        diagnostics);
  } catch (const Error& error) {
    problems_ = error.what();
    return;
  }
  std::vector<std::string> texts;
  for (const Diagnostic& diagnostic : diagnostics.sorted()) {
    texts.push_back(diagnostic.text + (diagnostic.hint.empty() ? "" : " (" + diagnostic.hint + ")"));
  }
  problems_ = printable(join(texts, "; "));
  if (!manifest_) return;
  described_ = manifest_->benchmarks;
  take(given, *manifest_);
}

Json legal_value(const catalog::Parameter& parameter) {
  switch (parameter.type) {
    case catalog::ParameterType::integer:
      return static_cast<std::int64_t>(within(parameter, kRequired));
    case catalog::ParameterType::number:
      return within(parameter, 1);
    case catalog::ParameterType::boolean:
      return false;
    case catalog::ParameterType::text:
      return parameter.values.empty() ? "" : parameter.values.front();
  }
  return {};
}

Json default_parameters(const catalog::Benchmark& benchmark) {
  Json values = Json::object();
  for (const catalog::Parameter& parameter : benchmark.parameters) {
    values[parameter.name] =
        parameter.default_value.is_null() ? legal_value(parameter) : parameter.default_value;
  }
  return values;
}

Json small_parameters(const catalog::Benchmark& benchmark) {
  Json values = default_parameters(benchmark);
  for (const catalog::Parameter& parameter : benchmark.parameters)
    values[parameter.name] = small_value(parameter, values[parameter.name]);
  return values;
}

}  // namespace assay::check
