// SPDX-License-Identifier: Apache-2.0
#include "system/census.hpp"

#include "system/json_reader.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>

namespace assay::system {
namespace {

// "PCI, driver and NVML".
std::string listed_names(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + printable(names[i]);
  return text;
}

std::vector<Census::Gap> gaps_of(const JsonReader& census, const char* key) {
  std::vector<Census::Gap> gaps;
  for (const JsonReader& gap : census.objects(key))
    gaps.push_back({gap.required_text("device"), gap.text("why")});
  return gaps;
}

// "6 are withheld: CUDA_VISIBLE_DEVICES leaves them out" of one reason or several.
std::string withheld_text(const Census& census) {
  std::vector<std::string> reasons;
  for (const Census::Gap& gap : census.withheld) {
    const std::string why = gap.why.empty() ? "no reason is given" : printable(gap.why);
    add_once(reasons, why);
  }
  std::string text = std::to_string(census.withheld.size()) + " more " +
                     (census.withheld.size() == 1 ? "is" : "are") + " withheld: ";
  // One reason may speak of each device; three show the kind.
  constexpr std::size_t kShown = 3;
  for (std::size_t i = 0; i < std::min(reasons.size(), kShown); ++i)
    text += (i == 0 ? "" : "; ") + reasons[i];
  return text + (reasons.size() > kShown ? "; …" : "");
}

}  // namespace

std::optional<Census> census_of(const Backend& backend) {
  const auto fact = backend.facts.find("census");
  if (fact == backend.facts.end()) return std::nullopt;
  const JsonReader reader(backend.facts, "/backends/" + backend.name + "/facts");
  const Json object = reader.object("census");
  const JsonReader from(object, "/backends/" + backend.name + "/facts/census");
  Census census;
  if (const std::string kind = from.text("kind"); !kind.empty()) census.kind = kind;
  for (const JsonReader& known : from.objects("known"))
    census.known.push_back({known.required_text("by"), known.size("devices")});
  census.missing = gaps_of(from, "missing");
  census.withheld = gaps_of(from, "withheld");
  return census;
}

std::string to_text(const Census& census, std::size_t listed) {
  std::vector<std::string> names;
  std::string others;
  for (const Census::CountByTool& known : census.known) {
    if (known.devices == listed) {
      names.push_back(known.by);
    } else {
      others +=
          (others.empty() ? "" : ", ") + printable(known.by) + " knows " + std::to_string(known.devices);
    }
  }
  std::string text = count_of(listed, printable(census.kind));
  if (!names.empty()) {
    text += std::string(", as ") + listed_names(names) + (names.size() == 1 ? " knows " : " know ") +
            (listed == 1 ? "it" : "them");
  }
  if (!others.empty()) text += "; " + others;
  if (!census.withheld.empty()) text += "; " + withheld_text(census);
  return text;
}

}  // namespace assay::system
