/* Affinity formats of clang's code, as on libomp: the default format, the kernel's number of a thread, a 0 that stands
 * without a dot, unknown fields, malformed ones, CPUs of which three in a row make a range.
 *
 * symbols: ompc_get_affinity_format ompc_capture_affinity ompc_set_affinity_format
 * cflags: -D_GNU_SOURCE
 */
#include <omp.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../conformance/affinity_text.h"
#include "kmp.h"

/* The CPUs of the process in libomp's form: 0,1 but 4-6. */
static void list_cpus(char *text, size_t size)
{
    cpu_set_t mask;
    size_t used = 0;
    CHECK(sched_getaffinity(0, sizeof mask, &mask) == 0);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        int last = cpu;
        if (!CPU_ISSET(cpu, &mask))
            continue;
        while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &mask))
            last++;
        bool range = last - cpu >= 2;
        used += (size_t)snprintf(text + used, size - used, range ? "%s%d-%d" : "%s%d", used > 0 ? "," : "", cpu, last);
        cpu = range ? last : cpu;
    }
}

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
    expect("%.n|%0.n|%{thread_num", "0|0|undefined");
    list_cpus(text, sizeof text);
    expect("%A", text);
    omp_set_affinity_format("of %N");
    expect(NULL, "of 1");
    return 0;
}
