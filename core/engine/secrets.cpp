// SPDX-License-Identifier: Apache-2.0
#include "engine/secrets.hpp"

#include "base/pattern.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace assay::engine {
namespace {

// Anywhere in a name; as whole words between underscores; as the ends of such words.
constexpr std::array<std::string_view, 8> kParts = {"TOKEN",      "SECRET",     "PASSWORD", "PASSWD",
                                                    "PASSPHRASE", "CREDENTIAL", "APIKEY",   "COOKIE"};
constexpr std::array<std::string_view, 10> kWords = {"KEY",   "KEYS",   "PAT", "PATS",  "AUTH",
                                                     "OAUTH", "BEARER", "SAS", "CREDS", "LOGIN"};
constexpr std::array<std::string_view, 3> kEndings = {"PASS", "PWD", "JWT"};
// The folders where a shell is and was, and a socket's path: what it opens is not in it.
constexpr std::array<std::string_view, 3> kHarmless = {"PWD", "OLDPWD", "SSH_AUTH_SOCK"};
constexpr std::array<std::string_view, 2> kHarmlessWords = {"BYPASS", "COMPASS"};

bool is_secret_word(std::string_view word) {
  if (contains(kHarmlessWords, word)) return false;
  return contains(kWords, word) ||
         std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view ending) { return word.ends_with(ending); });
}

bool is_secret_name(std::string_view written) {
  const std::string name = upper_case(written);
  if (contains(kHarmless, name)) return false;
  if (std::any_of(kParts.begin(), kParts.end(),
                  [&](std::string_view part) { return name.find(part) != std::string::npos; }))
    return true;
  for (std::string_view rest = name;;) {
    const std::size_t end = rest.find('_');
    if (is_secret_word(rest.substr(0, end))) return true;
    if (end == std::string_view::npos) return false;
    rest.remove_prefix(end + 1);
  }
}

// Of GitHub, GitLab, Slack, OpenAI, AWS, Google and Hugging Face; JSON web tokens; keys as PEM; addresses.
bool is_secret_value(const std::string& value) {
  static const Pattern kToken(
      R"((^|[^A-Za-z0-9])(gh[opusr]_[A-Za-z0-9]{20}|github_pat_\w{20}|glpat-[\w-]{16}|xox[abeoprs]-[\w-]{10}|)"
      R"(sk-[\w-]{20}|A[KS]IA[0-9A-Z]{16}|AIza[\w-]{35}|hf_[A-Za-z0-9]{20}|eyJ[\w-]{8,}\.[\w-]+\.))");
  static const Pattern kKey("-----BEGIN ");
  static const Pattern kAddress(R"(://[^/@\s:]*:[^/@\s]+@)");
  return kToken.is_found_in(value) || kKey.is_found_in(value) || kAddress.is_found_in(value);
}

}  // namespace

bool is_secret(const std::string& name, const std::string& value) {
  return is_secret_name(name) || is_secret_value(value);
}

}  // namespace assay::engine
