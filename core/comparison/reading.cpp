// SPDX-License-Identifier: Apache-2.0
#include "comparison/reading.hpp"

#include "base/error.hpp"
#include "base/json_limits.hpp"
#include "model/document_json.hpp"
#include "text/json_cursor.hpp"
#include "text/utf8.hpp"

#include <functional>
#include <map>
#include <set>
#include <utility>

namespace assay::comparison {
namespace {

class ReadingOf {
 public:
  ReadingOf(std::string_view document, const std::string& source)
      : document_(document), name_("'" + printable(source) + "'") {
    out_.source = printable(source);
  }

  LoadedResult read() {
    // Of another version nothing is read, wherever its number stands.
    std::map<std::string, std::string_view> waiting;
    bool is_known = false;
    try {
      JsonCursor cursor(document_, kMaximumJsonKeys);
      cursor.members([&](JsonCursor& value, std::string_view key) {
        if (key == "schema_version") {
          check_version(value);
          is_known = true;
        } else if (is_known) {
          take(key, value);
        } else {
          std::string name(key);
          waiting[std::move(name)] = value.pass();
        }
      });
      cursor.end();
      if (!is_known) malformed("is not a result of assay: it has no schema_version");
      for (const auto& [key, text] : waiting) {
        JsonCursor value(text, kMaximumJsonKeys);
        take(key, value);
      }
    } catch (const BadJson&) {
      malformed("is not JSON, or is cut off");
    }
    for (const char* key : {"verdict", "run", "cases"}) {
      if (!taken_.contains(key)) malformed("is not whole: it has no '" + std::string(key) + "'");
    }
    return std::move(out_);
  }

 private:
  [[noreturn]] void malformed(const std::string& what) const {
    throw Error("result.malformed",
                name_ + " " + what + "; take another result, or the folder or journal of its run");
  }

  void check_version(JsonCursor& value) const {
    std::string version;
    if (value.kind() != JsonKind::text)
      malformed("is not a result of assay: its schema_version is not a text");
    value.text(version);
    if (version.starts_with("comparison-")) malformed("is a comparison, and two results are compared");
    if (!version.starts_with("1.")) {
      throw Error("result.version", name_ + " has schema version " + version +
                                        ", and this assay reads version 1: use the assay that wrote it");
    }
  }

  void take(std::string_view key, JsonCursor& value) {
    const model::DocumentSource source{"result.malformed", name_ + " is not whole",
                                       "take another result, or judge its journal anew", false, true};
    taken_.emplace(key);
    model::read_member<model::Document>(model::TextCursor(value), key, out_, model::Path(source));
  }

  std::string_view document_;
  std::string name_;
  std::set<std::string, std::less<>> taken_;
  LoadedResult out_;
};

}  // namespace

LoadedResult read_result(std::string_view document, const std::string& source) {
  return ReadingOf(document, source).read();
}

}  // namespace assay::comparison
