# SPDX-License-Identifier: Apache-2.0
# assay_plugin_test(NAME SOURCES file...): tests of a plugin's parts, beside them.
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
