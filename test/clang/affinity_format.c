/* Affinity formats of clang's code, as on libomp: the default format, the kernel's number of a thread, a 0 that stands
 * without a dot, unknown fields.
 *
 * symbols: ompc_get_affinity_format ompc_capture_affinity ompc_set_affinity_format
 * cflags: -D_GNU_SOURCE
 */
#include <omp.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../conformance/affinity_text.h"
#include "kmp.h"

int main(void)
{
    static const char by_default[] = "OMP: pid %P tid %i thread %n bound to OS proc set {%A}";
    char text[256];
    CHECK(omp_get_affinity_format(text, sizeof text) == strlen(by_default) && strcmp(text, by_default) == 0);
    snprintf(text, sizeof text, "%ld", syscall(SYS_gettid));
    expect("%i", text);
    expect("%{native_thread_id}", text);
    expect("%05n|%0.5n|%.5n|%5n|", "0    |00000|    0|0    |");
    expect("%{foobar} %X", "undefined undefined");
    omp_set_affinity_format("of %N");
    expect(NULL, "of 1");
    return 0;
}
