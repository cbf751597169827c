/* fork() while masters run regions and wait for admission: each child starts anew, with an empty account and workers of
   its own.

   Without a sanitizer: the children allocate and start threads, and neither ThreadSanitizer nor GCC 12's
   AddressSanitizer holds its own locks during fork(). A child's locks are then those of the moment, for ever.
   variants: plain */
#include "admission.h"

static _Atomic bool end;

static void *many_until_the_end(void *data)
{
    struct sum sum = {.size = TEAM};
    (void)data;
    while (!ghcomp_load_acquire(&end))
        ghcomp_team_parallel(add_up, &sum, TEAM, 0);
    return NULL;
}

int main(void)
{
    prepare();
    pthread_t threads[8];
    for (int i = 0; i < 8; i++)
        CHECK(pthread_create(&threads[i], NULL, many_until_the_end, NULL) == 0);
    for (int i = 0, forks = unit_rounds(40); i < forks; i++) {
        one_region(NULL);
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            CHECK_EQUAL(0, ghcomp_cpu_account_counts().threads);
            for (int j = 0; j < 3; j++)
                one_region(NULL);
            CHECK_EQUAL(TEAM - 1, ghcomp_pool_created());
            together(3, masters_who_come_and_go);
            _exit(0);
        }
        CHECK_EQUAL(0, status_of(child));
    }
    ghcomp_store_release(&end, true);
    for (int i = 0; i < 8; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK_EQUAL(0, ghcomp_cpu_account_counts().threads);
    return 0;
}
