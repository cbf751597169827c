sh tools/cabal.sh build exe:mixed >&2
$(sh tools/cabal.sh list-bin exe:mixed) +RTS -l -olbuild/mixed.eventlog
ghcomp trace build/mixed.eventlog --svg build/mixed.svg
