// SPDX-License-Identifier: Apache-2.0
#include "base/hash.hpp"

#include "base/error.hpp"
#include "base/file.hpp"

#include <fcntl.h>
#include <sha2.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <vector>

namespace assay {

std::string sha256(std::string_view data) {
  std::array<char, SHA256_DIGEST_STRING_LENGTH> text{};
  SHA256Data(reinterpret_cast<const std::uint8_t*>(data.data()), data.size(), text.data());
  return text.data();
}

std::string sha256_of_file(const std::filesystem::path& path) {
  const Descriptor file = open_regular(path, O_RDONLY);
  SHA2_CTX context;
  SHA256Init(&context);
  std::vector<std::uint8_t> block(std::size_t{1} << 16);
  ssize_t count = 0;
  while ((count = ::read(file.get(), block.data(), block.size())) > 0 || (count < 0 && errno == EINTR)) {
    if (count > 0) SHA256Update(&context, block.data(), static_cast<std::size_t>(count));
  }
  if (count < 0) {
    throw Error("file.unreadable",
                "'" + path.string() + "' cannot be read: " + std::generic_category().message(errno));
  }
  std::array<char, SHA256_DIGEST_STRING_LENGTH> text{};
  return SHA256End(&context, text.data());
}

}  // namespace assay
