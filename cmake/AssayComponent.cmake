# SPDX-License-Identifier: Apache-2.0
# assay_component(NAME USES COMPONENT... LIBRARIES TARGET...)
#
# One component of core: every *.cpp in its folder is the static library assay_<component>, every *_test.cpp beside them its test
# program assay_<component>_test. Files are picked up by name, so adding one needs no edit here.
#
# With ASSAY_UNITY a component's files are compiled together, sixteen at a time: most of the time goes into headers that they share.
# Names in anonymous namespaces must then differ within a component.
function(assay_component name)
  cmake_parse_arguments(COMPONENT "" "" "USES;LIBRARIES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  if(sources)
    add_library(assay_${name} STATIC ${sources})
    set(scope PUBLIC)
    target_link_libraries(assay_${name} PRIVATE assay_warnings)
    set_target_properties(assay_${name} PROPERTIES UNITY_BUILD ${ASSAY_UNITY})
  else()
    add_library(assay_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(assay_${name} ${scope} "${CMAKE_SOURCE_DIR}/core")
  list(TRANSFORM COMPONENT_USES PREPEND assay_)
  target_link_libraries(assay_${name} ${scope} ${COMPONENT_USES} ${COMPONENT_LIBRARIES})
  if(tests AND ASSAY_BUILD_TESTS)
    add_executable(assay_${name}_test ${tests})
    target_link_libraries(assay_${name}_test PRIVATE assay_${name} assay_test_folders assay_testing)
    set_target_properties(assay_${name}_test PROPERTIES UNITY_BUILD ${ASSAY_UNITY})
    gtest_discover_tests(assay_${name}_test TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60 PROPERTIES LABELS unit)
  endif()
endfunction()
