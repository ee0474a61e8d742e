// SPDX-License-Identifier: Apache-2.0
#include "result/journal_format.hpp"

#include "base/hash.hpp"

namespace assay::result {
namespace {

constexpr std::string_view kSum = R"(,"sha256":")";
constexpr std::string_view kEnd = R"("})";
constexpr std::size_t kDigits = 64;
constexpr std::size_t kTail = kSum.size() + kDigits + kEnd.size();

}  // namespace

std::string sealed(std::string object) {
  object.pop_back();
  const std::string sum = sha256(object);
  object += kSum;
  object += sum;
  object += kEnd;
  return object;
}

bool is_sealed(std::string_view line) {
  if (line.size() <= kTail) return false;
  const std::string_view before = line.substr(0, line.size() - kTail);
  std::string_view rest = line.substr(before.size());
  if (!rest.starts_with(kSum) || !rest.ends_with(kEnd)) return false;
  return rest.substr(kSum.size(), kDigits) == sha256(before);
}

std::string other_format(const Json& format) {
  return "the journal has format " + format.dump() + ", this program reads format " +
         std::to_string(kJournalFormat) + ": use the version that wrote it";
}

}  // namespace assay::result
