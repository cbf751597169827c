#!/bin/sh
# docs/internals/ghc-rts.md: its programs print what the page says, and the table of registers is what GHC's headers
# have. The places of fields are compared where this is the GHC that the page names.
set -eu
cd "$(dirname "$0")/../.."
root=$PWD
command -v ghc >/dev/null || { echo "skipped: needs ghc"; exit 77; }
version=$(ghc --numeric-version)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp examples/rts/* "$work"
cd "$work"
sh -e build.sh >said || { cat said; exit 1; }

cat calls.out embed.out >expected
layout=layout-${version%.*}.out
if [ -e "$layout" ]; then
    cat "$layout" >>expected
else
    head -n "$(wc -l <expected)" said >said.short
    mv said.short said
fi
diff expected said

# The registers, as the compiler's headers name them.
cat >registers.c <<'END_C'
#include "Rts.h"
#include "stg/MachRegs.h"
#include <stdio.h>
#define NAME(x) #x
#define REGISTER(x) NAME(x) " "
int main(void)
{
    puts(REGISTER(REG_Base) REGISTER(REG_Sp) REGISTER(REG_SpLim) REGISTER(REG_Hp) REGISTER(REG_R1) REGISTER(REG_R2)
         REGISTER(REG_R3) REGISTER(REG_R4) REGISTER(REG_R5) REGISTER(REG_R6) REGISTER(REG_D1) REGISTER(REG_D6));
    return 0;
}
END_C
ghc -v0 -c registers.c -o registers.o
gcc -no-pie registers.o -o registers
echo 'r13 rbp r15 r12 rbx r14 rsi rdi r8 r9 xmm1 xmm6 ' >expected
./registers >said
diff expected said
