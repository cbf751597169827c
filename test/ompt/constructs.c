/* The events that regions, worksharing, barriers and locks report to a tool (constructs.h). */
#include "constructs.h"

enum { LENGTH = 12 };

static _Atomic int done[LENGTH];

/* --- threads and regions; the first one is the process's first region --------------------------------------------- */

static void parallel(void)
{
#pragma omp parallel num_threads(2)
    done[0]++;
}

static void parallel_false(void)
{
    volatile int never = 0;
#pragma omp parallel num_threads(2) if (never)
    done[0]++;
}

static void parallel_nested(void)
{
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
    done[0]++;
    omp_set_max_active_levels(1);
}

static void *of_its_own(void *arg)
{
    CHECK(omp_get_num_threads() == 1);
    return arg;
}

static void own_thread(void)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, of_its_own, NULL) == 0 && pthread_join(thread, NULL) == 0);
}

static void teams(void)
{
#pragma omp teams num_teams(2) thread_limit(1)
    done[0]++;
}

static void distribute(void)
{
#pragma omp teams distribute num_teams(2) thread_limit(1)
    for (int i = 0; i < LENGTH; i++)
        done[i]++;
}

static void distribute_parallel_for(void)
{
#pragma omp teams distribute parallel for num_teams(2) num_threads(2)
    for (int i = 0; i < LENGTH; i++)
        done[i]++;
}

/* --- worksharing -------------------------------------------------------------------------------------------------- */

#define LOOP(name, pragma)                 \
    static void name(void)                 \
    {                                      \
        _Pragma("omp parallel num_threads(2)") \
        {                                  \
            _Pragma(pragma)                \
            for (int i = 0; i < LENGTH; i++) \
                done[i]++;                 \
        }                                  \
    }

LOOP(for_static, "omp for schedule(static) nowait")
LOOP(for_static_chunk, "omp for schedule(static, 2) nowait")
LOOP(for_dynamic, "omp for schedule(dynamic, 3) nowait")
LOOP(for_monotonic, "omp for schedule(monotonic : dynamic, 3) nowait")
LOOP(for_guided, "omp for schedule(guided) nowait")
LOOP(for_runtime, "omp for schedule(runtime) nowait")
LOOP(for_barrier, "omp for schedule(dynamic, 3)")
LOOP(loop, "omp loop bind(parallel)")

static void for_long(void)
{
#pragma omp parallel num_threads(2)
#pragma omp for schedule(dynamic, 3) nowait
    for (unsigned long long i = 0; i < LENGTH; i++)
        done[i]++;
}

static void parallel_for_dynamic(void)
{
#pragma omp parallel for num_threads(2) schedule(dynamic, 3)
    for (int i = 0; i < LENGTH; i++)
        done[i]++;
}

static void parallel_for_static(void)
{
#pragma omp parallel for num_threads(2) schedule(static)
    for (int i = 0; i < LENGTH; i++)
        done[i]++;
}

static void ordered(void)
{
#pragma omp parallel num_threads(2)
#pragma omp for ordered schedule(dynamic, 1) nowait
    for (int i = 0; i < 4; i++)
#pragma omp ordered
        done[i]++;
}

static void ordered_static(void)
{
#pragma omp parallel num_threads(2)
#pragma omp for ordered schedule(static) nowait
    for (int i = 0; i < 4; i++)
#pragma omp ordered
        done[i]++;
}

static void doacross(void)
{
#pragma omp parallel num_threads(2)
#pragma omp for ordered(1) schedule(static, 1) nowait
    for (int i = 0; i < 4; i++) {
#pragma omp ordered depend(sink : i - 1)
        done[i]++;
#pragma omp ordered depend(source)
    }
}

static void sections(void)
{
#pragma omp parallel num_threads(2)
#pragma omp sections nowait
    {
        done[0]++;
#pragma omp section
        done[1]++;
#pragma omp section
        done[2]++;
    }
}

static void parallel_sections(void)
{
#pragma omp parallel sections num_threads(2)
    {
        done[0]++;
#pragma omp section
        done[1]++;
    }
}

