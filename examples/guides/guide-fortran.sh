gfortran -O2 -fopenmp pi.f90 -o pi
ghcomp run --threads 3 -- ./pi

gfortran -O2 -fopenmp -c pi.f90
gfortran pi.o -lghcomp -o pi-linked
OMP_NUM_THREADS=2 GHCOMP_HOST=posix ./pi-linked
