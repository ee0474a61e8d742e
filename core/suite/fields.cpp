// SPDX-License-Identifier: Apache-2.0
#include "suite/fields.hpp"

#include "base/suggest.hpp"
#include "suite/characters.hpp"
#include "suite/scalar.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <set>

namespace assay::suite {

namespace {

constexpr std::size_t kLongestName = 64;

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  return "'" +
         printable(text.size() > kLongest ? std::string(text.substr(0, kLongest)) + "…" : std::string(text)) +
         "'";
}

// Where a key belongs that stands one level too high or too low; "" if it belongs to neither level.
std::string other_home(KeyScope place, std::string_view name) {
  const auto is_near = [](KeyScope where) {
    return where == KeyScope::suite || where == KeyScope::one_case || where == KeyScope::measure ||
           where == KeyScope::matrix;
  };
  if (!is_near(place)) return {};
  for (const Key& key : keys())
    if (is_near(key.place) && key.name == name)
      return key.place == KeyScope::suite ? "it belongs at the top of the file"
                                          : "it belongs in " + std::string(describe(key.place));
  return {};
}

}  // namespace

bool is_identifier(std::string_view text) {
  return !text.empty() && is_letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

bool misspelt(const Node& node, KeyScope place, const Key& key) {
  return std::any_of(node.entries.begin(), node.entries.end(), [&](const auto& entry) {
    return find_key(place, entry.first->text) == nullptr &&
           !suggestion(entry.first->text, {std::string(key.name)}).empty();
  });
}

bool MapFields::begin_map(const Node& node, KeyScope place, bool partial) const {
  const std::string where(describe(place));
  if (node.kind != Node::Kind::map) {
    error("suite.type", node.position, where + " must be a map, not " + describe(node),
          "its keys are " + join(key_names(place), ", "));
    return false;
  }
  for (const Key* key : keys_of(place))
    if (key->required && !partial && !node.find(key->name) && !misspelt(node, place, *key))
      error("suite.missing-key", node.position, where + " needs '" + std::string(key->name) + "'",
            "add '" + std::string(key->name) + ": " + std::string(key->example) + "'");
  return true;
}

const Key* MapFields::accept(const Node& name, const Node& value, KeyScope place) const {
  const Key* key = find_key(place, name.text);
  if (!key) {
    std::string hint = other_home(place, name.text);
    if (hint.empty())
      hint = suggestion(name.text, key_names(place),
                        place == KeyScope::one_case ? "a parameter goes under 'with' or 'matrix'"
                                                    : "its keys are " + join(key_names(place), ", "));
    error("suite.unknown-key", name.position,
          "unknown key " + in_quotes(name.text) + " in " + std::string(describe(place)), hint);
    return nullptr;
  }
  if (value.kind == Node::Kind::null) {
    error("suite.type", name.position, "'" + std::string(key->name) + "' has no value",
          "write " + describe(*key) + ", or leave the key out");
    return nullptr;
  }
  return key;
}

void MapFields::wrong(const Key& key, const Node& node) const {
  error("suite.type", node.position,
        "'" + std::string(key.name) + "' must be " + describe(key) + ", not " + describe(node),
        describe(key).find("like ") != std::string::npos ? "" : "for example " + std::string(key.example));
}

bool MapFields::is(Node::Kind kind, const Key& key, const Node& node) const {
  if (node.kind != kind) wrong(key, node);
  return node.kind == kind;
}

std::optional<Located<std::string>> MapFields::text(const Key& key, const Node& node) const {
  if (!is(Node::Kind::scalar, key, node)) return std::nullopt;
  const auto scalar = read_scalar(node, ScalarUse::typed, diagnostics_);
  if (!scalar) return std::nullopt;
  if (scalar->kind != Scalar::Kind::text) {
    error("suite.type", node.position,
          "'" + std::string(key.name) + "' must be text; " + in_quotes(node.text) + " reads as a " +
              (scalar->kind == Scalar::Kind::boolean ? "boolean" : "number"),
          "write \"" + node.text + "\"");
    return std::nullopt;
  }
  if (node.text.empty()) {
    error("suite.empty", node.position, "'" + std::string(key.name) + "' is empty",
          "write " + describe(key) + ", or leave the key out");
    return std::nullopt;
  }
  return Located<std::string>{node.text, node.position};
}

std::optional<Located<std::string>> MapFields::name(const Key& key, const Node& node) const {
  auto found = text(key, node);
  if (!found) return found;
  const bool dots = key.place == KeyScope::suite;
  const std::string& value = found->value;
  const bool fits = (is_letter(value[0]) || (dots && is_digit(value[0]))) &&
                    std::all_of(value.begin(), value.end(), [&](char c) {
                      return is_letter(c) || is_digit(c) || c == '-' || (dots && c == '.');
                    });
  if (value.size() > kLongestName) {
    error("suite.value", node.position,
          "the name has " + std::to_string(value.size()) + " characters, more than the limit of " +
              std::to_string(kLongestName),
          "shorten it");
  } else if (!fits) {
    error("suite.value", node.position, in_quotes(value) + " can't be a name",
          std::string("a name begins with a letter") + (dots ? " or digit" : "") +
              " and has letters, digits, '_' and '-'" +
              (dots ? ", '.'; write sentences as 'description'" : ""));
  } else {
    return found;
  }
  return std::nullopt;
}

std::optional<Located<std::string>> MapFields::choice(const Key& key, const Node& node) const {
  if (!is(Node::Kind::scalar, key, node)) return std::nullopt;
  if (contains(key.values, node.text)) return Located<std::string>{node.text, node.position};
  const std::string near = nearest(node.text, key.values);
  error("suite.value", node.position, "'" + std::string(key.name) + "' can't be " + in_quotes(node.text),
        near.empty() ? "it is " + describe(key) : "did you mean '" + near + "'?");
  return std::nullopt;
}

bool MapFields::within(const Key& key, double value, const Node& node) const {
  const bool counts = key.form == Form::count || key.form == Form::devices ||
                      key.form == Form::device_count || key.form == Form::statuses;
  const bool low = counts ? value < key.minimum : value <= key.minimum;
  if (!low && value <= key.maximum) return true;
  const auto shown = [&](double limit) {
    if (key.form == Form::percent) return to_text(Quantity{limit, {}, true});
    if (key.form == Form::duration && limit >= 3600) return shortest(limit / 3600) + "h";
    if (key.form == Form::duration) return shortest(limit) + "s";
    return shortest(limit);
  };
  const std::string limit = !low     ? "at most " + shown(key.maximum)
                            : counts ? "at least " + shown(key.minimum)
                                     : "more than " + shown(key.minimum);
  error("suite.value", node.position, "'" + std::string(key.name) + "' is " + in_quotes(node.text),
        "it must be " + limit);
  return false;
}

std::optional<Located<std::uint64_t>> MapFields::count(const Key& key, const Node& node) const {
  if (!is(Node::Kind::scalar, key, node)) return std::nullopt;
  const auto scalar = read_scalar(node, ScalarUse::typed, diagnostics_);
  if (!scalar) return std::nullopt;
  if (scalar->kind != Scalar::Kind::integer) {
    wrong(key, node);
    return std::nullopt;
  }
  if (!within(key, scalar->number, node)) return std::nullopt;
  return Located<std::uint64_t>{static_cast<std::uint64_t>(scalar->integer), node.position};
}

std::optional<Quantity> MapFields::quantity(const Key& key, const Node& node, Dimension wanted) const {
  const bool share = key.form == Form::percent;
  if (!is(Node::Kind::scalar, key, node)) return std::nullopt;
  const std::string example = "for example " + std::string(key.example);
  const std::string name = "'" + std::string(key.name) + "'";
  const auto found = parse_quantity(node.text);
  if (!found) {
    // "5 sec": the number is fine, so the rest is to blame.
    const std::size_t unit = node.text.find_first_not_of("+-.0123456789 ");
    if (unit == 0 || unit == std::string::npos || node.text.find_first_of("0123456789") > unit) {
      wrong(key, node);
      return std::nullopt;
    }
    const std::vector<std::string> units =
        share              ? std::vector<std::string>{"%"}
        : wanted.data == 1 ? std::vector<std::string>{"B", "KiB", "MiB", "GiB", "TiB", "GB"}
                           : std::vector<std::string>{"s", "ms", "us", "ns", "min", "h"};
    error("suite.unit", places_of(node)[unit],
          in_quotes(node.text.substr(unit)) + " is not a unit that " + name + " can have",
          suggestion(node.text.substr(unit), units));
    return std::nullopt;
  }
  if (share ? found->percent : (found->dimension == wanted && !found->percent))
    return within(key, found->value, node) ? found : std::nullopt;
  if (found->dimension.none() && !found->percent)
    error("suite.unit", node.position,
          name + " needs a " + (share ? "'%'" : "unit") + " after " + in_quotes(node.text), example);
  else
    error("suite.unit", node.position,
          name + " must be " + describe(key) + "; " + in_quotes(node.text) + " is " +
              (found->percent ? "a percentage" : describe(found->dimension)),
          {});
  return std::nullopt;
}

std::optional<Located<double>> MapFields::duration(const Key& key, const Node& node) const {
  const auto found = quantity(key, node, Dimension{.time = 1});
  if (!found) return std::nullopt;
  return Located<double>{found->value, node.position};
}

std::optional<Located<double>> MapFields::percent(const Key& key, const Node& node) const {
  const auto found = quantity(key, node, {});
  if (!found) return std::nullopt;
  return Located<double>{found->value, node.position};
}

std::optional<Located<std::string>> MapFields::benchmark(const Key& key, const Node& node) const {
  auto found = text(key, node);
  if (!found) return found;
  // NAME[@BACKEND[:PLUGIN]]; a plugin's id has dots.
  const std::string_view all = found->value;
  const std::size_t at = all.find('@');
  const std::string_view name = all.substr(0, at);
  bool fits = is_identifier(name);
  if (at != std::string_view::npos) {
    const std::string_view rest = all.substr(at + 1);
    const std::size_t colon = rest.find(':');
    fits = fits && is_identifier(rest.substr(0, colon));
    if (colon != std::string_view::npos) {
      const std::string_view plugin = rest.substr(colon + 1);
      fits = fits && !plugin.empty() && std::all_of(plugin.begin(), plugin.end(), [](char c) {
               return is_letter(c) || is_digit(c) || c == '.' || c == '-';
             });
    }
  }
  if (fits) return found;
  error("suite.value", node.position, in_quotes(found->value) + " names no benchmark",
        "write NAME, NAME@BACKEND or NAME@BACKEND:PLUGIN, like gemm@cuda");
  return std::nullopt;
}

namespace {

bool is_library(std::string_view name) {
  return !name.empty() && name.front() != '.' && std::all_of(name.begin(), name.end(), [](char c) {
    return is_letter(c) || is_digit(c) || c == '_' || c == '.' || c == '+' || c == '-';
  });
}

bool is_version(std::string_view text) {
  bool digit = false;
  for (const char c : text) {
    if (!is_digit(c) && (c != '.' || !digit)) return false;
    digit = is_digit(c);
  }
  return digit;
}

}  // namespace

// `is_one` says whether a text may be one, `none` what to say of one that may not.
std::vector<Located<std::string>> MapFields::names(const Key& key, const Node& node,
                                                   bool (*is_one)(std::string_view), const std::string& kind,
                                                   const std::string& examples) const {
  std::vector<Located<std::string>> found;
  const std::string hint = "name one, like " + std::string(kind == "backend" ? "cuda" : "nccl");
  for_each_item(key, node, hint, [&](const Node& item) {
    auto value = text(key, item);
    if (!value) return;
    const auto same = [&](const Located<std::string>& other) { return other.value == value->value; };
    if (!is_one(value->value))
      error("suite.value", item.position, in_quotes(value->value) + " names no " + kind, examples);
    else if (std::any_of(found.begin(), found.end(), same))
      error("suite.duplicate", item.position, in_quotes(value->value) + " is there twice",
            "keep one of them");
    else
      found.push_back(std::move(*value));
  });
  return found;
}

std::vector<Located<std::string>> MapFields::backends(const Key& key, const Node& node) const {
  return names(key, node, is_identifier, "backend", "backends are like cuda or host");
}

std::vector<Located<std::string>> MapFields::libraries(const Key& key, const Node& node) const {
  return names(key, node, is_library, "library", "libraries are like nccl, for libnccl.so");
}

std::optional<bool> MapFields::flag(const Key& key, const Node& node) const {
  if (node.kind == Node::Kind::scalar && !node.quoted && (node.text == "true" || node.text == "false"))
    return node.text == "true";
  wrong(key, node);
  return std::nullopt;
}

std::optional<Located<std::string>> MapFields::version_text(const Key& key, const Node& node) const {
  std::string_view version = node.text;
  const bool least = version.starts_with(">=");
  if (least) version.remove_prefix(2);
  while (least && version.starts_with(' ')) version.remove_prefix(1);
  if (node.kind == Node::Kind::scalar && is_version(version))
    return Located<std::string>{(least ? ">=" : "") + std::string(version), node.position};
  wrong(key, node);
  return std::nullopt;
}

std::vector<Located<std::string>> MapFields::files(const Key& key, const Node& node) const {
  std::vector<Located<std::string>> found;
  for_each_item(key, node, {}, [&](const Node& item) {
    if (auto value = text(key, item)) found.push_back(std::move(*value));
  });
  return found;
}

std::optional<DeviceChoice> MapFields::devices(const Key& key, const Node& node) const {
  DeviceChoice devices;
  devices.position = node.position;
  if (node.kind == Node::Kind::list) {
    if (node.items.empty()) {
      error("suite.empty", node.position, "'devices' is an empty list",
            "name devices, like [cuda:0, cuda:2], or write all");
      return std::nullopt;
    }
    devices.kind = DeviceChoice::Kind::list;
    std::set<std::string> seen;
    bool good = true;
    for (const NodePtr& item : node.items) {
      const std::size_t colon = item->text.find(':');
      const bool fits = item->kind == Node::Kind::scalar && colon != std::string::npos &&
                        is_identifier(std::string_view(item->text).substr(0, colon)) &&
                        colon + 1 < item->text.size() && item->text.size() - colon < 6 &&
                        std::all_of(item->text.begin() + static_cast<std::ptrdiff_t>(colon) + 1,
                                    item->text.end(), is_digit);
      if (!fits)
        error("suite.value", item->position, describe(*item) + " names no device", "devices are like cuda:0");
      else if (!seen.insert(item->text).second)
        error("suite.duplicate", item->position, in_quotes(item->text) + " is there twice",
              "keep one of them");
      else
        devices.list.push_back({item->text, item->position});
      good = good && fits;
    }
    if (!good) return std::nullopt;
    return devices;
  }
  if (!is(Node::Kind::scalar, key, node)) return std::nullopt;
  const auto scalar = read_scalar(node, ScalarUse::typed, diagnostics_);
  if (!scalar) return std::nullopt;
  if (scalar->kind == Scalar::Kind::integer) {
    if (!within(key, scalar->number, node)) return std::nullopt;
    devices.kind = DeviceChoice::Kind::count;
    devices.count = static_cast<int>(scalar->integer);
    return devices;
  }
  if (node.text == "each") devices.kind = DeviceChoice::Kind::each;
  if (node.text == "all") devices.kind = DeviceChoice::Kind::all;
  if (node.text == "pairs") devices.kind = DeviceChoice::Kind::pairs;
  if (devices.kind != DeviceChoice::Kind::unset) return devices;
  const std::string near = nearest(node.text, key.values);
  error("suite.value", node.position, "'devices' can't be " + in_quotes(node.text),
        node.text.find(':') != std::string::npos ? "write a list: [" + printable(node.text) + "]"
        : near.empty()                           ? "it is " + describe(key)
                                                 : "did you mean '" + near + "'?");
  return std::nullopt;
}

std::optional<Bind> MapFields::bind(const Key& key, const Node& node) const {
  Bind bind;
  bind.position = node.position;
  if (node.kind == Node::Kind::map) {
    bind.kind = Bind::Kind::explicit_nodes;
    if (!read_map(node, bind)) return std::nullopt;
    const auto is_wrong = [&](std::string_view name, const std::string& text) {
      const Node* value = node.find(name);
      return value != nullptr && value->kind != Node::Kind::null && text.empty();
    };
    if (is_wrong("cpu", bind.cpu) || is_wrong("memory", bind.memory)) return std::nullopt;
    return bind;
  }
  const auto found = choice(key, node);
  if (!found) return std::nullopt;
  if (found->value == "inherit") bind.kind = Bind::Kind::inherit;
  if (found->value == "local") bind.kind = Bind::Kind::local;
  if (found->value == "remote") bind.kind = Bind::Kind::remote;
  return bind;
}

}  // namespace assay::suite
