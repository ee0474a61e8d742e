// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace assay::check {

enum class Result {
  passed,
  failed,
  skipped,     // does not apply to this plugin
  not_checked  // applies, and could not be checked here: no device, a library is missing. Not green
};
[[nodiscard]] std::string_view to_text(Result result);
[[nodiscard]] bool from_text(std::string_view text, Result& result);  // false if it is none
// Which of two decides: a failure before what was not checked, that before what passed, that before what does
// not apply.
[[nodiscard]] bool graver(Result result, Result than);

// What one check found, in one sentence without a full stop; empty if there is nothing to add to `passed`.
struct Verdict {
  Result result = Result::passed;
  std::string text;
};
[[nodiscard]] inline Verdict passed(std::string text = {}) { return {Result::passed, std::move(text)}; }
[[nodiscard]] inline Verdict failed(std::string text) { return {Result::failed, std::move(text)}; }
[[nodiscard]] inline Verdict skipped(std::string text) { return {Result::skipped, std::move(text)}; }
[[nodiscard]] inline Verdict not_checked(std::string text) { return {Result::not_checked, std::move(text)}; }

}  // namespace assay::check
