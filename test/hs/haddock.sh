#!/bin/sh
# Makes the library's documentation with haddock. Each module is a test: all that it exports has a comment, and haddock
# has no warning of it, such as a link to something that does not exist. Then since.py: each export has its `@since`.
# The last line counts: N passed, N failed, N skipped.
#
# That haddock finds no links into other packages is no failure: they are there only where those packages' documentation
# is installed. Called by test/hs/run.sh.
set -eu
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
log=$BUILD/site/haddock.log

if ! command -v haddock >/dev/null; then
    echo 'SKIP haddock: haddock is not installed'
    echo '0 passed, 0 failed, 1 skipped'
    exit 0
fi
make -s BUILD="$BUILD" haddock 2>&1 || { echo 'cabal haddock fails'; exit 1; }

since=$(PYTHONDONTWRITEBYTECODE=1 python3 test/hs/since.py check) || true
counts=${since##*
}
echo "$since" | grep '^FAIL' || true

# cabal's own warnings come before haddock runs, and the first of haddock is about other packages' documentation.
ours=$(sed -n 's/^ *\([A-Z][A-Za-z.]*\)$/\1/p' ghc-openmp.cabal | sort -u)
sed -n '/^Running Haddock/,$p' "$log" | awk -v modules="$ours" -v counts="$counts" '
    BEGIN {
        split(modules, list, "\n"); for (i in list) mine[list[i]] = 1
        if (split(counts, count, " ") != 6) fail("FAIL since.py: " counts)
        passed = count[1]; failed += count[3]
    }
    function fail(line) { print line; failed++ }
    # A name without a target: ours when its module is.
    function entity(name) { sub(/\.[^.]*$/, "", name); return name in mine }
    /^ *[0-9]+% .* in .[A-Z][A-Za-z.]*.$/ {
        if ($1 == "100%") passed++; else { fail("FAIL haddock: " $0); telling = 1; next }
        telling = 0
    }
    telling { print; next }
    /could not find link destinations for: *$/ { from = $0; next }
    /^[ \t]+- / { if (entity($2)) fail("FAIL haddock: " from " " $2); next }
    /^Warning: The documentation for the following packages are not installed/ { other = 1; next }
    other && /^links will be|^[a-z]/ { next }
    { other = 0 }
    tolower($0) ~ /warning/ { fail("FAIL haddock: " $0); warning = 1; next }
    warning && /^ / { print; next }
    { warning = 0 }
    END {
        if (passed + failed == count[1] + count[3]) fail("FAIL haddock: it told of no module")
        print passed + 0 " passed, " failed + 0 " failed, 0 skipped"
        exit failed > 0
    }'
