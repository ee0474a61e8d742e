# SPDX-License-Identifier: Apache-2.0
#
# assay_add_google_benchmark_plugin(NAME SOURCES file...
#                                   ID com.acme.kernels     reverse-DNS
#                                   [VERSION 1.0.0]
#                                   [BACKEND host]          that the registrations run on
#                                   [COUNTERS name[:unit]...]  counters that become metrics
#                                   [LIBRARIES target...] and what else assay_add_plugin() takes)
#
# A plugin made of existing registrations of Google Benchmark. The sources stay as they are; a BENCHMARK_MAIN in them
# does no harm. Needs the library (libbenchmark-dev).
include_guard(GLOBAL)

function(assay_add_google_benchmark_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 GOOGLE "" "ID;VERSION;BACKEND" "COUNTERS;SOURCES;LIBRARIES")
  if(NOT GOOGLE_ID OR NOT GOOGLE_SOURCES)
    message(FATAL_ERROR "assay_add_google_benchmark_plugin(${name}) needs ID and SOURCES")
  endif()
  if(NOT GOOGLE_VERSION)
    set(GOOGLE_VERSION "1.0.0")
  endif()
  if(NOT GOOGLE_BACKEND)
    set(GOOGLE_BACKEND host)
  endif()
  if(NOT TARGET benchmark::benchmark)
    find_package(benchmark REQUIRED)
  endif()
  string(REPLACE ";" " " counters "${GOOGLE_COUNTERS}")
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}_plugin.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT
       "#include <assay/google_benchmark.hpp>\n\nASSAY_GOOGLE_BENCHMARK_PLUGIN(\"@GOOGLE_ID@\", \"@GOOGLE_VERSION@\", \"@GOOGLE_BACKEND@\", \"@counters@\")\n"
       @ONLY)
  assay_add_plugin(${name} SOURCES ${GOOGLE_SOURCES} "${source}" LIBRARIES benchmark::benchmark ${GOOGLE_LIBRARIES}
                   ${GOOGLE_UNPARSED_ARGUMENTS})
  # Every registration passes through the plugin, because the library gives no list of them.
  target_link_options(${name} PRIVATE
                      "LINKER:--wrap=_ZN9benchmark8internal25RegisterBenchmarkInternalEPNS0_9BenchmarkE")
endfunction()
