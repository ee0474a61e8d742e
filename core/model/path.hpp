// SPDX-License-Identifier: Apache-2.0
//
// Where in a document something is wrong, and what is said of it.
#pragma once

#include "base/error.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace assay::model {

// What is read, for the text of an error: "SUBJECT: 'ranks[1].rank' is missing; ADVICE".
struct DocumentSource {
  const char* code;  // of the Error
  std::string subject;
  std::string advice;
  // Of a report about what may be damaged: what is missing or of another type keeps its member's default.
  bool is_lenient = false;
  // Fields that are details keep their defaults (field.hpp), and a word that a Vocabulary lacks is its `other`.
  bool is_brief = false;
};
inline const DocumentSource kLenient{"", "", "", true};
inline const DocumentSource kLenientInBrief{"", "", "", true, true};

// Where in the document; built into text only when something is wrong.
class Path {
 public:
  explicit Path(const DocumentSource& source) : source_(&source) {}
  Path(const Path& parent, std::string_view key) : source_(parent.source_), parent_(&parent), key_(key) {}
  Path(const Path& parent, std::size_t index)
      : source_(parent.source_), parent_(&parent), index_(index), is_index_(true) {}

  [[noreturn]] void fault(const std::string& problem) const {
    const std::string place = parent_ == nullptr ? "it" : "'" + text() + "'";
    throw Error(source_->code, source_->subject + ": " + place + " " + problem + "; " + source_->advice);
  }
  // False where that is to be overlooked.
  bool wrong(const std::string& problem) const {
    if (!source_->is_lenient) fault(problem);
    return false;
  }

  [[nodiscard]] bool is_brief() const { return source_->is_brief; }

 private:
  [[nodiscard]] std::string text() const {
    const std::string before = parent_->parent_ == nullptr ? "" : parent_->text();
    if (is_index_) return before + "[" + std::to_string(index_) + "]";
    return before.empty() ? std::string(key_) : before + "." + std::string(key_);
  }

  const DocumentSource* source_;
  const Path* parent_ = nullptr;
  std::string_view key_;
  std::size_t index_ = 0;
  bool is_index_ = false;
};

}  // namespace assay::model
