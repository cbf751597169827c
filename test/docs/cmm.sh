#!/bin/sh
# docs/guide/ffi.md, "Primitives": Cmm inside a Haskell module, linked with its program and with GHC's shared
# libraries, and the one line where another ghc would compile it.
set -eu
cd "$(dirname "$0")/../.."
command -v ghc >/dev/null || { echo "skipped: needs ghc"; exit 77; }
GHC=$(command -v ghc)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp examples/cmm/*.hs "$work"
cd "$work"
ghc -v0 -O -Wall -threaded Main.hs -o main
[ "$(./main)" = True ]
ghc -v0 -O -Wall -threaded -dynamic -fforce-recomp Main.hs -o main
[ "$(./main)" = True ]

mkdir other
printf '#!/bin/sh\necho 1.2.3\n' >other/ghc
chmod +x other/ghc
if PATH=$work/other:$PATH "$GHC" -v0 -fforce-recomp Main.hs -o main 2>said; then
    echo "another ghc than the module's has compiled the Cmm"
    exit 1
fi
grep -q "cmm: ghc is version 1.2.3, and $("$GHC" --numeric-version) compiles this module" said || { cat said; exit 1; }
