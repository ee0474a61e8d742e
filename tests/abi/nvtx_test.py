#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A plugin may have sources that find NVTX's header (nvcc does by itself) and sources that do not: to both, the SDK's types are the same."""

import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# What assay/nvtx.hpp uses of the library, with a tool that always listens.
LIBRARY = """#pragma once
#include <cstdint>
#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE 48
#define NVTX_MESSAGE_TYPE_ASCII 1
#define NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 1
struct nvtxEventAttributes_t {
  int version, size, messageType, payloadType;
  struct { const char* ascii; } message;
  struct { std::uint64_t ullValue; } payload;
};
typedef struct nvtxDomain* nvtxDomainHandle_t;
inline int depth = 0;
inline nvtxDomainHandle_t nvtxDomainCreateA(const char*) { return reinterpret_cast<nvtxDomainHandle_t>(&depth); }
inline void nvtxDomainDestroy(nvtxDomainHandle_t) {}
inline void nvtxDomainRangePushEx(nvtxDomainHandle_t, const nvtxEventAttributes_t*) { ++depth; }
inline void nvtxDomainRangePop(nvtxDomainHandle_t) { --depth; }
"""

SOURCE = """#include <assay/detail/plugin_state.hpp>
#include <cstddef>
std::size_t size_NAME() { return sizeof(assay::detail::PluginState); }
bool listened_to_NAME() {
  const assay::nvtx::Domain domain("com.acme.test");
  const assay::nvtx::Range range(domain, "a range", 3);
  return domain.listened_to();
}
"""

MAIN = """#include <cstddef>
std::size_t size_with();
std::size_t size_without();
bool listened_to_with();
bool listened_to_without();
int main() {
  if (size_with() != size_without()) return 1;
  return listened_to_with() && listened_to_without() ? 0 : 2;
}
"""


class Nvtx(unittest.TestCase):
    def test_sources_with_and_without_the_header_agree(self):
        with tempfile.TemporaryDirectory(prefix="assay-nvtx-") as name:
            folder = pathlib.Path(name)
            (folder / "nvtx3").mkdir()
            (folder / "nvtx3/nvToolsExt.h").write_text(LIBRARY, encoding="utf-8")
            (folder / "main.cpp").write_text(MAIN, encoding="utf-8")
            # With the linker's own comparison of definitions: a type or function that differs is an error.
            compile_one = ["g++", "-std=c++17", "-Wall", "-Wextra", "-flto", "-O1", "-c", f"-I{ROOT / 'sdk/include'}"]
            for source, options in (("with", [f"-I{folder}"]), ("without", ["-DASSAY_NO_NVTX"]), ("main", [])):
                if source != "main":
                    (folder / f"{source}.cpp").write_text(SOURCE.replace("NAME", source), encoding="utf-8")
                subprocess.run([*compile_one, *options, f"{source}.cpp", "-o", f"{source}.o"], cwd=folder, check=True)
            linked = subprocess.run(["g++", "-flto", "-O1", "-Wodr", "-Werror=odr", "with.o", "without.o", "main.o", "-o", "program"], cwd=folder,
                                    capture_output=True, text=True)
            self.assertEqual((linked.returncode, linked.stderr), (0, ""))
            self.assertEqual(subprocess.run([folder / "program"]).returncode, 0)


if __name__ == "__main__":
    unittest.main()
