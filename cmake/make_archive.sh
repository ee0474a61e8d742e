#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# make_archive.sh BUILD DIST NAME: installs the build into a staging folder, adds the libraries that a bare machine lacks with their licences, and
# packs DIST/NAME.tar.gz. Prints its path, then what it asks of the machine. Not added: the C library, libstdc++, and the driver, CUDA and NCCL, which belong to the machine.
set -euo pipefail
build=$1 dist=$2 name=$3

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
for component in runtime plugins sdk; do
  cmake --install "$build" --prefix "$stage/$name" --component "$component" >/dev/null
done

bundled="$stage/$name/lib/assay/bundled"
mkdir -p "$bundled"
licences="$stage/$name/share/doc/assay/third-party"
mkdir -p "$licences"

# The distribution's package that a library's file comes from.
package_of() {
  local file
  file=$(readlink -f "$1")
  # Files below /lib may be registered there or below /usr/lib.
  { dpkg-query -S "$file" 2>/dev/null || dpkg-query -S "${file#/usr}" 2>/dev/null || true; } | head -n 1 | cut -d: -f1
}

# keep_licence WHAT PACKAGE: the text that the distribution keeps for the package, and the common ones that it refers to.
keep_licence() {
  local text="/usr/share/doc/$2/copyright" common
  if [ -z "$2" ] || [ ! -r "$text" ]; then
    echo "The archive would hold $1 without its licence: no package's copyright file was found for it." >&2
    exit 1
  fi
  cp --dereference "$text" "$licences/$2.txt"
  while read -r common; do
    if [ -r "$common" ]; then cp --dereference "$common" "$licences/common-${common##*/}.txt"; fi
  done < <(grep -oE '/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' "$text" | sort -u)
  printf '%s  %s.txt\n' "$1" "$2" >>"$licences/index.new"
}

# Compiled into the program and the plugins from the libraries' headers.
for package in libboost-dev libcli11-dev nlohmann-json3-dev libfmt-dev; do keep_licence "headers of $package" "$package"; done
# Plugins for GPUs hold the CUDA runtime.
if [ -n "$(find "$stage/$name/lib/assay/plugins" -name '*_cuda.so')" ]; then
  toolkit=$(sed -n 's/^ASSAY_CUDA_TOOLKIT:[^=]*=//p' "$build/CMakeCache.txt")
  # Toolkits keep their terms beside them; those from Python packages keep them for each package.
  for text in "$toolkit/EULA.txt" "$toolkit"/dist-info/nvidia_cuda_runtime-*/licenses/License.txt /usr/share/doc/cuda-cudart*/copyright; do
    if [ -r "$text" ]; then
      cp --dereference "$text" "$licences/cuda-runtime.txt"
      printf 'CUDA runtime (in plugins for GPUs)  cuda-runtime.txt\n' >>"$licences/index.new"
      break
    fi
  done
  if [ ! -e "$licences/cuda-runtime.txt" ]; then
    echo "The archive would hold the CUDA runtime without its licence: no EULA was found in '$toolkit'." >&2
    exit 1
  fi
fi

# Fused attention is made from the headers of cuDNN's frontend, where they were found; Python's package keeps their terms beside them.
frontend=$(sed -n 's/^ASSAY_CUDNN_FRONTEND_INCLUDE:[^=]*=//p' "$build/CMakeCache.txt")
if [ -e "$stage/$name/lib/assay/plugins/train_step_cuda.so" ] && [ -e "$frontend/cudnn_frontend.h" ]; then
  for text in "$frontend"/../nvidia_cudnn_frontend-*.dist-info/licenses/LICENSE* "$frontend"/../LICENSE*; do
    if [ -r "$text" ]; then
      cp --dereference "$text" "$licences/cudnn-frontend.txt"
      printf 'headers of cuDNN frontend (in train_step@cuda)  cudnn-frontend.txt\n' >>"$licences/index.new"
      break
    fi
  done
  if [ ! -e "$licences/cudnn-frontend.txt" ]; then
    echo "The archive would hold code of cuDNN's frontend without its licence: none was found beside '$frontend'." >&2
    exit 1
  fi
elif [ -e "$stage/$name/lib/assay/plugins/train_step_cuda.so" ]; then
  echo "Attention on GPUs is never fused in this archive: headers of cuDNN's frontend were not found (pip install nvidia-cudnn-frontend)." >&2
fi

belongs_to_the_machine='^(ld-linux.*|libc|libm|libdl|librt|libpthread|libresolv|libstdc\+\+|libgcc_s|libcuda|libcudart|libcublas.*|libnvidia.*|libnccl|linux-vdso)\.so'
# The loader resolves run paths in the staged tree, so what is found elsewhere is what it lacks.
while read -r library path; do
  if [[ $library =~ $belongs_to_the_machine ]] || [[ $path == "$stage"/* ]]; then continue; fi
  cp --dereference --update "$path" "$bundled/$library"
  keep_licence "$library" "$(package_of "$path")"
done < <(find "$stage/$name/bin" "$stage/$name/lib/assay/plugins" -type f \( -perm -u+x -o -name '*.so' \) -exec ldd {} + 2>/dev/null |
         awk '$2 == "=>" && $3 ~ /^\// {print $1, $3}' | sort -u)

{ printf 'What this archive holds of others, and under which terms:\n\n'; sort -u "$licences/index.new"; } >"$licences/README.txt"
rm "$licences/index.new"

# Whole outputs are read: a reader that stops early ends the writer, which counts as a failure of the pipe.
if missing=$(ldd "$stage/$name/bin/assay" | grep 'not found'); then
  printf '%s\n' "$missing" >&2
  echo "The archive would not run: the libraries above are missing on this machine." >&2
  exit 1
fi
mkdir -p "$dist"
tar -C "$stage" --sort=name --owner=0 --group=0 --numeric-owner -czf "$dist/$name.tar.gz.new" "$name"
mv "$dist/$name.tar.gz.new" "$dist/$name.tar.gz"
printf '%s\n' "$dist/$name.tar.gz"
newest() { find "$stage/$name" -type f \( -perm -u+x -o -name '*.so*' \) -exec objdump -T {} + 2>/dev/null | grep -oE "\b$1_[0-9.]+" | sort -Vu | tail -1; }
printf 'It runs where there are %s and %s, or newer.\n' "$(newest GLIBC)" "$(newest GLIBCXX)"
