/* The events that tasks, dependences and cancellation report to a tool (constructs.h). A team's second thread is held
 * at a gate while the first one makes tasks, so that it is known which of them wait for which. OMP_CANCELLATION is true
 * here. */
#include "constructs.h"

#include <fcntl.h>
#include <unistd.h>

static _Atomic int done;

/* --- tasks -------------------------------------------------------------------------------------------------------- */

/* A region whose first thread runs the code; the second one waits until that has ended. */
#define BY_ONE(name, ...)                      \
    static void name(void)                     \
    {                                          \
        open_gate(0);                          \
        _Pragma("omp parallel num_threads(2)") \
        {                                      \
            if (omp_get_thread_num() == 0) {   \
                __VA_ARGS__                    \
                open_gate(1);                  \
            } else {                           \
                wait_at_gate(1);               \
            }                                  \
        }                                      \
    }
#define OMP(text) _Pragma(#text)

BY_ONE(task, OMP(omp task) done++;)
BY_ONE(task_untied, OMP(omp task untied) done++;)
BY_ONE(task_priority, OMP(omp task priority(3)) done++;)
BY_ONE(task_mergeable, OMP(omp task mergeable) done++;)
BY_ONE(task_false, volatile int never = 0; OMP(omp task if (never)) done++;)
BY_ONE(task_final, OMP(omp task final(1)) { OMP(omp task) done++; })
BY_ONE(task_of_task, OMP(omp task) { OMP(omp task) done++; OMP(omp taskwait) })
BY_ONE(taskwait, OMP(omp task) done++; OMP(omp taskwait))
BY_ONE(taskwait_alone, OMP(omp taskwait))
BY_ONE(taskyield, OMP(omp task) done++; OMP(omp taskyield) OMP(omp taskwait))
BY_ONE(taskgroup, OMP(omp taskgroup) { OMP(omp task) done++; })
BY_ONE(taskloop, OMP(omp taskloop grainsize(4)) for (int i = 0; i < 12; i++) done++;)
BY_ONE(taskloop_nogroup, OMP(omp taskloop num_tasks(2) nogroup) for (int i = 0; i < 12; i++) done++;)
BY_ONE(task_reduction, long sum = 0; OMP(omp taskgroup task_reduction(+ : sum)) {
    OMP(omp task in_reduction(+ : sum)) sum++;
} CHECK(sum == 1);)

static void task_of_one(void)
{
#pragma omp parallel num_threads(1)
#pragma omp task
    done++;
}

static void task_serial(void)
{
#pragma omp task
    done++;
}

BY_ONE(detach_early, omp_event_handle_t event; OMP(omp task detach(event)) omp_fulfill_event(event); OMP(omp taskwait))
BY_ONE(detach_late, omp_event_handle_t event; OMP(omp task detach(event)) done++; OMP(omp taskyield)
       omp_fulfill_event(event); OMP(omp taskwait))

/* --- dependences -------------------------------------------------------------------------------------------------- */

BY_ONE(depend_ready, int x = 0; OMP(omp task depend(out : x) shared(x)) x = 1; OMP(omp taskwait))
BY_ONE(depend_pair, int x = 0; OMP(omp task depend(out : x) shared(x)) x = 1;
       OMP(omp task depend(in : x) shared(x)) done += x; OMP(omp taskwait))
BY_ONE(depend_false, int x = 0; volatile int never = 0; OMP(omp task depend(out : x) shared(x)) x = 1;
       OMP(omp task depend(in : x) shared(x) if (never)) CHECK(x == 1); OMP(omp taskwait))
BY_ONE(taskwait_depend, int x = 0; OMP(omp task depend(out : x) shared(x)) x = 1; OMP(omp taskwait depend(in : x))
       CHECK(x == 1);)

/* --- cancellation ------------------------------------------------------------------------------------------------- */

static void cancel_parallel(void)
{
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp cancel parallel
        } else {
            for (;;) {
#pragma omp cancellation point parallel
            }
        }
    }
}

static void cancel_for(void)
{
#pragma omp parallel num_threads(1)
#pragma omp for
    for (int i = 0; i < 4; i++) {
        done++;
#pragma omp cancel for
    }
}

static void cancel_sections(void)
{
#pragma omp parallel num_threads(1)
#pragma omp sections
    {
        {
            done++;
#pragma omp cancel sections
        }
    }
}

BY_ONE(cancel_taskgroup, OMP(omp taskgroup) {
    OMP(omp task)
    {
        OMP(omp task) done++;
        OMP(omp cancel taskgroup)
    }
})
BY_ONE(cancellation_point, OMP(omp taskgroup) {
    OMP(omp task)
    {
        OMP(omp task if (0))
        {
            OMP(omp cancel taskgroup)
        }
        OMP(omp cancellation point taskgroup)
        done++;
    }
})

/* --- errors ------------------------------------------------------------------------------------------------------- */

#ifndef __clang__
void GOMP_warning(const char *message, size_t length); /* what gcc 13's code calls, for a directive that gcc 12 lacks */
#endif

/* The runtime also prints the message, which is none of the program's. */
static void error(void)
{
    int stderr_is = dup(2), nowhere = open("/dev/null", O_WRONLY);
    CHECK(stderr_is >= 0 && nowhere >= 0 && dup2(nowhere, 2) == 2);
#ifdef __clang__
#pragma omp error at(execution) severity(warning) message("a warning of the program")
#else
    static const char message[] = "a warning of the program";
    GOMP_warning(message, sizeof message - 1);
#endif
    CHECK(dup2(stderr_is, 2) == 2 && close(stderr_is) == 0 && close(nowhere) == 0);
}

#define ROW(name, function) {name, function}
static const struct construct all[] = {
    ROW("task", task),
    ROW("task untied", task_untied),
    ROW("task priority", task_priority),
    ROW("task mergeable", task_mergeable),
    ROW("task if(false)", task_false),
    ROW("task final, with a task", task_final),
    ROW("task, in a task", task_of_task),
    ROW("task, in a team of one", task_of_one),
    ROW("task, in no region", task_serial),
    ROW("task detach, fulfilled before its end", detach_early),
    ROW("task detach, fulfilled after a taskyield", detach_late),
    ROW("task depend", depend_ready),
    ROW("task depend, after another one", depend_pair),
    ROW("task depend if(false), after another one", depend_false),
    ROW("task in_reduction", task_reduction),
    ROW("taskwait", taskwait),
    ROW("taskwait without tasks", taskwait_alone),
    ROW("taskwait depend", taskwait_depend),
    ROW("taskyield", taskyield),
    ROW("taskgroup", taskgroup),
    ROW("taskloop grainsize", taskloop),
    ROW("taskloop num_tasks nogroup", taskloop_nogroup),
    ROW("cancel parallel, with a cancellation point", cancel_parallel),
    ROW("cancel for", cancel_for),
    ROW("cancel sections", cancel_sections),
    ROW("cancel taskgroup", cancel_taskgroup),
    ROW("cancellation point taskgroup", cancellation_point),
    ROW("error at(execution)", error),
};

int main(void)
{
    tell_all(all, sizeof all / sizeof all[0]);
    return 0;
}
