# SPDX-License-Identifier: Apache-2.0
#
# assay_add_plugin(NAME SOURCES file...
#                  [LIBRARIES target...]         linked privately
#                  [MANIFEST file.json]          use this manifest instead of running the plugin (cross builds)
#                  [COMMITTED_MANIFEST file.json] add a test that the generated manifest equals this file
#                  [OUTPUT_DIRECTORY folder]     instead of ASSAY_PLUGIN_OUTPUT_DIRECTORY
#                  [STATIC_CXX_RUNTIME]          carry libstdc++ and libgcc inside
#                  [NO_INSTALL])
#
# A plugin: NAME.so, which exports one symbol, and NAME.assay.json beside it. In ASSAY_PLUGIN_INSTALL_DIRECTORY
# (lib/assay/plugins) after installation, where Assay finds it under the same prefix.
#
# assay_test_plugin(NAME [SUITES file...] [ARGUMENTS argument...] [NEEDS_DEVICE])
#
# Tests of a plugin that assay_add_plugin() made, run with the installed command `assay` (ASSAY_COMMAND):
# NAME.check is `assay plugin check`, NAME.SUITE runs a suite. ARGUMENTS go to both, such as --plugin-dir FOLDER.
# With NEEDS_DEVICE, both are skipped where the device is missing, and NAME.check.without_device makes the checks that need none.
#
# assay_add_manifest(file.json)
#
# Installs a committed manifest of a plugin that this build leaves out, so that its benchmarks are still listed.
include_guard(GLOBAL)

set(_assay_cmake_directory "${CMAKE_CURRENT_LIST_DIR}")

function(assay_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 PLUGIN "STATIC_CXX_RUNTIME;NO_INSTALL"
                        "MANIFEST;COMMITTED_MANIFEST;OUTPUT_DIRECTORY" "SOURCES;LIBRARIES")
  if(PLUGIN_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "assay_add_plugin(${name}): unknown argument '${PLUGIN_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT PLUGIN_SOURCES)
    message(FATAL_ERROR "assay_add_plugin(${name}) needs SOURCES")
  endif()
  if(PLUGIN_OUTPUT_DIRECTORY)
    get_filename_component(output "${PLUGIN_OUTPUT_DIRECTORY}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  elseif(ASSAY_PLUGIN_OUTPUT_DIRECTORY)
    set(output "${ASSAY_PLUGIN_OUTPUT_DIRECTORY}")
  else()
    set(output "${CMAKE_CURRENT_BINARY_DIR}")
  endif()

  add_library(${name} MODULE ${PLUGIN_SOURCES})
  target_link_libraries(${name} PRIVATE assay::sdk ${PLUGIN_LIBRARIES})
  if(TARGET assay_warnings)
    target_link_libraries(${name} PRIVATE assay_warnings)
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if("CXX" IN_LIST languages)
    target_compile_features(${name} PRIVATE cxx_std_17)
  endif()
  set_target_properties(${name} PROPERTIES
    PREFIX "" SUFFIX ".so"
    LIBRARY_OUTPUT_DIRECTORY "${output}"
    POSITION_INDEPENDENT_CODE ON
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    # The same in both trees: CMake pads the build tree's with empty entries, which mean the current folder.
    INSTALL_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON)

  set(map "${_assay_cmake_directory}/assay_plugin.map")
  target_link_options(${name} PRIVATE "LINKER:--version-script=${map}")
  set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS "${map}")
  # Clang leaves a sanitizer's symbols to the program.
  if(NOT (ASSAY_SANITIZE AND CMAKE_CXX_COMPILER_ID MATCHES "Clang"))
    target_link_options(${name} PRIVATE "LINKER:-z,defs")
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Unique symbols would be merged with those of other plugins.
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-gnu-unique>)
  endif()
  if(PLUGIN_STATIC_CXX_RUNTIME)
    target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc "LINKER:--exclude-libs,ALL")
  endif()

  set(manifest "${output}/${name}.assay.json")
  if(PLUGIN_MANIFEST)
    get_filename_component(given "${PLUGIN_MANIFEST}" ABSOLUTE)
    set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS "${given}")
    add_custom_command(TARGET ${name} POST_BUILD COMMAND "${CMAKE_COMMAND}" -E copy "${given}" "${manifest}"
                       BYPRODUCTS "${manifest}" VERBATIM)
  else()
    add_dependencies(${name} assay::describe)
    add_custom_command(TARGET ${name} POST_BUILD
                       COMMAND assay::describe "$<TARGET_FILE:${name}>" -o "${manifest}"
                       BYPRODUCTS "${manifest}" COMMENT "Describing ${name}" VERBATIM)
  endif()
  set_target_properties(${name} PROPERTIES ASSAY_MANIFEST "${manifest}")

  if(PLUGIN_COMMITTED_MANIFEST)
    get_filename_component(committed "${PLUGIN_COMMITTED_MANIFEST}" ABSOLUTE)
    add_test(NAME ${name}.manifest
             COMMAND "${CMAKE_COMMAND}" "-DGENERATED=${manifest}" "-DCOMMITTED=${committed}"
                     -P "${_assay_cmake_directory}/assay_compare_manifest.cmake")
    set_tests_properties(${name}.manifest PROPERTIES LABELS unit)
  endif()

  if(NOT PLUGIN_NO_INSTALL)
    _assay_plugin_install_directory(destination)
    install(TARGETS ${name} LIBRARY DESTINATION "${destination}" COMPONENT plugins)
    install(FILES "${manifest}" DESTINATION "${destination}" COMPONENT plugins)
  endif()
