// SPDX-License-Identifier: Apache-2.0
#include "base/hash.hpp"

#include "base/error.hpp"

#include <sha2.h>
#include <sys/types.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>

namespace assay {

std::string sha256(std::string_view data) {
  std::array<char, SHA256_DIGEST_STRING_LENGTH> text{};
  SHA256Data(reinterpret_cast<const std::uint8_t*>(data.data()), data.size(), text.data());
  return text.data();
}

std::string sha256_of_file(const std::filesystem::path& path) {
  std::error_code ignored;
  std::array<char, SHA256_DIGEST_STRING_LENGTH> text{};
  if (!std::filesystem::is_regular_file(path, ignored) || SHA256File(path.c_str(), text.data()) == nullptr) {
    throw Error("file.unreadable",
                "'" + path.string() + "' cannot be read: " + std::generic_category().message(errno));
  }
  return text.data();
}

}  // namespace assay