static void single(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    done[0]++;
}

static void single_nowait(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single nowait
    done[0]++;
}

static void copyprivate(void)
{
    int value = 0;
#pragma omp parallel num_threads(2) firstprivate(value)
    {
#pragma omp single copyprivate(value)
        value = 7;
        CHECK(value == 7);
    }
}

/* clang 19 does not compile the construct; flang's and later clang's code calls this. */
#ifdef __clang__
void __kmpc_scope(void *location, int thread, void *reserved);
void __kmpc_end_scope(void *location, int thread, void *reserved);
#endif

static void scope(void)
{
#pragma omp parallel num_threads(2)
#ifdef __clang__
    {
        __kmpc_scope(NULL, omp_get_thread_num(), NULL);
        done[0]++;
        __kmpc_end_scope(NULL, omp_get_thread_num(), NULL);
    }
#else
#pragma omp scope nowait
    done[0]++;
#endif
}

static void masked_all(void)
{
#pragma omp parallel num_threads(2)
#pragma omp masked
    done[0]++;
}

static void masked_filter(void)
{
#pragma omp parallel num_threads(2)
#pragma omp masked filter(1)
    done[0]++;
}

static void master(void)
{
#pragma omp parallel num_threads(2)
#pragma omp master
    done[0]++;
}

/* --- barriers and reductions -------------------------------------------------------------------------------------- */

static void barrier(void)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
        done[0]++;
    }
}

static void reduction_of_region(void)
{
    long sum = 0, product = 1;
#pragma omp parallel num_threads(2) reduction(+ : sum) reduction(* : product)
    {
        sum += 1;
        product *= 2;
    }
    CHECK(sum == 2 && product == 4);
}

static void reduction_of_loop(void)
{
    long sum = 0, most = 0;
#pragma omp parallel num_threads(2)
#pragma omp for schedule(dynamic, 3) reduction(+ : sum) reduction(max : most)
    for (int i = 0; i < LENGTH; i++) {
        sum += i;
        most = i > most ? i : most;
    }
    CHECK(sum == LENGTH * (LENGTH - 1) / 2 && most == LENGTH - 1);
}

static void reduction_of_many(void)
{
    long a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
#pragma omp parallel num_threads(2) reduction(+ : a, b, c, d, e, f, g, h)
    a++, b++, c++, d++, e++, f++, g++, h++;
    CHECK(a + b + c + d + e + f + g + h == 16);
}

/* --- locks -------------------------------------------------------------------------------------------------------- */

static void lock(void)
{
    omp_lock_t it;
    omp_init_lock(&it);
    omp_set_lock(&it);
    omp_unset_lock(&it);
    omp_destroy_lock(&it);
}

static void lock_with_hint(void)
{
    omp_lock_t it;
    omp_init_lock_with_hint(&it, omp_lock_hint_contended);
    omp_set_lock(&it);
    omp_unset_lock(&it);
    omp_destroy_lock(&it);
}

static void test_lock(void)
{
    omp_lock_t it;
    omp_init_lock(&it);
    CHECK(omp_test_lock(&it) && !omp_test_lock(&it));
    omp_unset_lock(&it);
    omp_destroy_lock(&it);
}

static void nested_lock(void)
{
    omp_nest_lock_t it;
    omp_init_nest_lock(&it);
    omp_set_nest_lock(&it);
    omp_set_nest_lock(&it);
    omp_unset_nest_lock(&it);
    omp_unset_nest_lock(&it);
    omp_destroy_nest_lock(&it);
}

static void nested_lock_with_hint(void)
{
    omp_nest_lock_t it;
    omp_init_nest_lock_with_hint(&it, omp_lock_hint_contended);
    omp_set_nest_lock(&it);
    omp_unset_nest_lock(&it);
    omp_destroy_nest_lock(&it);
}

