// SPDX-License-Identifier: Apache-2.0
//
// Bytes from the other end of a worker's socket: frames, then the messages in them. The bytes come in two
// pieces, cut where the first byte says.
#include "base/error.hpp"
#include "wire/channel.hpp"
#include "wire/messages.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace {

template <class Read>
void attempt(const assay::Json& json, Read read) {
  try {
    static_cast<void>(assay::wire::encode_frame(to_json(read(json))));
  } catch (const assay::Error&) {
    return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t cut = bytes.empty() ? 0 : data[0] % (bytes.size() + 1);
  assay::wire::FrameReader reader;
  try {
    for (const std::string_view piece : {bytes.substr(0, cut), bytes.substr(cut)}) {
      reader.append(piece);
      while (const auto json = reader.next()) {
        attempt(*json, assay::wire::load_from_json);
        attempt(*json, assay::wire::start_visit_from_json);
        attempt(*json, assay::wire::visited_from_json);
      }
    }
  } catch (const assay::Error&) {
    return 0;
  }
  return 0;
}