endfunction()

function(assay_test_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 PLUGIN "NEEDS_DEVICE" "" "SUITES;ARGUMENTS")
  if(PLUGIN_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "assay_test_plugin(${name}): unknown argument '${PLUGIN_UNPARSED_ARGUMENTS}'")
  endif()
  find_program(ASSAY_COMMAND assay HINTS "${_assay_cmake_directory}/../../../bin" DOC "The command of Assay")
  if(NOT ASSAY_COMMAND)
    message(FATAL_ERROR "assay_test_plugin(${name}): the command 'assay' was not found; install Assay beside the SDK, "
                        "name it with -DASSAY_COMMAND=/path/to/assay, or leave tests out with -DBUILD_TESTING=OFF")
  endif()
  add_test(NAME ${name}.check COMMAND "${ASSAY_COMMAND}" plugin check "$<TARGET_FILE:${name}>" ${PLUGIN_ARGUMENTS})
  foreach(suite IN LISTS PLUGIN_SUITES)
    get_filename_component(file "${suite}" ABSOLUTE)
    get_filename_component(stem "${suite}" NAME_WE)
    # Results lie in assay-results/ of the build folder.
    add_test(NAME ${name}.suite.${stem} WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}"
             COMMAND "${ASSAY_COMMAND}" run "${file}" --plugin "$<TARGET_FILE:${name}>" -q ${PLUGIN_ARGUMENTS})
    list(APPEND tests ${name}.suite.${stem})
  endforeach()
  # Measured one after another, whatever else ctest runs at the same time.
  set_tests_properties(${name}.check ${tests} PROPERTIES RUN_SERIAL ON TIMEOUT 1800 LABELS integration)
  if(PLUGIN_NEEDS_DEVICE)
    # 6: what is needed is not here (docs/reference/outcomes.md).
    set_tests_properties(${name}.check ${tests} PROPERTIES SKIP_RETURN_CODE 6)
    add_test(NAME ${name}.check.without_device
             COMMAND "${ASSAY_COMMAND}" plugin check "$<TARGET_FILE:${name}>" --without-device ${PLUGIN_ARGUMENTS})
    set_tests_properties(${name}.check.without_device PROPERTIES LABELS integration)
  endif()
endfunction()

function(assay_add_manifest file)
  get_filename_component(committed "${file}" ABSOLUTE)
  get_filename_component(file_name "${committed}" NAME)
  if(ASSAY_PLUGIN_OUTPUT_DIRECTORY)
    configure_file("${committed}" "${ASSAY_PLUGIN_OUTPUT_DIRECTORY}/${file_name}" COPYONLY)
  endif()
  _assay_plugin_install_directory(destination)
  install(FILES "${committed}" DESTINATION "${destination}" COMPONENT plugins)
endfunction()

function(_assay_plugin_install_directory out)
  if(ASSAY_PLUGIN_INSTALL_DIRECTORY)
    set(${out} "${ASSAY_PLUGIN_INSTALL_DIRECTORY}" PARENT_SCOPE)
  else()
    set(${out} "lib/assay/plugins" PARENT_SCOPE)
  endif()
endfunction()
