# SPDX-License-Identifier: Apache-2.0
# cmake -DGENERATED=file -DCOMMITTED=file -P assay_compare_manifest.cmake
foreach(file GENERATED COMMITTED)
  if(NOT EXISTS "${${file}}")
    message(FATAL_ERROR "'${${file}}' does not exist")
  endif()
  file(READ "${${file}}" ${file}_text)
  # Which version of a library a plugin needs is what it was built with: CUDA 12 has libcublasLt.so.12, CUDA 13 its successor.
  string(REGEX REPLACE "(\"soname\": \"[^\"]*\\.so)\\.[0-9.]+\"" "\\1\"" ${file}_text "${${file}_text}")
endforeach()
if(NOT GENERATED_text STREQUAL COMMITTED_text)
  find_program(diff diff)
  if(diff)
    execute_process(COMMAND "${diff}" -u "${COMMITTED}" "${GENERATED}")
  endif()
  message(FATAL_ERROR "The committed manifest is not what the plugin says of itself. If the change is meant:\n"
                      "  cp '${GENERATED}' '${COMMITTED}'")
endif()
