/* For main.f90: the process's threads, as test/conformance/common.h counts them. */
#include "../conformance/common.h"

int threads_now(void)
{
    return os_threads();
}

int threads_at_most(int most)
{
    return os_threads_at_most(most);
}
