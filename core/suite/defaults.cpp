// SPDX-License-Identifier: Apache-2.0
#include "suite/case_reader.hpp"

#include <set>
#include <string>

namespace assay::suite {

namespace {

using Names = std::set<std::string>;

bool is_axis_word(KeyScope place, const std::string& name) {
  const Key* key = find_key(place, name);
  return key && key->axis;
}

const Node* map_in(const Node& node, std::string_view key) {
  const Node* found = node.find(key);
  return found && found->kind == Node::Kind::map ? found : nullptr;
}

// Settings with one value, by the name that an axis over them would have.
Names fixed_in(const Node& node) {
  Names names;
  if (const Node* with = map_in(node, "with"))
    for (const auto& [name, value] : with->entries) names.insert(name->text);
  if (const Node* env = map_in(node, "env"))
    for (const auto& [name, value] : env->entries) names.insert("env." + name->text);
  if (const Node* measure = map_in(node, "measure"))
    for (const auto& [name, value] : measure->entries)
      if (is_axis_word(KeyScope::measure, name->text)) names.insert(name->text);
  for (const auto& [name, value] : node.entries)
    if (is_axis_word(KeyScope::one_case, name->text)) names.insert(name->text);
  return names;
}

// The axis' own name and, for a list of maps, what the maps set.
Names names_of_axis(const Node& name, const Node& value) {
  Names names = {name.text};
  for (const NodePtr& item : value.items)
    for (const auto& [inner, scalar] : item->entries) names.insert(inner->text);
  return names;
}

Names swept_in(const Node& node) {
  Names names;
  if (const Node* matrix = map_in(node, "matrix"))
    for (const auto& [name, value] : matrix->entries)
      if (!find_key(KeyScope::matrix, name->text)) names.merge(names_of_axis(*name, *value));
  return names;
}

bool meet(const Names& a, const Names& b) {
  for (const std::string& name : a)
    if (b.contains(name)) return true;
  return false;
}

// `entry` of the defaults' map `map` ("" for the case itself) says something that the case says in another
// way.
bool overruled(std::string_view map, const Node& name, const Node& value, const Node& own, const Names& fixed,
               const Names& swept) {
  if (map.empty()) return is_axis_word(KeyScope::one_case, name.text) && swept.contains(name.text);
  if (map == "with") return swept.contains(name.text);
  if (map == "env") return swept.contains("env." + name.text);
  if (map == "measure") {
    const Node* measure = map_in(own, "measure");
    if (measure && name.text == "precision" && measure->find("samples")) return true;
    if (measure && name.text == "samples" && measure->find("precision")) return true;
    return is_axis_word(KeyScope::measure, name.text) && swept.contains(name.text);
  }
  if (map == "matrix" && !find_key(KeyScope::matrix, name.text)) {
    Names names = names_of_axis(name, value);
    if (meet(names, fixed)) return true;
    names.erase(name.text);  // the same axis in the case replaces this one anyway
    return meet(names, swept);
  }
  return false;
}

}  // namespace

NodePtr merge_defaults(const NodePtr& defaults, const NodePtr& own) {
  if (!defaults || defaults->kind != Node::Kind::map || own->kind != Node::Kind::map) return own;
  const Names fixed = fixed_in(*own);
  const Names swept = swept_in(*own);
  auto merged = std::make_shared<Node>(*own);
  merged->entries.clear();
  for (const auto& [name, value] : defaults->entries) {
    if (overruled("", *name, *value, *own, fixed, swept)) continue;
    const Node* mine = own->find(name->text);
    if (value->kind != Node::Kind::map) {
      if (!mine) merged->entries.emplace_back(name, value);
      continue;
    }
    if (mine && mine->kind != Node::Kind::map) continue;
    auto map = std::make_shared<Node>(mine ? *mine : *value);
    map->entries.clear();
    for (const auto& entry : value->entries)
      if (!(mine && mine->find(entry.first->text)) &&
          !overruled(name->text, *entry.first, *entry.second, *own, fixed, swept))
        map->entries.push_back(entry);
    if (mine) map->entries.insert(map->entries.end(), mine->entries.begin(), mine->entries.end());
    if (!map->entries.empty() || value->entries.empty()) merged->entries.emplace_back(name, std::move(map));
  }
  for (const auto& [name, value] : own->entries) {
    const Node* theirs = merged->find(name->text);
    if (!theirs) merged->entries.emplace_back(name, value);
  }
  return merged;
}

}  // namespace assay::suite
