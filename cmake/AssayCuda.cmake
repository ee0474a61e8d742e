# SPDX-License-Identifier: Apache-2.0
# The CUDA compiler, if there is one. Without it (ASSAY_HAS_CUDA is then false) benchmarks on GPUs are left out and listed all the
# same, by their committed manifests; the backend `cuda` needs no toolkit and is always built.
option(ASSAY_CUDA "Build the benchmarks on NVIDIA GPUs where the CUDA compiler is found" ON)

set(ASSAY_HAS_CUDA OFF)
if(NOT ASSAY_CUDA)
  set(left_out "ASSAY_CUDA is off")
elseif(ASSAY_SANITIZE OR ASSAY_BUILD_FUZZ)
  set(left_out "sanitizers and fuzzers do not go with nvcc")
else()
  find_program(ASSAY_NVCC nvcc HINTS ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
  if(ASSAY_NVCC)
    if(NOT CMAKE_CUDA_COMPILER)
      set(CMAKE_CUDA_COMPILER "${ASSAY_NVCC}")
    endif()
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      # Code for Hopper, and an intermediate form that later GPUs' drivers compile. all-major serves older ones, too.
      set(CMAKE_CUDA_ARCHITECTURES 90)
    endif()
    set(CMAKE_CUDA_STANDARD 17)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    # Inside the plugin: a machine needs the driver, not the toolkit.
    set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    set(ASSAY_HAS_CUDA ON)
    # As the compiler itself tells: what is found first in PATH may be a script or a link elsewhere. Its licence lies there.
    set(ASSAY_CUDA_TOOLKIT "${CMAKE_CUDA_COMPILER_TOOLKIT_ROOT}" CACHE INTERNAL "Root of the CUDA toolkit")
    # Its header only: the library is opened at run time. Plugins that see none say so where NCCL is asked for.
    find_path(ASSAY_NCCL_INCLUDE nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
    if(ASSAY_NCCL_INCLUDE)
      file(STRINGS "${ASSAY_NCCL_INCLUDE}/nccl.h" nccl_version REGEX "^#define NCCL_VERSION_CODE [0-9]+")
      # An older one lacks functions that are called: as if there were none.
      if(nccl_version MATCHES "CODE ([0-9]+)" AND CMAKE_MATCH_1 LESS 21900)
        set(ASSAY_NCCL_INCLUDE OFF)
      endif()
    endif()
  else()
    set(left_out "no CUDA compiler (nvcc) was found; name one with -DCMAKE_CUDA_COMPILER=/path/to/nvcc, or set CUDACXX")
  endif()
endif()
if(NOT ASSAY_HAS_CUDA)
  message(NOTICE "Benchmarks on NVIDIA GPUs are left out: ${left_out}")
endif()

# assay_add_cuda_plugin(NAME COMMITTED_MANIFEST file …): assay_add_plugin(), or only the manifest where there is no CUDA compiler.
function(assay_add_cuda_plugin name)
  if(ASSAY_HAS_CUDA)
    assay_add_plugin(${name} ${ARGN})
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 PLUGIN "STATIC_CXX_RUNTIME" "COMMITTED_MANIFEST" "SOURCES;LIBRARIES")
  assay_add_manifest("${PLUGIN_COMMITTED_MANIFEST}")
endfunction()
