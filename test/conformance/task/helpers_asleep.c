/* The test of helpers.c with members that sleep: waiting is passive.
   limit: 60
   env: OMP_WAIT_POLICY=passive
   repeat: 4
   symbols: GOMP_task GOMP_barrier GOMP_parallel */
#include "helpers.h"

int main(void)
{
    for (int threads = 2; threads <= 8; threads++)
        helpers(threads, 20);
    return 0;
}
