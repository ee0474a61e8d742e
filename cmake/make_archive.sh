#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# make_archive.sh BUILD DIST NAME: installs the build into a staging folder, adds the libraries that a bare machine lacks, and packs
# DIST/NAME.tar.gz. Prints its path, then what it asks of the machine. Not added: the C library, libstdc++, and the driver, CUDA and NCCL, which belong to the machine.
set -euo pipefail
build=$1 dist=$2 name=$3

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
for component in runtime plugins sdk; do
  cmake --install "$build" --prefix "$stage/$name" --component "$component" >/dev/null
done

bundled="$stage/$name/lib/assay/bundled"
mkdir -p "$bundled"
belongs_to_the_machine='^(ld-linux.*|libc|libm|libdl|librt|libpthread|libresolv|libstdc\+\+|libgcc_s|libcuda|libcudart|libcublas.*|libnvidia.*|libnccl|linux-vdso)\.so'
# The loader resolves run paths in the staged tree, so what is found elsewhere is what it lacks.
while read -r library path; do
  if [[ $library =~ $belongs_to_the_machine ]] || [[ $path == "$stage"/* ]]; then continue; fi
  cp --dereference --update "$path" "$bundled/$library"
done < <(find "$stage/$name/bin" "$stage/$name/lib/assay/plugins" -type f \( -perm -u+x -o -name '*.so' \) -exec ldd {} + 2>/dev/null |
         awk '$2 == "=>" && $3 ~ /^\// {print $1, $3}' | sort -u)

if ldd "$stage/$name/bin/assay" | grep -q 'not found'; then
  ldd "$stage/$name/bin/assay" | grep 'not found' >&2
  echo "The archive would not run: the libraries above are missing on this machine." >&2
  exit 1
fi
mkdir -p "$dist"
tar -C "$stage" --sort=name --owner=0 --group=0 --numeric-owner -czf "$dist/$name.tar.gz.new" "$name"
mv "$dist/$name.tar.gz.new" "$dist/$name.tar.gz"
printf '%s\n' "$dist/$name.tar.gz"
newest() { find "$stage/$name" -type f \( -perm -u+x -o -name '*.so*' \) -exec objdump -T {} + 2>/dev/null | grep -oE "\b$1_[0-9.]+" | sort -Vu | tail -1; }
printf 'It runs where there are %s and %s, or newer.\n' "$(newest GLIBC)" "$(newest GLIBCXX)"
