# SPDX-License-Identifier: Apache-2.0
# cmake -DGENERATED=file -DCOMMITTED=file -P assay_compare_manifest.cmake
foreach(file GENERATED COMMITTED)
  if(NOT EXISTS "${${file}}")
    message(FATAL_ERROR "'${${file}}' does not exist")
  endif()
endforeach()
execute_process(COMMAND "${CMAKE_COMMAND}" -E compare_files "${GENERATED}" "${COMMITTED}" RESULT_VARIABLE differ
                OUTPUT_QUIET ERROR_QUIET)
if(differ)
  find_program(diff diff)
  if(diff)
    execute_process(COMMAND "${diff}" -u "${COMMITTED}" "${GENERATED}")
  endif()
  message(FATAL_ERROR "The committed manifest is not what the plugin says of itself. If the change is meant:\n"
                      "  cp '${GENERATED}' '${COMMITTED}'")
endif()
