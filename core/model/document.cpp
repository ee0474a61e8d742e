// SPDX-License-Identifier: Apache-2.0
#include "model/document.hpp"

#include "text/utf8.hpp"

#include <algorithm>
#include <utility>

namespace assay::model {

const Metric* Case::headline() const {
  const bool has_headlines =
      std::any_of(metrics.begin(), metrics.end(), [](const Metric& metric) { return metric.headline; });
  const auto found = std::find_if(metrics.begin(), metrics.end(), [&](const Metric& metric) {
    return (has_headlines ? metric.headline : metric.name == kTime) && metric.indices.empty();
  });
  return found == metrics.end() ? nullptr : &*found;
}

bool Case::has_values() const {
  return std::any_of(metrics.begin(), metrics.end(),
                     [](const Metric& metric) { return metric.value.has_value(); });
}

bool Case::undecided() const {
  return std::any_of(expectations.begin(), expectations.end(),
                     [](const Expectation& expectation) { return expectation.status == "undecided"; });
}

const Axis* Case::axis(std::string_view wanted) const {
  const auto found =
      std::find_if(axes.begin(), axes.end(), [wanted](const Axis& axis) { return axis.name == wanted; });
  return found == axes.end() ? nullptr : &*found;
}

const Case* Document::find(std::string_view id) const {
  const auto found = std::find_if(cases.begin(), cases.end(), [id](const Case& one) { return one.id == id; });
  return found == cases.end() ? nullptr : &*found;
}

void make_printable(Json& json) {
  if (json.is_string()) {
    auto& text = json.get_ref<std::string&>();
    if (!is_plain(text)) text = printable(text);
  } else if (json.is_array()) {
    for (Json& each : json) make_printable(each);
  } else if (json.is_object()) {
    bool good = true;
    for (auto member = json.begin(); member != json.end(); ++member) {
      make_printable(member.value());
      good = good && (is_plain(member.key()) || printable(member.key()) == member.key());
    }
    if (good) return;
    Json named = Json::object();
    for (auto member = json.begin(); member != json.end(); ++member)
      named[printable(member.key())] = std::move(member.value());
    json = std::move(named);
  }
}

namespace {

// Values are written by recursion, so that depth has to end somewhere.
constexpr int kMaximumDepth = 64;

// The document without what needs most memory: each case is read as soon as it ends and leaves no tree
// behind, and the resolved suite, which no report shows, never becomes one.
Json parse_but_cases(std::string_view source, std::vector<Case>& cases) {
  std::string section;   // key of the document
  bool in_list = false;  // its value is a list
  const auto take = [&](int depth, Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    if (event == Event::key && depth == 1) {
      section = parsed.get<std::string>();
      if (section == "cases") cases.clear();  // of two, the last counts
    }
    if (event == Event::key && depth == 2)
      return section != "run" || parsed.get_ref<const std::string&>() != "resolved_suite";
    if (depth == 1 && (event == Event::array_start || event == Event::array_end))
      in_list = event == Event::array_start;
    const bool ends = event == Event::object_end || event == Event::array_end || event == Event::value;
    if (!ends || depth != 2 || !in_list || section != "cases") return true;
    make_printable(parsed);
    cases.push_back(read_leniently<Case>(parsed));
    return false;
  };
  return Json::parse(source, take, false);
}

}  // namespace

void require_shallow(std::string_view source, const std::string& what) {
  int depth = 0;
  bool inside = false;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const char c = source[i];
    if (inside) {
      if (c == '\\') ++i;
      if (c == '"') inside = false;
    } else if (c == '"') {
      inside = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaximumDepth)
        throw Unreadable(what + " is nested deeper than " + std::to_string(kMaximumDepth) + " levels");
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
}

Document read_document(std::string_view source) {
  require_shallow(source, "the result");
  std::vector<Case> cases;
  Json json = parse_but_cases(source, cases);
  if (!json.is_object()) throw Unreadable("the result is not a JSON object");
  make_printable(json);
  auto out = read_leniently<Document>(json);
  out.cases = std::move(cases);
  if (out.schema_version.substr(0, 2) != "1.") {
    throw Unreadable("the result has schema version '" + out.schema_version +
                     "', and this reporter reads 1.x");
  }
  return out;
}

}  // namespace assay::model
