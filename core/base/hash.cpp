// SPDX-License-Identifier: Apache-2.0
#include "base/hash.hpp"

#include <sha2.h>
#include <sys/types.h>

#include <array>
#include <cstdint>

namespace assay {

std::string sha256(std::string_view data) {
  std::array<char, SHA256_DIGEST_STRING_LENGTH> text{};
  SHA256Data(reinterpret_cast<const std::uint8_t*>(data.data()), data.size(), text.data());
  return text.data();
}

}  // namespace assay
