gcc -O2 -fopenmp nodes.c -o nodes
ghcomp run --threads 2 -- ./nodes

gcc -O2 -fopenmp -c ask.c
gcc ask.o -lghcomp -o ask
GHCOMP_HOST=posix ./ask

gcc -O2 ask.c $(pkg-config --cflags --libs ghcomp) -o ask-by-pkg-config
GHCOMP_HOST=posix ./ask-by-pkg-config

gcc -O2 -fopenmp -c replay.c
gcc replay.o -lghcomp -o replay
GHCOMP_HOST=posix ./replay

GHCOMP_HOST=nowhere ./ask 2>&1 | grep -c 'GHCOMP_HOST'
