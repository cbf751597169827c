/* Malformed fields in OMP_AFFINITY_FORMAT are "undefined" in clang's code, as on libomp, and unusual widths are none.
 *
 * env: OMP_AFFINITY_FORMAT="%{foobar} %n|%05n|%.n"
 * expect-stderr: \A\Z
 */
#include <omp.h>

#include "kmp.h"

int main(void)
{
    char text[100], format[100];
    omp_capture_affinity(text, sizeof text, NULL);
    CHECK(strcmp(text, "undefined 0|0    |0") == 0);
    omp_get_affinity_format(format, sizeof format);
    CHECK(strcmp(format, "%{foobar} %n|%05n|%.n") == 0);
    return 0;
}
