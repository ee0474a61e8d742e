// SPDX-License-Identifier: Apache-2.0
#include "comparison/variants.hpp"

#include "base/error.hpp"
#include "model/variants.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace assay::comparison {

namespace {

class SidesOfResult {
 public:
  SidesOfResult(const LoadedResult& result, const std::string& before, const std::string& after)
      : result_(result) {
    out_.before = side(before, &SideValues::before);
    out_.after = side(after, &SideValues::after);
    bool is_in_both = false;
    for (const auto& [id, values] : by_id_) {
      if (values.before == nullptr || values.after == nullptr) continue;
      is_in_both = true;
      for (const model::VariedSetting& each : model::varied_settings(*values.before, *values.after)) {
        varied_[each.name].first.insert(each.before);
        varied_[each.name].second.insert(each.after);
      }
    }
    if (!is_in_both)
      throw Error("result.no-variants", "'" + result.source + "' has no case with the variants '" +
                                            printable(before) + "' and '" + printable(after) + "'");
    for (const auto& [name, texts] : varied_)
      out_.differences.push_back({name, join({texts.first.begin(), texts.first.end()}, ", "),
                                  join({texts.second.begin(), texts.second.end()}, ", ")});
  }

  VariantSides take() { return std::move(out_); }

 private:
  struct SideValues {
    const Json *before = nullptr, *after = nullptr;
  };

  LoadedResult side(const std::string& name, const Json* SideValues::*value) {
    LoadedResult side;
    side.source = result_.source;
    side.variant = name;
    side.run = result_.run;
    for (const model::Case& one : result_.cases) {
      const auto axis = std::find_if(one.axes.begin(), one.axes.end(), [](const model::Axis& each) {
        return model::is_variant(each.name, each.value);
      });
      if (axis == one.axes.end() || axis->text != name) continue;
      side.cases.push_back(one);
      side.cases.back().id = model::id_without(one.id, axis->name, axis->text);
      side.cases.back().comparison_key = model::id_without(one.comparison_key, axis->name, axis->text);
      by_id_[side.cases.back().id].*value = &axis->value;
    }
    return side;
  }

  const LoadedResult& result_;
  std::map<std::string, SideValues> by_id_;
  std::map<std::string, std::pair<std::set<std::string>, std::set<std::string>>> varied_;
  VariantSides out_;
};

}  // namespace

VariantSides sides_of_variants(const LoadedResult& result, const std::string& before,
                               const std::string& after) {
  return SidesOfResult(result, before, after).take();
}

}  // namespace assay::comparison
