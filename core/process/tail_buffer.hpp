// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace assay::process {

// Keeps the last `limit` bytes of what is appended, whatever the amount.
class TailBuffer {
 public:
  explicit TailBuffer(std::size_t limit) : limit_(limit) {}

  void append(std::string_view bytes);
  void clear();
  [[nodiscard]] bool empty() const { return total_ == 0; }
  // Printable, cut at a line's start; says how much was left out.
  [[nodiscard]] std::string text() const;

 private:
  std::size_t limit_;
  std::size_t total_ = 0;  // bytes that were appended
  std::string kept_;       // at most twice the limit, so that bytes are moved seldom
};

}  // namespace assay::process
