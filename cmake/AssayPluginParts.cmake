# SPDX-License-Identifier: Apache-2.0
# assay_plugin_library(NAME file...): parts that several plugins share, or a plugin with its tests: compiled once, linked into each.
function(assay_plugin_library name)
  add_library(${name} STATIC ${ARGN})
  target_link_libraries(${name} PRIVATE assay_warnings assay::sdk Threads::Threads)
  target_compile_features(${name} PUBLIC cxx_std_20)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                        VISIBILITY_INLINES_HIDDEN ON)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # As in plugins: unique symbols would be merged with those of other plugins.
    target_compile_options(${name} PRIVATE -fno-gnu-unique)
  endif()
endfunction()

# assay_plugin_test(NAME SOURCES file... LIBRARIES target...): tests of a plugin's parts, beside them.
function(assay_plugin_test name)
  if(NOT ASSAY_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(PLUGIN "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(assay_plugin_${name}_test ${PLUGIN_SOURCES})
  target_link_libraries(assay_plugin_${name}_test PRIVATE assay::sdk assay_warnings Threads::Threads ${PLUGIN_LIBRARIES}
                        GTest::gmock GTest::gtest_main)
  target_include_directories(assay_plugin_${name}_test PRIVATE "${CMAKE_SOURCE_DIR}/plugins")
  gtest_discover_tests(assay_plugin_${name}_test TEST_PREFIX "plugins." DISCOVERY_TIMEOUT 60 PROPERTIES LABELS unit)
endfunction()
