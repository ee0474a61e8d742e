// SPDX-License-Identifier: Apache-2.0
#include "external/output.hpp"

#include "external/json_output.hpp"
#include "external/pattern.hpp"
#include "external/written_number.hpp"

#include <assay/errors.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

namespace assay::plugins::external {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLongestQuote = 200;

[[noreturn]] void fail(const std::string& text) { throw Failure(text, ASSAY_E_INTERNAL, "external.output"); }

// A zero byte would end the message.
std::string in_quotes(std::string_view text) {
  std::string quoted(text.substr(0, kLongestQuote));
  std::replace(quoted.begin(), quoted.end(), '\0', '?');
  return "'" + quoted + (text.size() <= kLongestQuote ? "'" : "…'");
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

// Calls visit(line, groups) for each match, of which a line may have several.
template <typename Visit>
void for_each_match(const std::string& text, const Output& output, Visit visit) {
  const Pattern pattern(text);
  for (const std::string_view stream : {std::string_view(output.out), std::string_view(output.error)}) {
    for_each_line(stream, [&](std::string_view line) {
      std::size_t begin = 0;
      while (const auto groups = pattern.search(line, begin)) visit(line, *groups);
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
    const double in_base = in_base_units(value, metric_.scale);
    if (!std::isfinite(in_base)) fail("'" + metric_.name + "' is not a finite number in the output");
    found_.push_back({std::move(indices), in_base});
  }

  void add_text(std::vector<std::uint32_t> indices, std::string_view text) {
    std::string_view number = text;
    if (number.substr(0, 1) == "+") number.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc() || end != number.data() + number.size())
      fail("'" + metric_.name + "'" + at(indices) + " is " + in_quotes(text) +
           " in the output, which is not a number");
    add_written(std::move(indices), text, value);
  }

  // In a unit that has a scale it is rounded anyway.
  void add_written(std::vector<std::uint32_t> indices, std::string_view text, double value) {
    if (metric_.scale == 1 && is_rounded(text, value))
      fail("'" + metric_.name + "'" + at(indices) + " is " + in_quotes(text) +
           " in the output, a number beyond 2^53 that results cannot hold exactly; print it in a larger "
           "unit, or what is to be known of it");
    add(std::move(indices), value);
  }

  void read_pattern(const std::string& pattern, const Output& output) {
    for_each_match(pattern, output, [&](std::string_view line, const Pattern::Groups& groups) {
      if (groups.empty()) return;
      if (!groups.back())
        fail("the line " + in_quotes(line) + " of the output matches " + in_quotes(pattern) +
             " and has no value there, so '" + metric_.name + "' is missing");
      std::vector<std::uint32_t> indices;
      for (std::size_t i = 0; i + 1 < groups.size(); ++i) {
        std::uint32_t index = 0;
        const std::string_view text = groups[i].value_or(std::string_view());
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
        if (error != std::errc() || end != text.data() + text.size())
          fail("an index of '" + metric_.name + "' is " + in_quotes(text) +
               "; an index is a whole number below 2^32");
        indices.push_back(index);
      }
      add_text(std::move(indices), *groups.back());
    });
  }

  void read_json(const std::string& pointer_text, const std::string& out) {
    const Json::json_pointer pointer(pointer_text);
    const auto look = [&](const ParsedJson& document) {
      for (Json::json_pointer place = pointer; !place.empty(); place.pop_back())
        if (document.doubled.contains(place.back()))
          fail("the output's JSON has the key " + in_quotes(place.back()) + " twice in one object, so '" +
               metric_.name + "' may be either");
      const Json& json = document.json;
      if (json.is_structured() && json.contains(pointer)) add_node(json.at(pointer), {});
    };
    ParsedJson whole = parse_json(out);
    const std::string_view inner = between_braces(out);
    // One more document behind it, whole or cut off, makes it a document a line.
    if (whole.json.is_discarded() && !begins_json(behind(out, inner), pointer_text))
      whole = parse_json(inner);
    if (!whole.json.is_discarded()) return look(whole);
    std::size_t number = 0;
    for_each_line(out, [&](std::string_view line) {
      ++number;
      const ParsedJson document = parse_json(line);
      if (!document.json.is_discarded()) return look(document);
      if (is_meant_as_json(line, pointer_text))
        fail("line " + std::to_string(number) + " of the output, " + in_quotes(line) + ", is not JSON, so '" +
             metric_.name + "' may be missing; NaN and Infinity are none, nor is a line that was cut off");
    });
  }

  static std::string_view behind(std::string_view text, std::string_view part) {
    return part.empty() ? std::string_view()
                        : text.substr(static_cast<std::size_t>(part.data() + part.size() - text.data()));
  }

  static bool begins_json(std::string_view text, std::string_view pointer) {
    bool begins = false;
    for_each_line(text, [&](std::string_view line) { begins = begins || is_meant_as_json(line, pointer); });
    return begins;
  }

  // An object, or an array if the pointer begins with an index: a log may begin lines with "[" too.
  static bool is_meant_as_json(std::string_view line, std::string_view pointer) {
    const std::size_t begin = line.find_first_not_of(std::string_view(" \t\0", 3));
    if (begin == std::string_view::npos) return false;
    const bool by_index = pointer.size() > 1 && pointer[1] >= '0' && pointer[1] <= '9';
    return line[begin] == '{' || (by_index && line[begin] == '[');
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
      if (node.empty() && !indices.empty())
        fail("'" + metric_.name + "'" + at(indices) +
             " is an empty array in the output, so a value is missing");
      std::uint32_t index = 0;
      const bool square = metric_.take == Take::only && indices.empty() && is_square(node);
      for (const Json& entry : node) {
        std::vector<std::uint32_t> inner = indices;
        // What is to be chosen from is a row of samples, and its places are not indices.
        if (metric_.take == Take::only) inner.push_back(index++);
        if (inner.size() > 2 || (metric_.take != Take::only && entry.is_array()))
          fail("'" + metric_.name + "' has arrays in arrays, more than its two indices");
        if (square) {
          add_row(entry, inner);
        } else {
          add_node(entry, std::move(inner));
        }
      }
    } else if (node.is_number_integer()) {
      add_written(std::move(indices), node.dump(), node.get<double>());
    } else if (node.is_number()) {
      add(std::move(indices), node.get<double>());
    } else if (node.is_boolean()) {
      add(std::move(indices), node.get<bool>() ? 1 : 0);
    } else if (node.is_string()) {
      add_text(std::move(indices), node.get_ref<const std::string&>());
    } else {
      fail("'" + metric_.name + "'" + at(indices) + " is " + (node.is_null() ? "null" : "an object") +
           " in the output, which is not a number");
    }
  }

  static std::string at(const std::vector<std::uint32_t>& indices) {
    std::string text;
    for (const std::uint32_t index : indices)
      text += (text.empty() ? " at index " : ", ") + std::to_string(index);
    return text;
  }

  static bool is_nothing(const Json& entry) {
    return entry.is_null() || (entry.is_string() && entry == "N/A");
  }

  // As many rows as columns, two at least: a matrix from each device to each.
  static bool is_square(const Json& node) {
    return node.size() > 1 && std::all_of(node.begin(), node.end(), [&](const Json& row) {
             return row.is_array() && row.size() == node.size();
           });
  }

  // A device has no path to itself; every other place of its row needs a number.
  void add_row(const Json& row, const std::vector<std::uint32_t>& indices) {
    for (std::uint32_t column = 0; column < row.size(); ++column) {
      if (indices == std::vector{column} && is_nothing(row[column])) continue;
      std::vector<std::uint32_t> inner = indices;
      inner.push_back(column);
      add_node(row[column], std::move(inner));
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
  for_each_match(pattern, output, [&](std::string_view, const Pattern::Groups&) { found = true; });
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
