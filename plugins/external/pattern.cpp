// SPDX-License-Identifier: Apache-2.0
#include "external/pattern.hpp"

#include <assay/errors.hpp>

#include <re2/re2.h>

#include <cstddef>
#include <cstdint>

namespace assay::plugins::external {
namespace {

constexpr std::size_t kMostMemory = std::size_t{8} << 20;  // of the compiled expression

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

Pattern::Pattern(const std::string& text) {
  // Bytes are characters: output need not be UTF-8.
  re2::RE2::Options options(re2::RE2::Latin1);
  options.set_log_errors(false);
  options.set_max_mem(static_cast<std::int64_t>(kMostMemory));
  auto compiled = std::make_shared<const re2::RE2>(piece(text), options);
  if (!compiled->ok())
    throw Failure("'" + text + "' is not a regular expression: " + compiled->error(), ASSAY_E_INVALID,
                  "external.output");
  compiled_ = std::move(compiled);
}

std::optional<Pattern::Groups> Pattern::search(std::string_view text, std::size_t& begin) const {
  if (begin > text.size()) return std::nullopt;
  const auto count = static_cast<std::size_t>(compiled_->NumberOfCapturingGroups()) + 1;
  std::vector<re2::StringPiece> parts(count);
  if (!compiled_->Match(piece(text), begin, text.size(), re2::RE2::UNANCHORED, parts.data(),
                        static_cast<int>(count)))
    return std::nullopt;
  if (parts[0].empty() && begin > 0) return std::nullopt;  // the end of what was found before
  const auto end = static_cast<std::size_t>(parts[0].data() + parts[0].size() - text.data());
  begin = parts[0].empty() ? end + 1 : end;
  Groups groups;
  for (std::size_t i = 1; i < count; ++i) {
    if (parts[i].data() == nullptr)
      groups.emplace_back();
    else
      groups.emplace_back(std::string_view(parts[i].data(), parts[i].size()));
  }
  return groups;
}

}  // namespace assay::plugins::external
