/* Arguments that libomp treats in its own way: 0 teams and threads, a schedule that it does not know, a pool of 0
 * bytes, task reductions without originals, chunks whose stride an int has no room for, and dist_dispatch with more
 * teams than iterations.
 *
 * symbols: omp_set_num_teams omp_set_teams_thread_limit omp_set_schedule __kmpc_taskred_init __kmpc_for_static_init_4
 * symbols: omp_set_num_teams_ omp_set_teams_thread_limit_ omp_set_schedule_ __kmpc_dist_dispatch_init_4
 * symbols: omp_destroy_allocator
 */
#include <omp.h>

#include "kmp.h"

void __kmpc_for_static_init_4(place *, int32_t, int32_t, int32_t *, int32_t *, int32_t *, int32_t *, int32_t, int32_t);
void __kmpc_for_static_fini(place *, int32_t);
void __kmpc_dist_dispatch_init_4(place *, int32_t, int32_t, int32_t *, int32_t, int32_t, int32_t, int32_t);
int __kmpc_dispatch_next_4(place *, int32_t, int32_t *, int32_t *, int32_t *, int32_t *);

struct input {
    void *shared, *original;
    size_t bytes;
    void (*init)(int *copy, int *original);
    void *finish;
    void (*combine)(int *into, int *from);
    uint32_t flags;
};
void *__kmpc_taskred_init(int32_t, int32_t, struct input *);
void *__kmpc_task_reduction_get_th_data(int32_t, void *, void *);
void __kmpc_taskgroup(place *, int32_t);
void __kmpc_end_taskgroup(place *, int32_t);

/* Fortran's forms. */
void omp_set_num_teams_(const int32_t *);
void omp_set_teams_thread_limit_(const int32_t *);
void omp_set_schedule_(const int32_t *, const int32_t *);

static void expect_static(void)
{
    omp_sched_t kind;
    int chunk;
    omp_get_schedule(&kind, &chunk);
    CHECK(kind == omp_sched_static && chunk == 0);
}

static void routines(void)
{
    int32_t none = 0, unknown = 99, chunk = 7;
    omp_set_num_teams(4);
    omp_set_num_teams(0);
    omp_set_num_teams_(&none);
    CHECK(omp_get_max_teams() == 4);
    omp_set_teams_thread_limit(3);
    omp_set_teams_thread_limit(0);
    omp_set_teams_thread_limit_(&none);
    CHECK(omp_get_teams_thread_limit() == 3);
    omp_set_schedule(omp_sched_dynamic, 5);
    omp_set_schedule((omp_sched_t)unknown, chunk);
    expect_static();
    omp_set_schedule(omp_sched_dynamic, 5);
    omp_set_schedule_(&unknown, &chunk);
    expect_static();
    omp_alloctrait_t traits[] = {{omp_atk_pool_size, 0}, {omp_atk_fallback, omp_atv_null_fb}};
    omp_allocator_handle_t allocator = omp_init_allocator(omp_default_mem_space, 2, traits);
    CHECK(omp_alloc(64, allocator) != NULL);
    omp_destroy_allocator(omp_default_mem_alloc);
    CHECK(omp_alloc(64, omp_default_mem_alloc) != NULL);
}

/* Compiled code adds the stride to the bounds until the lower one is behind the loop's end. */
static void strides(void)
{
    enum { COUNT = 1 << 26, STATIC_CHUNKED = 33 };
    int chunks = 0;
#pragma omp parallel num_threads(64) reduction(+ : chunks)
    for (int32_t chunk = COUNT / 2; chunk <= COUNT; chunk += COUNT / 2) {
        int32_t last = 0, lower = 0, upper = COUNT - 1, stride = 1;
        __kmpc_for_static_init_4(&here, thread_number(), STATIC_CHUNKED, &last, &lower, &upper, &stride, 1, chunk);
        for (; lower <= COUNT - 1; lower = (int32_t)((uint32_t)lower + (uint32_t)stride)) {
            CHECK(lower >= 0 && chunks < 4);
            chunks++;
        }
        __kmpc_for_static_fini(&here, thread_number());
    }
    CHECK(chunks == 3);
}

static void more_teams_than_iterations(void)
{
    int lasts = 0, count = 0;
#pragma omp teams num_teams(4) thread_limit(1) reduction(+ : lasts, count)
#pragma omp parallel num_threads(1) reduction(+ : lasts, count)
    {
        int32_t thread = thread_number(), last = 9, last_chunk, lower, upper, stride, mine = 0;
        __kmpc_dist_dispatch_init_4(&here, thread, 35, &last, 0, 1, 1, 1);
        while (__kmpc_dispatch_next_4(&here, thread, &last_chunk, &lower, &upper, &stride))
            mine += upper - lower + 1;
        CHECK(last == 0 || mine == 1);
        lasts += last;
        count += mine;
    }
    CHECK(lasts == 1 && count == 2);
}

static int total = 41;

static void initialize(int *copy, int *original)
{
    CHECK(original == &total);
    *copy = 0;
}

static void add(int *into, int *from)
{
    *into += *from;
}

static void reduction_without_original(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        __kmpc_taskgroup(&here, thread_number());
        struct input input = {&total, NULL, sizeof total, initialize, NULL, add, 0};
        void *group = __kmpc_taskred_init(thread_number(), 1, &input);
        for (int i = 0; i < 10; i++)
#pragma omp task firstprivate(group)
            ++*(int *)__kmpc_task_reduction_get_th_data(thread_number(), group, &total);
        __kmpc_end_taskgroup(&here, thread_number());
    }
    CHECK(total == 51);
}

int main(void)
{
    omp_set_dynamic(0);
    routines();
    reduction_without_original();
    strides();
    more_teams_than_iterations();
    return 0;
}
