gcc -O2 -fopenmp -c ask.c
gcc ask.o -lghcomp -o ask
GHCOMP_HOST=posix ./ask

gcc -O2 ask.c $(pkg-config --cflags --libs ghcomp) -o ask-by-pkg-config
GHCOMP_HOST=posix ./ask-by-pkg-config

gcc -O2 -fopenmp tree.c -o tree
ghcomp run --threads 2 -- ./tree

GHCOMP_HOST=nowhere ./ask 2>&1 | grep -c 'GHCOMP_HOST'
