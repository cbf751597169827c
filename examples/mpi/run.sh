mpicc -O2 -fopenmp stencil.c -o stencil -lm -ldl
mpirun -n 2 --oversubscribe --bind-to none ghcomp run -- ./stencil
