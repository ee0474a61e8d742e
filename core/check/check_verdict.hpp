// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace assay::check {

enum class CheckStatus {
  passed,
  failed,
  skipped,     // does not apply to this plugin
  not_checked  // applies, and could not be checked here: no device, a library is missing. Not green
};
[[nodiscard]] std::string_view to_text(CheckStatus result);
[[nodiscard]] bool from_text(std::string_view text, CheckStatus& result);  // false if it is none
// Which of two decides: a failure before what was not checked, that before what passed, that before what does
// not apply.
[[nodiscard]] bool is_worse(CheckStatus result, CheckStatus than);

// What one check found, in one sentence without a full stop; empty if there is nothing to add to `passed`.
struct CheckVerdict {
  CheckStatus result = CheckStatus::passed;
  std::string text;
};
[[nodiscard]] inline CheckVerdict passed(std::string text = {}) {
  return {CheckStatus::passed, std::move(text)};
}
[[nodiscard]] inline CheckVerdict failed(std::string text) { return {CheckStatus::failed, std::move(text)}; }
[[nodiscard]] inline CheckVerdict skipped(std::string text) {
  return {CheckStatus::skipped, std::move(text)};
}
[[nodiscard]] inline CheckVerdict not_checked(std::string text) {
  return {CheckStatus::not_checked, std::move(text)};
}

}  // namespace assay::check