static void test_nested_lock(void)
{
    omp_nest_lock_t it;
    omp_init_nest_lock(&it);
    CHECK(omp_test_nest_lock(&it) == 1 && omp_test_nest_lock(&it) == 2);
    omp_unset_nest_lock(&it);
    omp_unset_nest_lock(&it);
    omp_destroy_nest_lock(&it);
}

static void critical(void)
{
#pragma omp parallel num_threads(2)
#pragma omp critical
    done[0]++;
}

static void critical_named(void)
{
#pragma omp parallel num_threads(2)
#pragma omp critical(its_name) hint(omp_sync_hint_contended)
    done[0]++;
}

#ifndef __clang__ /* whose code needs a library of its own for it */
static void atomic_wide(void)
{
    long double wide = 0;
#pragma omp parallel num_threads(2)
#pragma omp atomic
    wide += 1;
    CHECK(wide == 2);
}
#endif

static void flushed(void)
{
#pragma omp flush
}

/* --- the rest ----------------------------------------------------------------------------------------------------- */

int omp_control_tool(int command, int modifier, void *arg);

static void control(void)
{
    CHECK(omp_control_tool(2, 5, NULL) == 7);
}

static void control_inside(void)
{
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        CHECK(omp_control_tool(2, 5, NULL) == 7);
#pragma omp parallel num_threads(2)
        CHECK(omp_control_tool(3, 5, NULL) == 8);
    }
    omp_set_max_active_levels(1);
}

#define ROW(name, function) {name, function}
static const struct construct all[] = {
    ROW("parallel, the first one of the process", parallel),
    ROW("parallel", parallel),
    ROW("parallel, in a parallel region", parallel_nested),
    ROW("parallel if(false)", parallel_false),
    ROW("a thread of the program's own", own_thread),
    ROW("teams", teams),
    ROW("teams distribute", distribute),
    ROW("teams distribute parallel for", distribute_parallel_for),
    ROW("for schedule(static) nowait", for_static),
    ROW("for schedule(static, n) nowait", for_static_chunk),
    ROW("for schedule(dynamic) nowait", for_dynamic),
    ROW("for schedule(dynamic) nowait, unsigned long long", for_long),
    ROW("for schedule(monotonic: dynamic) nowait", for_monotonic),
    ROW("for schedule(guided) nowait", for_guided),
    ROW("for schedule(runtime) nowait", for_runtime),
    ROW("for schedule(dynamic)", for_barrier),
    ROW("loop bind(parallel)", loop),
    ROW("parallel for schedule(dynamic)", parallel_for_dynamic),
    ROW("parallel for schedule(static)", parallel_for_static),
    ROW("for ordered schedule(dynamic) nowait", ordered),
    ROW("for ordered schedule(static) nowait", ordered_static),
    ROW("for ordered(1) nowait", doacross),
    ROW("sections nowait", sections),
    ROW("parallel sections", parallel_sections),
    ROW("single", single),
    ROW("single nowait", single_nowait),
    ROW("single copyprivate", copyprivate),
    ROW("scope nowait", scope),
    ROW("masked", masked_all),
    ROW("masked filter", masked_filter),
    ROW("master", master),
    ROW("barrier", barrier),
    ROW("parallel reduction", reduction_of_region),
    ROW("parallel reduction, eight variables", reduction_of_many),
    ROW("for reduction", reduction_of_loop),
    ROW("omp_set_lock", lock),
    ROW("omp_init_lock_with_hint", lock_with_hint),
    ROW("omp_test_lock", test_lock),
    ROW("omp_set_nest_lock", nested_lock),
    ROW("omp_init_nest_lock_with_hint", nested_lock_with_hint),
    ROW("omp_test_nest_lock", test_nested_lock),
    ROW("critical", critical),
    ROW("critical with a name", critical_named),
#ifndef __clang__
    ROW("atomic without an instruction", atomic_wide),
#endif
    ROW("flush", flushed),
    ROW("omp_control_tool", control),
    ROW("omp_control_tool, in nested regions", control_inside),
};

int main(void)
{
    tell_all(all, sizeof all / sizeof all[0]);
    return 0;
}
