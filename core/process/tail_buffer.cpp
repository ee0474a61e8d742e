// SPDX-License-Identifier: Apache-2.0
#include "process/tail_buffer.hpp"

#include "text/text.hpp"

namespace assay::process {

void TailBuffer::append(std::string_view bytes) {
  total_ += bytes.size();
  if (bytes.size() >= limit_) {
    kept_.assign(bytes.substr(bytes.size() - limit_));
    return;
  }
  kept_.append(bytes);
  if (kept_.size() > 2 * limit_) kept_.erase(0, kept_.size() - limit_);
}

void TailBuffer::clear() {
  total_ = 0;
  kept_.clear();
}

std::string TailBuffer::text() const {
  if (total_ <= limit_) return printable(kept_);
  std::string_view last = kept_;
  if (last.size() > limit_) last.remove_prefix(last.size() - limit_);
  if (const std::size_t newline = last.find('\n');
      newline != std::string_view::npos && newline + 1 < last.size()) {
    last.remove_prefix(newline + 1);
  }
  return "[… " + std::to_string(total_ - last.size()) + " bytes left out]\n" + printable(last);
}

}  // namespace assay::process
