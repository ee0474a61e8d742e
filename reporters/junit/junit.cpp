// SPDX-License-Identifier: Apache-2.0
#include "junit/junit.hpp"

#include "junit/model.hpp"
#include "lib/escape.hpp"
#include "lib/numbers.hpp"
#include "lib/text.hpp"

#include <fmt/format.h>

namespace assay::reporters {
namespace {

// Three decimals and no exponent: strict consumers refuse anything else.
std::string seconds(double value) { return fmt::format("{:.3f}", value > 0 && value < 1e9 ? value : 0.0); }

std::string attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + xml_attribute(value) + "\"";
}

std::string attribute(std::string_view name, std::size_t value) {
  return attribute(name, std::to_string(value));
}

// "2026-11-21T08:30:12" in UTC, without zone: what Azure and the strict schema take.
std::string timestamp(std::string_view rfc3339) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00";
  if (rfc3339.size() < kForm.size()) return "1970-01-01T00:00:00";
  const std::string_view head = rfc3339.substr(0, kForm.size());
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool digit = head[i] >= '0' && head[i] <= '9';
    if (kForm[i] == '0' ? !digit : head[i] != kForm[i]) return "1970-01-01T00:00:00";
  }
  return std::string(head);
}

class Writer {
 public:
  Writer(const Document& document, const JunitOptions& options)
      : document_(document), rich_(options.dialect == Dialect::rich), prefix_(options.prefix) {}

  std::string write() {
    const std::vector<TestSuite> suites = test_suites(document_);
    std::size_t tests = 0, failures = 0, errors = 0;
    for (const TestSuite& suite : suites) {
      tests += suite.cases.size();
      failures += suite.count(Element::failure);
      errors += suite.count(Element::error);
    }
    out_ = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites";
    out_ += attribute("name", one_line(document_.run.suite)) + attribute("tests", tests) +
            attribute("failures", failures) + attribute("errors", errors) +
            attribute("time", seconds(document_.run.duration_s.value_or(0))) + ">\n";
    for (std::size_t i = 0; i < suites.size(); ++i) suite(suites[i], i);
    out_ += "</testsuites>\n";
    return std::move(out_);
  }

 private:
  void suite(const TestSuite& suite, std::size_t id) {
    double time = 0;
    for (const TestCase& one : suite.cases) time += one.time_s;
    out_ += "  <testsuite" + attribute("name", prefixed(suite.name)) + attribute("id", id) +
            attribute("package", portable_name(suite.package));
    if (!document_.run.suite_file.empty()) out_ += attribute("file", one_line(document_.run.suite_file));
    out_ += attribute("tests", suite.cases.size()) + attribute("failures", suite.count(Element::failure)) +
            attribute("errors", suite.count(Element::error)) +
            attribute("skipped", suite.count(Element::skipped)) + attribute("time", seconds(time)) +
            attribute("timestamp", timestamp(document_.run.started_at)) +
            attribute("hostname", one_line(scalar(document_.run.host, "hostname"))) + ">\n";
    suite_properties(suite);
    for (const TestCase& one : suite.cases) test_case(one);
    out_ += "  </testsuite>\n";
  }

  // Tells the same suite of several machines or jobs apart where their files meet.
  [[nodiscard]] std::string prefixed(const std::string& name) const {
    return prefix_.empty() ? name : portable_name(prefix_ + "." + name);
  }

  void property(std::string_view indent, std::string_view name, std::string_view value) {
    out_ += std::string(indent) + "<property" + attribute("name", one_line(name)) +
            attribute("value", one_line(value)) + "/>\n";
  }

  void suite_properties(const TestSuite& suite) {
    constexpr std::string_view kIndent = "      ";
    const Run& run = document_.run;
    out_ += "    <properties>\n";
    property(kIndent, "assay.version", scalar(run.tool, "version"));
    property(kIndent, "assay.run_id", run.id);
    if (run.mode.quick) property(kIndent, "assay.quick", "true");
    if (run.mode.simulated) property(kIndent, "assay.simulated", "true");
    property(kIndent, "suite.file", run.suite_file);
    for (const auto& devices : document_.verdict.devices) property(kIndent, "assay.devices", devices.text);
    for (const Backend& backend : run.backends) {
      for (const auto& [name, value] : scalars(backend.facts))
        property(kIndent, backend.name + "." + name, value);
      for (const Device& device : backend.devices) {
        property(kIndent, "device." + device.name + ".model", device.model);
        if (!device.uuid.empty()) property(kIndent, "device." + device.name + ".uuid", device.uuid);
      }
    }
    for (const Case& one : document_.cases) {
      const Metric* metric = one.headline();
      if (one.plugin != suite.package || metric == nullptr || !metric->value) continue;
      property(kIndent, "metric." + one.id + "." + metric->name,
               quantity(*metric->value, metric->unit, half_width(*metric)));
    }
    out_ += "    </properties>\n";
  }

  void result(const TestCase& one) {
    const char* tag = one.element == Element::failure ? "failure"
                      : one.element == Element::error ? "error"
                                                      : "skipped";
    out_ += std::string("      <") + tag;
    if (one.element != Element::skipped) out_ += attribute("type", one.type);
    out_ += attribute("message", one.message) + ">" + xml_text(one.text) + "</" + tag + ">\n";
  }

  void test_case(const TestCase& one) {
    out_ += "    <testcase" + attribute("classname", prefixed(one.class_name)) + attribute("name", one.name) +
            attribute("time", seconds(one.time_s));
    if (rich_) {
      if (!one.position.file.empty()) out_ += attribute("file", one_line(one.position.file));
      if (one.position.line > 0) out_ += attribute("line", static_cast<std::size_t>(one.position.line));
      out_ += attribute("assertions", one.assertions);
    }
    out_ += ">\n";
    if (rich_ && !one.properties.empty()) {
      out_ += "      <properties>\n";
      for (const auto& [name, value] : one.properties) property("        ", name, value);
      out_ += "      </properties>\n";
    }
    if (one.element != Element::none) {
      result(one);
    } else if (!one.flaky.empty()) {
      out_ += "      <flakyFailure type=\"retried\"" + attribute("message", one.flaky) + ">" +
              xml_text(one.flaky) + "</flakyFailure>\n";
    }
    if (!one.output.empty()) out_ += "      <system-out>" + xml_text(one.output) + "</system-out>\n";
    out_ += "    </testcase>\n";
  }

  const Document& document_;
  bool rich_;
  std::string prefix_;
  std::string out_;
};

}  // namespace

JunitOptions junit_options(const OptionList& list) {
  OptionReader reader(list);
  JunitOptions out;
  out.dialect = reader.choice("dialect", "portable", {"portable", "rich"}) == "rich" ? Dialect::rich
                                                                                     : Dialect::portable;
  out.prefix = reader.text("prefix", "");
  reader.finish();
  return out;
}

std::string render_junit(const Document& document, const JunitOptions& options) {
  return Writer(document, options).write();
}

}  // namespace assay::reporters
