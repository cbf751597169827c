# For the scripts of this folder: the drop-in with libomp's names, the compilers that they name (a skip where one is
# missing), a folder for what they make, and the hosts.
# shellcheck shell=sh
cd "$(dirname "$0")/../.."
dropin=${BUILD:-build}/dropin
[ -e "$dropin/libomp.so.5" ] || { echo "$0: $dropin/libomp.so.5 is not there: run make" >&2; exit 1; }
for compiler in $compilers; do
    command -v "$compiler" >/dev/null || { echo "no $compiler here"; exit 77; }
done
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
hosts=posix
[ ! -e "$dropin/libghcomp_rts.so" ] || hosts='posix ghc'
