# SPDX-License-Identifier: Apache-2.0
# What runs (as against what tests), and the relocatable archive.
set(runtime_targets assay)
foreach(folder IN ITEMS reporters plugins)
  file(GLOB children RELATIVE "${CMAKE_SOURCE_DIR}/${folder}" "${CMAKE_SOURCE_DIR}/${folder}/*/CMakeLists.txt")
  list(TRANSFORM children REPLACE "/CMakeLists.txt$" "")
  foreach(child IN ITEMS . ${children})
    get_property(targets DIRECTORY "${CMAKE_SOURCE_DIR}/${folder}/${child}" PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
      get_target_property(type ${target} TYPE)
      if(type STREQUAL "MODULE_LIBRARY")
        list(APPEND runtime_targets ${target})
        # In the archive the libraries that a bare machine lacks lie beside the plugins' folder.
        set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN:$ORIGIN/../bundled")
      endif()
    endforeach()
  endforeach()
endforeach()
add_custom_target(assay_runtime DEPENDS ${runtime_targets})

# What suites/quick.yaml runs: './dev run' builds no other benchmark first. What is called NAME_host or NAME_cuda is the benchmark NAME.
file(STRINGS "${CMAKE_SOURCE_DIR}/suites/quick.yaml" uses REGEX "^ +uses: ")
list(TRANSFORM uses REPLACE "^ +uses: ([a-z0-9_]+).*" "\\1")
list(REMOVE_DUPLICATES uses)
foreach(use IN LISTS uses)
  if(NOT "${use}_host" IN_LIST runtime_targets)
    message(FATAL_ERROR "suites/quick.yaml uses the benchmark '${use}', and there is no target ${use}_host: call its target so")
  endif()
endforeach()
list(JOIN uses "|" uses)
set(quick_targets ${runtime_targets})
list(FILTER quick_targets INCLUDE REGEX "^((${uses})_(host|cuda)|host|cuda|external|assay|reporter_.*)$")
set_property(DIRECTORY "${CMAKE_SOURCE_DIR}/suites" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/suites/quick.yaml")
add_custom_target(assay_quick DEPENDS ${quick_targets})

# The old kind of run path: it also serves the libraries that bundled libraries need.
set_target_properties(assay PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/assay/bundled")
target_link_options(assay PRIVATE LINKER:--disable-new-dtags)

# With the pages that README links to: an archive is all that its reader has.
install(FILES "${CMAKE_SOURCE_DIR}/README.md" "${CMAKE_SOURCE_DIR}/LICENSE" "${CMAKE_SOURCE_DIR}/CHANGELOG.md"
              "${CMAKE_SOURCE_DIR}/CONTRIBUTING.md"
        DESTINATION share/doc/assay COMPONENT runtime)
install(DIRECTORY "${CMAKE_SOURCE_DIR}/docs" DESTINATION share/doc/assay COMPONENT runtime)

set(ASSAY_ARCHIVE "assay-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR}")
add_custom_target(package_archive
  COMMAND "${CMAKE_SOURCE_DIR}/cmake/make_archive.sh" "${CMAKE_BINARY_DIR}" "${CMAKE_SOURCE_DIR}/dist" "${ASSAY_ARCHIVE}"
  DEPENDS assay_runtime assay_describe USES_TERMINAL VERBATIM)
