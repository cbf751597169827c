/* OMP_DISPLAY_ENV=true shows the settings before main.
   env: OMP_DISPLAY_ENV=true OMP_WAIT_POLICY=active
   expect-stderr: \A\nOPENMP DISPLAY ENVIRONMENT BEGIN\n(  (\[(host|all)\] )?[A-Z_]* = '.*'\n)+OPENMP DISPLAY ENVIRONMENT END\nmain\n\Z
   expect-stderr: ^  (\[host\] )?OMP_WAIT_POLICY = 'ACTIVE'$ */
#include <omp.h>
#include <stdio.h>

int main(void)
{
    fputs("main\n", stderr);
    return omp_get_max_threads() < 1;
}
