#!/bin/sh
# primecount, a command-line program whose library uses OpenMP: loops, locks, barriers and atomics.
. "$(dirname "$0")/common.sh"
needs /usr/bin/primecount primecount-bin
in_scope /usr/bin/primecount
loads_ours /usr/bin/primecount
compare pi /usr/bin/primecount 1e11
compare meissel /usr/bin/primecount --meissel 1e9
compare nth /usr/bin/primecount --nth-prime 1000000
compare gourdon /usr/bin/primecount --gourdon 1e12
[ "$(cat "$work/pi.ours")" = 4118054813 ]
