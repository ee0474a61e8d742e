# SPDX-License-Identifier: Apache-2.0
# Options, the build's defaults, and the interface target that carries our own warnings.
include(GNUInstallDirs)

option(ASSAY_BUILD_TESTS "Build the tests" ON)
option(ASSAY_BUILD_PERF "Build the benchmarks in tests/perf" OFF)
option(ASSAY_BUILD_FUZZ "Build the libFuzzer programs of tests/fuzz (needs clang)" OFF)
option(ASSAY_UNITY "Compile the files of a component together: quick from nothing, slow after an edit" OFF)
set(ASSAY_SANITIZE "" CACHE STRING "Sanitizers for our own code, for example address,undefined or thread")

set(CMAKE_UNITY_BUILD_BATCH_SIZE 16)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# Most components read, judge and write what others took long to measure: -O1 compiles them a quarter faster than -O2. Where processors
# are busy for long (plugins, statistics, measure) ASSAY_BUSY_FLAGS stand instead; plugins choose further for their measured code.
set(CMAKE_CXX_FLAGS_RELEASE "-O1 -DNDEBUG")
set(ASSAY_BUSY_FLAGS "-O2 -DNDEBUG")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC looks for memory to free long before memory is scarce, which takes it a tenth of its time.
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=500000>")
endif()

# With debug information most of the time between an edit and its test goes into linking.
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  include(CheckLinkerFlag)
  foreach(linker lld gold)
    check_linker_flag(CXX -fuse-ld=${linker} ASSAY_LINKS_WITH_${linker})
    if(ASSAY_LINKS_WITH_${linker})
      add_link_options($<$<LINK_LANGUAGE:C,CXX>:-fuse-ld=${linker}>)
      break()
    endif()
  endforeach()
endif()

add_library(assay_warnings INTERFACE)
target_compile_options(assay_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:C,CXX>:-Wall;-Wextra;-Wpedantic;-Wconversion;-Wno-sign-conversion>
  # What a local name of one file shadows in the next one is not a mistake.
  $<$<AND:$<COMPILE_LANGUAGE:C,CXX>,$<NOT:$<BOOL:${ASSAY_UNITY}>>>:-Wshadow>
  # nvcc's own output is not pedantic. 186: comparing an unsigned template argument with zero.
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wshadow,-Wno-parentheses;--diag-suppress=186>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 sees overlapping copies in std::string's own code (its bug 105651).
  target_compile_options(assay_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()

if(ASSAY_SANITIZE)
  add_compile_options(-fsanitize=${ASSAY_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${ASSAY_SANITIZE})
endif()

if(ASSAY_BUILD_FUZZ)
  # Everything is instrumented; the programs themselves add libFuzzer's main.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# What tests of components link besides what they test.
add_library(assay_testing INTERFACE)
target_link_libraries(assay_testing INTERFACE assay_warnings GTest::gmock GTest::gtest_main)
if(ASSAY_SANITIZE)
  # Tests are half of all code, and what is looked at runs in the libraries: these are optimised, which takes three times as long.
  target_compile_options(assay_testing INTERFACE -O0)
endif()

# The build tree has the layout of the installed tree, so that the program finds its plugins in both the same way.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(ASSAY_PLUGIN_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib/assay/plugins")
set(ASSAY_PLUGIN_INSTALL_DIRECTORY "lib/assay/plugins")
