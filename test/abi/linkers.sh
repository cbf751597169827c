#!/bin/sh
# The version script gives the same object with every linker that is installed: bfd, gold, lld. Each links the
# runtime's objects again; what comes out has the right exports and version nodes.
set -eu
cd "$(dirname "$0")/../.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
build=${BUILD:-build}
# An object whose source has moved stays in the build.
objects=$(find "$build/obj/shared" -name '*.o' | while read -r object; do
    source=cbits/${object#"$build/obj/shared/"}
    if [ -e "${source%.o}.c" ]; then echo "$object"; fi
done)
[ -n "$objects" ] || { echo "linkers.sh: no objects in $build/obj/shared: run make first" >&2; exit 1; }
for linker in bfd gold lld; do
    command -v "ld.$linker" > /dev/null || continue
    # shellcheck disable=SC2086 # a list of files
    gcc -shared -fuse-ld="$linker" -Wl,--version-script=cbits/abi/libgomp.map -Wl,-z,nodelete \
        -Wl,-Bsymbolic-functions -Wl,-z,defs -Wl,-soname,libgomp.so.1 -pthread -o "$tmp/$linker.so" \
        $objects "$build/obj/default_host_auto.o" -ldl
    test/abi/exports.sh "$tmp/$linker.so"
    test/abi/nodes.sh "$tmp/$linker.so"
done
