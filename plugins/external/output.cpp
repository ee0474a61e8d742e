// SPDX-License-Identifier: Apache-2.0
#include "external/output.hpp"

#include <assay/errors.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <regex>

namespace assay::plugins::external {
namespace {

using Json = nlohmann::json;

// Matching costs at most the square of a line's length.
constexpr std::size_t kLongestLine = 16384;
constexpr std::size_t kLongestQuote = 200;

[[noreturn]] void fail(const std::string& text) { throw Failure(text, ASSAY_E_INTERNAL, "external.output"); }

std::string in_quotes(std::string_view text) {
  if (text.size() <= kLongestQuote) return "'" + std::string(text) + "'";
  return "'" + std::string(text.substr(0, kLongestQuote)) + "…'";
}

// Calls visit(line) for each line; a carriage return ends one, too, as progress bars use it.
template <typename Visit>
void for_each_line(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::regex compiled(const std::string& pattern) {
  try {
    return std::regex(pattern, std::regex::ECMAScript | std::regex_constants::__polynomial);
  } catch (const std::regex_error& error) {
    fail(in_quotes(pattern) + " is no regular expression: " + error.what());
  }
}

template <typename Visit>
void for_each_match(const std::string& pattern, const Output& output, Visit visit) {
  const std::regex regex = compiled(pattern);
  for (const std::string_view text : {std::string_view(output.out), std::string_view(output.error)}) {
    for_each_line(text, [&](std::string_view line) {
      std::cmatch match;
      const char* end = line.data() + std::min(line.size(), kLongestLine);
      if (std::regex_search(line.data(), end, match, regex)) visit(match);
    });
  }
}

class Reader {
 public:
  explicit Reader(const Metric& metric) : metric_(metric) {}

  std::vector<Value> read(const Output& output) {
    if (metric_.pattern)
      read_pattern(*metric_.pattern, output);
    else if (metric_.json)
      read_json(*metric_.json, output.out);
    else
      add({}, output.status);
    return chosen();
  }

 private:
  void add(std::vector<std::uint32_t> indices, double value) {
    if (!std::isfinite(value * metric_.scale))
      fail("'" + metric_.name + "' is no finite number in the output");
    found_.push_back({std::move(indices), value * metric_.scale});
  }

  void add_text(std::vector<std::uint32_t> indices, std::string_view text) {
    std::string_view number = text;
    if (number.substr(0, 1) == "+") number.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc() || end != number.data() + number.size())
      fail("'" + metric_.name + "' is " + in_quotes(text) + " in the output, which is no number");
    add(std::move(indices), value);
  }

  void read_pattern(const std::string& pattern, const Output& output) {
    for_each_match(pattern, output, [&](const std::cmatch& match) {
      const std::csub_match& value = match[match.size() - 1];
      if (match.size() < 2 || !value.matched) return;
      std::vector<std::uint32_t> indices;
      for (std::size_t group = 1; group + 1 < match.size(); ++group) {
        std::uint32_t index = 0;
        const std::csub_match& text = match[group];
        const auto [end, error] = std::from_chars(text.first, text.second, index);
        if (!text.matched || error != std::errc() || end != text.second)
          fail("an index of '" + metric_.name + "' is " + in_quotes(text.str()) +
               "; an index is a whole number below 2^32");
        indices.push_back(index);
      }
      add_text(std::move(indices), {value.first, static_cast<std::size_t>(value.length())});
    });
  }

  void read_json(const std::string& pointer_text, const std::string& out) {
    const Json::json_pointer pointer(pointer_text);
    const auto look = [&](const Json& document) {
      if (document.is_structured() && document.contains(pointer)) add_node(document.at(pointer), {});
    };
    Json whole = Json::parse(out, nullptr, false);
    if (whole.is_discarded()) whole = Json::parse(between_braces(out), nullptr, false);
    if (!whole.is_discarded()) return look(whole);
    for_each_line(out, [&](std::string_view line) {
      const Json document = Json::parse(line, nullptr, false);
      if (!document.is_discarded()) look(document);
    });
  }

  // A document with something printed before or after it.
  static std::string_view between_braces(std::string_view text) {
    std::size_t begin = 0;
    while (begin < text.size() && text[begin] != '{' && text[begin] != '[') {
      begin = text.find('\n', begin);
      if (begin == std::string_view::npos) return {};
      ++begin;
    }
    const std::size_t end = text.find_last_of("}]");
    return end == std::string_view::npos || end < begin ? std::string_view()
                                                        : text.substr(begin, end + 1 - begin);
  }

  void add_node(const Json& node, std::vector<std::uint32_t> indices) {
    if (node.is_array()) {
      std::uint32_t index = 0;
      for (const Json& entry : node) {
        std::vector<std::uint32_t> inner = indices;
        // What is to be chosen from is a row of samples, and its places are no indices.
        if (metric_.take == Take::only) inner.push_back(index++);
        if (inner.size() > 2 || (metric_.take != Take::only && entry.is_array()))
          fail("'" + metric_.name + "' has arrays in arrays, more than its two indices");
        add_node(entry, std::move(inner));
      }
    } else if (node.is_number()) {
      add(std::move(indices), node.get<double>());
    } else if (node.is_boolean()) {
      add(std::move(indices), node.get<bool>() ? 1 : 0);
    } else if (node.is_string()) {
      const auto& text = node.get_ref<const std::string&>();
      // A place of a matrix that has no value, such as a device's path to itself.
      if (text == "N/A" && !indices.empty()) return;
      add_text(std::move(indices), text);
    } else if (!(node.is_null() && !indices.empty())) {
      fail("'" + metric_.name + "' is " + (node.is_null() ? "null" : "an object") +
           " in the output, which is no number");
    }
  }

  // What `take` leaves, index by index.
  std::vector<Value> chosen() {
    if (found_.empty()) {
      const std::string where = metric_.json
                                    ? "at " + in_quotes(*metric_.json) + " of its JSON output"
                                    : "in a line that matches " + in_quotes(metric_.pattern.value_or(""));
      fail("the command gave no '" + metric_.name + "' " + where);
    }
    if (metric_.take == Take::all) return found_;
    std::map<std::vector<std::uint32_t>, std::size_t> places;
    std::vector<Value> kept;
    for (const Value& value : found_) {
      const auto [place, is_new] = places.emplace(value.indices, kept.size());
      if (is_new)
        kept.push_back(value);
      else if (metric_.take == Take::only)
        fail("the command gave '" + metric_.name +
             "' more than once; say which with 'take', or narrow it down");
      else if (metric_.take == Take::last)
        kept[place->second] = value;
    }
    return kept;
  }

  const Metric& metric_;
  std::vector<Value> found_;
};

}  // namespace

std::vector<Value> read_metric(const Metric& metric, const Output& output) {
  return Reader(metric).read(output);
}

bool matches(const std::string& pattern, const Output& output) {
  bool found = false;
  for_each_match(pattern, output, [&](const std::cmatch&) { found = true; });
  return found;
}

std::string last_line(const Output& output) {
  for (const std::string_view text : {std::string_view(output.error), std::string_view(output.out)}) {
    std::string_view last;
    for_each_line(text, [&](std::string_view line) {
      if (line.find_first_not_of(" \t") != std::string_view::npos) last = line;
    });
    if (!last.empty()) return std::string(last.substr(0, kLongestQuote));
  }
  return {};
}

}  // namespace assay::plugins::external
