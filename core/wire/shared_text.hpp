// SPDX-License-Identifier: Apache-2.0
//
// A text that other processes read without a copy of their own: the document that reporters render.
#pragma once

#include "base/descriptor.hpp"

#include <cstddef>
#include <string_view>

namespace assay::wire {

// Anonymous memory, sealed so that no process can change it.
class SharedText {
 public:
  // Throws Error "wire.unavailable".
  explicit SharedText(std::string_view text);
  // For processes that inherit it.
  [[nodiscard]] int descriptor() const { return file_.get(); }

 private:
  Descriptor file_;
};

// Such a text in the process that inherited it. A zero byte follows it.
class MappedText {
 public:
  // Throws Error "wire.malformed" if the descriptor does not belong to a SharedText.
  explicit MappedText(int descriptor);
  MappedText(const MappedText&) = delete;  // owns a mapping
  MappedText& operator=(const MappedText&) = delete;
  ~MappedText();
  [[nodiscard]] std::string_view text() const { return {static_cast<const char*>(memory_), size_}; }

 private:
  void* memory_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace assay::wire
