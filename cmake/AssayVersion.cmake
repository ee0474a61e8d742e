# SPDX-License-Identifier: Apache-2.0
# Run by every build: a result says which sources its figures are of, so a commit that was read at configuration would be wrong after the next.
#   cmake -D SOURCES=… -D PROJECT_VERSION=… -D TEMPLATE=… -D OUTPUT=… -P AssayVersion.cmake
# The commit has "-dirty" behind it where files of it were changed. OUTPUT is left alone if it says so already.
set(ASSAY_COMMIT unknown)
# An archive of the sources may lie in a repository of something else.
execute_process(COMMAND git -C "${SOURCES}" rev-parse --show-prefix RESULT_VARIABLE failed OUTPUT_VARIABLE prefix
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(failed EQUAL 0 AND prefix STREQUAL "")
  execute_process(COMMAND git -C "${SOURCES}" describe --always --dirty --exclude=* RESULT_VARIABLE failed OUTPUT_VARIABLE described
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(failed EQUAL 0)
    set(ASSAY_COMMIT "${described}")
  endif()
endif()
configure_file("${TEMPLATE}" "${OUTPUT}" @ONLY)
