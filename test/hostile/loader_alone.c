/* As loader.c, in a process that is not linked with an OpenMP runtime: the first library brings it, and dlclose of the
   last one must not take it away from its threads.
   ghcomp-only: closing the last library unloads libgomp under its threads, which crash
   hosts: posix ghc auto
   cflags: -fno-openmp
   limit: 60
   deep-limit: 900 */
#define ALONE
#include "loader.c"
