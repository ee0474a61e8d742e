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
