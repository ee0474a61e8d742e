// SPDX-License-Identifier: Apache-2.0
#include "base/suggest.hpp"
#include "report/report.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace assay::report {
namespace {

constexpr const char* kCode = "usage.report";
constexpr const char* kForm = "the form is NAME[:key=value,…][=PATH]";

std::string in_quotes(std::string_view text) { return "'" + printable(text) + "'"; }

template <typename Number>
bool is_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// What a value must be, or "" if it is that.
std::string mismatch(const catalog::ReporterOption& option, std::string_view value) {
  if (!option.values.empty()) {
    const bool known = contains(option.values, value);
    return known ? "" : "one of: " + join(option.values, ", ");
  }
  if (option.type == "integer") return is_number<std::int64_t>(value) ? "" : "a whole number";
  if (option.type == "number") return is_number<double>(value) ? "" : "a number";
  if (option.type == "boolean") return value == "true" || value == "false" ? "" : "true or false";
  return "";
}

class RequestParser {
 public:
  RequestParser(const std::string& text, const catalog::Catalog& catalog, Diagnostics& diagnostics)
      : text_(text), catalog_(catalog), diagnostics_(diagnostics) {}

  ReportRequest parse() {
    ReportRequest out;
    const std::size_t end = std::min(text_.find_first_of(":="), text_.size());
    out.reporter = text_.substr(0, end);
    const catalog::Reporter* reporter = find(out.reporter);
    std::size_t at = end;
    if (at < text_.size() && text_[at] == ':') at = options(at + 1, reporter, out);
    if (at < text_.size()) {  // at "="
      out.path = text_.substr(at + 1);
      if (out.path.empty()) error(at, "no path follows '='", kForm);
    }
    return out;
  }

 private:
  void error(std::size_t at, std::string text, std::string hint) {
    diagnostics_.error(kCode, {"--report", 1, static_cast<int>(at) + 1}, std::move(text), std::move(hint));
  }

  const catalog::Reporter* find(const std::string& name) {
    if (name.empty()) {
      error(0, "--report " + in_quotes(text_) + " names no reporter", kForm);
      return nullptr;
    }
    const catalog::Reporter* found = catalog_.reporter(name);
    if (found != nullptr) return found;
    std::vector<std::string> names;
    for (const catalog::Manifest& manifest : catalog_.manifests()) {
      for (const catalog::Reporter& reporter : manifest.reporters) names.push_back(reporter.name);
    }
    error(0, "there is no reporter " + in_quotes(name), suggestion(name, names));
    return nullptr;
  }

  // From behind ":"; gives back where "=" and the path begin, or the end.
  std::size_t options(std::size_t at, const catalog::Reporter* reporter, ReportRequest& out) {
    while (at <= text_.size()) {
      const std::size_t sign = text_.find_first_of("=,", at);
      if (sign == std::string::npos || text_[sign] == ',') {
        const std::string word = text_.substr(at, sign == std::string::npos ? sign : sign - at);
        error(at, word.empty() ? "an option is missing" : "the option " + in_quotes(word) + " has no value",
              kForm);
        if (sign == std::string::npos) return text_.size();
        at = sign + 1;
        continue;
      }
      const std::size_t end = std::min(text_.find_first_of("=,", sign + 1), text_.size());
      option(at, text_.substr(at, sign - at), sign + 1, text_.substr(sign + 1, end - sign - 1), reporter,
             out);
      if (end == text_.size() || text_[end] == '=') return end;
      at = end + 1;
    }
    return text_.size();
  }

  void option(std::size_t key_at, const std::string& key, std::size_t value_at, const std::string& value,
              const catalog::Reporter* reporter, ReportRequest& out) {
    for (const auto& [known, ignored] : out.options) {
      if (known == key) error(key_at, "the option " + in_quotes(key) + " is given twice", "keep one of them");
    }
    out.options.emplace_back(key, value);
    if (reporter == nullptr) return;
    std::vector<std::string> keys;
    for (const catalog::ReporterOption& declared : reporter->options) {
      keys.push_back(declared.name);
      if (declared.name != key) continue;
      if (const std::string wanted = mismatch(declared, value); !wanted.empty()) {
        error(value_at,
              "the option " + in_quotes(key) + " is " + in_quotes(value) + ", and must be " + wanted,
              suggestion(value, declared.values));
      }
      return;
    }
    error(key_at, "the reporter " + in_quotes(reporter->name) + " has no option " + in_quotes(key),
          keys.empty() ? "it has none" : suggestion(key, keys));
  }

  const std::string& text_;
  const catalog::Catalog& catalog_;
  Diagnostics& diagnostics_;
};

}  // namespace

ReportRequest parse_request(const std::string& text, const catalog::Catalog& catalog,
                            Diagnostics& diagnostics) {
  return RequestParser(text, catalog, diagnostics).parse();
}

}  // namespace assay::report
