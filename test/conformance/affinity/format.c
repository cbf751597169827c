/* The affinity format: every field, alignment and zeros, lengths, truncation, and the format variable.
 *
 * symbols: omp_capture_affinity omp_get_affinity_format omp_set_affinity_format omp_display_affinity
 * env: OMP_AFFINITY_FORMAT="from the environment %n"
 * expect-stderr: ^shown 0 of 1$
 * expect-stderr: ^by default 0$
 */
#include <omp.h>
#include <unistd.h>

#include "../affinity_text.h"
#include "../common.h"

int main(void)
{
    char text[256], host[256], pid[32];
    CHECK(omp_get_affinity_format(text, sizeof text) == strlen("from the environment %n"));
    CHECK(strcmp(text, "from the environment %n") == 0);
    expect(NULL, "from the environment 0");
    expect("", "from the environment 0");
    CHECK(omp_get_affinity_format(text, 5) == strlen("from the environment %n"));
    CHECK(strcmp(text, "from") == 0);
    omp_set_affinity_format("by default %n");
    expect(NULL, "by default 0");

    expect("%t %T %L %n %N %a %%", "0 1 0 0 1 -1 %");
    expect("%{team_num} %{num_teams} %{nesting_level} %{thread_num} %{num_threads} %{ancestor_tnum}",
           "0 1 0 0 1 -1");
    expect("[%5n][%.5n][%0.5n]", "[0    ][    0][00000]");
    expect("[%5a][%.5a]", "[-1   ][   -1]");
    expect("[%12{thread_num}]", "[0           ]");
    CHECK(gethostname(host, sizeof host) == 0);
    expect("%H", host);
    expect("%{host}", host);
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    expect("%P", pid);
    expect("%{process_id}", pid);
    CHECK(omp_capture_affinity(text, sizeof text, "%A") > 0 && text[0] >= '0' && text[0] <= '9');
    CHECK(omp_capture_affinity(text, sizeof text, "%i") > 2 && strncmp(text, "0x", 2) == 0);
    CHECK(omp_capture_affinity(text, sizeof text, "%0.30i") == 30 && strncmp(text, "0x00", 4) == 0);
    CHECK(omp_capture_affinity(text, sizeof text, "%{native_thread_id}%{thread_affinity}") > 3);
    CHECK(omp_capture_affinity(text, sizeof text, "%200n|") == 201 && text[200] == '|');

    memset(text, 'x', sizeof text);
    CHECK(omp_capture_affinity(text, 5, "abcdefghi") == 9);
    CHECK(strcmp(text, "abcd") == 0 && text[5] == 'x');
    CHECK(omp_capture_affinity(NULL, 0, "%n xyz") == 5);

#pragma omp parallel num_threads(3)
    {
        char mine[64], wanted[64];
        snprintf(wanted, sizeof wanted, "%d of 3 at 1 below 0", omp_get_thread_num());
        omp_capture_affinity(mine, sizeof mine, "%n of %N at %L below %a");
        CHECK(strcmp(mine, wanted) == 0);
    }
    omp_display_affinity("shown %n of %N");
    omp_display_affinity(NULL);
    return 0;
}
