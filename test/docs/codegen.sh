#!/bin/sh
# docs/internals/ghc-rts.md: its listings are what this machine's GHC and LLVM make, where these are the ones that
# made them.
set -eu
cd "$(dirname "$0")/../.."
command -v ghc >/dev/null || { echo "skipped: needs ghc"; exit 77; }
exec python3 tools/codegen.py check
