// SPDX-License-Identifier: Apache-2.0
#include "catalog/contract.hpp"

#include "catalog/benchmark_reader.hpp"
#include "catalog/manifest_reader.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <limits>

namespace assay::catalog {
namespace {

constexpr int kContractVersion = 1;

bool contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

class ContractChecker {
 public:
  ContractChecker(const std::string& file, const Benchmark& benchmark, const Contract& contract,
                  Diagnostics& diagnostics)
      : file_(file), benchmark_(benchmark), contract_(contract), diagnostics_(diagnostics) {}

  void run() {
    if (benchmark_.name != contract_.benchmark.name)
      error("has another name than '" + contract_.benchmark.name + "'");
    parameters();
    metrics();
    conditions();
  }

 private:
  void parameters() {
    for (const Parameter& agreed : contract_.benchmark.parameters) {
      const Parameter* own = benchmark_.parameter(agreed.name);
      if (own != nullptr) {
        parameter(agreed, *own);
      } else if (!contract_.is_optional("parameter", agreed.name)) {
        error("has no parameter '" + agreed.name + "'");
      }
    }
    for (const Parameter& own : benchmark_.parameters) {
      if (contract_.benchmark.parameter(own.name) == nullptr && own.default_value.is_null()) {
        error("adds parameter '" + own.name + "' without a default");
      }
    }
  }

  void parameter(const Parameter& agreed, const Parameter& own) {
    const std::string what = "parameter '" + agreed.name + "'";
    if (own.type != agreed.type) {
      error(what + " has another type");
      return;
    }
    if (own.unit != agreed.unit) error(what + " has unit '" + own.unit + "', not '" + agreed.unit + "'");
    const double infinity = std::numeric_limits<double>::infinity();
    if (own.minimum.value_or(-infinity) < agreed.minimum.value_or(-infinity) ||
        own.maximum.value_or(infinity) > agreed.maximum.value_or(infinity)) {
      error(what + " has a wider range");
    }
    if (!agreed.values.empty() && own.values.empty()) error(what + " takes any text");
    for (const std::string& value : own.values) {
      if (!agreed.values.empty() && !contains(agreed.values, value))
        error(what + " adds value '" + value + "'");
    }
    if (!agreed.default_value.is_null() && own.default_value != agreed.default_value) {
      error(what + " has another default");
    }
  }

  void metrics() {
    for (const MetricDeclaration& agreed : contract_.benchmark.metrics) {
      const MetricDeclaration* own = benchmark_.metric(agreed.name);
      const std::string what = "metric '" + agreed.name + "'";
      if (own == nullptr) {
        if (!contract_.is_optional("metric", agreed.name)) error("has no " + what);
        continue;
      }
      if (own->unit != agreed.unit) error(what + " has unit '" + own->unit + "', not '" + agreed.unit + "'");
      if (own->kind != agreed.kind) error(what + " is of another kind");
      if (own->direction != agreed.direction) error(what + " has another direction");
      if (own->dimensions != agreed.dimensions) error(what + " has another number of indices");
      if (own->counting != agreed.counting)
        error(what + " counts '" + own->counting + "', not '" + agreed.counting + "'");
    }
    for (const MetricDeclaration& own : benchmark_.metrics) {
      if (own.headline && contract_.benchmark.metric(own.name) == nullptr) {
        error("metric '" + own.name + "' leads without being in the contract");
      }
    }
  }

  void conditions() {
    for (const auto& [name, values] : benchmark_.conditions) {
      for (const std::string& value : values) {
        if (!contract_.benchmark.supports(name, value))
          error("condition " + name + ": " + value + " is not in the contract");
      }
    }
  }

  void error(const std::string& what) {
    diagnostics_.error("manifest.contract", {file_},
                       "'" + benchmark_.name + "' implements " + contract_.id + ", but " + what,
                       "see docs/reference/manifest.md, 'Contracts'");
  }

  const std::string& file_;
  const Benchmark& benchmark_;
  const Contract& contract_;
  Diagnostics& diagnostics_;
};

void read_optional(const ObjectReader& benchmark, const char* key, const std::string& kind,
                   Contract& contract) {
  for (const ObjectReader& item : benchmark.objects(key)) {
    if (item.boolean("optional")) contract.optional.push_back(kind + " " + item.text("name"));
  }
}

}  // namespace

bool Contract::is_optional(const std::string& kind, const std::string& name) const {
  return contains(optional, kind + " " + name);
}

std::optional<Contract> parse_contract(const std::string& file, const std::string& text,
                                       Diagnostics& diagnostics) {
  const std::size_t errors_before = diagnostics.error_count();
  auto document = parse_document(file, text, diagnostics);
  if (!document) return std::nullopt;
  Contract contract;
  contract.json = std::move(*document);
  const ObjectReader reader(contract.json, "", file, diagnostics);
  if (!contract.json.is_object()) return std::nullopt;
  const int version = reader.integer("contract_version", 0, 0);
  if (version != kContractVersion) {
    diagnostics.error("contract.version", {file},
                      "the contract has version " + std::to_string(version) +
                          "; this program reads version " + std::to_string(kContractVersion),
                      "update Assay");
    return std::nullopt;
  }
  contract.id = reader.required_text("id");
  contract.verification = reader.text("verification");
  const ObjectReader benchmark = reader.object("benchmark");
  contract.benchmark = read_benchmark(benchmark);
  read_optional(benchmark, "parameters", "parameter", contract);
  read_optional(benchmark, "metrics", "metric", contract);
  if (!contract.id.starts_with(contract.benchmark.name + "/")) {
    reader.error("id", "is '" + contract.id + "', which is not '" + contract.benchmark.name + "/VERSION'");
  }
  if (diagnostics.error_count() != errors_before) return std::nullopt;
  return contract;
}

void check_contract(const std::string& file, const Benchmark& benchmark, const Contract& contract,
                    Diagnostics& diagnostics) {
  ContractChecker(file, benchmark, contract, diagnostics).run();
}

}  // namespace assay::catalog
