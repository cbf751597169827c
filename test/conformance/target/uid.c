/* The host's unique identifier. Its number is -1 in libgomp's versions of the routines, and omp_get_initial_device() in
   libomp's (23).
   ghcomp-only: libgomp 12 lacks the routines
   symbols: omp_get_uid_from_device omp_get_device_from_uid */
#include <omp.h>

#include "../common.h"

#pragma weak omp_get_uid_from_device
#pragma weak omp_get_device_from_uid

const char *omp_get_uid_from_device(int);
int omp_get_device_from_uid(const char *);

int main(void)
{
    const char *uid = omp_get_uid_from_device(omp_get_initial_device());
    CHECK(uid != NULL && strcmp(uid, "OMP_INITIAL_DEVICE") == 0);
    CHECK(omp_get_uid_from_device(-1) == uid && omp_get_uid_from_device(-5) == uid);
    CHECK(omp_get_uid_from_device(1) == NULL && omp_get_uid_from_device(-4) == NULL);
    char copy[] = "OMP_INITIAL_DEVICE ";
    CHECK(omp_get_device_from_uid(copy) == -4);
    copy[sizeof copy - 2] = '\0';
    int host = omp_get_device_from_uid(copy);
    CHECK(host == -1 || host == omp_get_initial_device());
    CHECK(omp_get_device_from_uid("OMP_INITIAL") == -4 && omp_get_device_from_uid("") == -4);
    CHECK(omp_get_device_from_uid(NULL) == -4);
    return 0;
}
