gcc -O2 -fopenmp hello.c -o hello
OMP_NUM_THREADS=4 ./hello
ghcomp run --threads 4 -- ./hello
ghcomp doctor ./hello | sed 's/ (.*//'
