/* Additions of ghc-openmp to omp.h: queries about the runtime's host and GHC's Capabilities, counters, callbacks
 * into Haskell, and graphs of tasks.
 *
 * Link with -lghcomp, or look the names up with dlsym in a process that has the drop-in libgomp.so.1; a program that
 * depends on the Haskell package has them. Every function may be called from any thread, inside or outside of parallel
 * regions. Functions of the first group can be imported into Haskell as unsafe calls, except where noted. None of them
 * fails. Their strings are static and must not be freed.
 */
#ifndef GHCOMP_H
#define GHCOMP_H

#include <stddef.h>
#include <stdint.h>

#define GHCOMP_VERSION "0.1.0"

#if defined(__GNUC__)
#define GHCOMP_API __attribute__((visibility("default")))
#else
#define GHCOMP_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the runtime that is loaded ("0.1.0"); GHCOMP_VERSION is the one that the program was compiled with. */
GHCOMP_API const char *ghcomp_version(void);

/* The host of the runtime's threads: "ghc" or "posix". The host is chosen once, from GHCOMP_HOST (auto, ghc or posix)
   and from what the process has. If no parallel region has needed it yet, this call chooses it, which may start a GHC
   runtime (about 4 ms), and may print one line on stderr if GHCOMP_HOST asks for a host that the process cannot have.
   For this reason it must be a safe call in Haskell. */
GHCOMP_API const char *ghcomp_host_name(void);

/* How that host was found: "linked" (the program is built with the Haskell package ghc-openmp), "loaded" (the process
   has GHC's runtime in a shared library), "companion" (the OpenMP runtime has started one) or "posix". Chooses the host
   as ghcomp_host_name does. */
GHCOMP_API const char *ghcomp_host_origin(void);

/* Version of the GHC whose runtime is the host ("9.0.2"), or "" on POSIX threads and when it is not known. Chooses the
   host as ghcomp_host_name does. */
GHCOMP_API const char *ghcomp_ghc_version(void);

/* Number of Capabilities that Haskell may use at this moment; 0 on POSIX threads and before the host is chosen. Does
   not choose it. */
GHCOMP_API int ghcomp_num_capabilities(void);

/* Whether the runtime sees which Capabilities are busy, and so how many CPUs Haskell needs:
   - "aware": it does.
   - "finding": it has not found all of them yet, which takes about a millisecond, or as long as Haskell threads keep
     them busy. Until then they count as busy.
   - "unaware": their fields are not at the expected places. The runtime stops reading them and behaves as on POSIX
     threads.
   - "none": the runtime has none: on POSIX threads, before the host is chosen, in the child of a fork().
   The result is the present state: the call neither chooses the host nor waits. */
GHCOMP_API const char *ghcomp_capability_visibility(void);

/* Number (from 0) of the calling thread's home Capability: the one by which it enters Haskell when it calls back. -1 in
   a thread that is not a worker of the runtime (the program's own threads, Haskell's bound threads) and on POSIX
   threads. It changes when setNumCapabilities changes the number of Capabilities. */
GHCOMP_API int ghcomp_thread_capability(void);

/* Number of worker threads that the runtime has created in this process so far; the program's own threads do not
   count. */
GHCOMP_API int ghcomp_workers_created(void);

/* Counters of the runtime's actions in this process so far. New ones are added at the end. */
enum ghcomp_statistic {
    GHCOMP_STAT_REGIONS,        /* parallel regions for which OpenMP's rules allow more than one thread */
    GHCOMP_STAT_THREADS_WANTED, /* threads that they asked for, by the clause or the ICVs, within the limit on nesting;
                                   before OMP_THREAD_LIMIT and dynamic adjustment */
    GHCOMP_STAT_THREADS_GIVEN,  /* threads that they got */
    GHCOMP_STAT_PARKS,          /* times that a thread slept because it had nothing to do */
    GHCOMP_STAT_YIELDS,         /* times that a thread yielded its CPU to Haskell, in a wait or before a region */
    GHCOMP_STAT_REGIONS_QUEUED, /* outermost regions that waited for admission ... */
    GHCOMP_STAT_ADMISSION_TIMEOUTS, /* ... and those of them that began without it, after those that they waited for
                                       had not become fewer for 5 ms */
    GHCOMP_STAT_LENT,           /* workers taken from another thread's idle team */
    GHCOMP_STAT_STEALS,         /* tasks taken from another thread */
    GHCOMP_STAT_FENCES,         /* fences of all threads, which interrupt all its CPUs: 20 a second at most */
    GHCOMP_STATS
};

/* Stores the first `count` counters, in the enumeration's order, and 0 for those that this runtime does not have.
   Returns the number that it has. Counters only grow. Each is a sum over all threads, which continue to count during
   the call: one value may be older than the next. The child of a fork() keeps the sums. Takes a lock while it adds
   up. */
GHCOMP_API size_t ghcomp_stats(uint64_t *values, size_t count);

/* Whether the calling code is to end, because its result will be dropped: nonzero while it runs in a call that Haskell
   makes in `interruptibly` (OpenMP.Interrupt), and an exception is pending for the Haskell thread that made the
   call: a timeout's, a killThread's, Ctrl-C's. Any thread of the call's parallel regions may call it, and so may its
   tasks, nested ones too, as often as once for each iteration: it costs a few nanoseconds, and less outside of such
   calls, where it is 0. Some 10 ms lie between the exception and the result, which does not change back while the call
   lasts. If it is nonzero, C code leaves its loops (`continue` in a parallel one, or `cancel` with OMP_CANCELLATION),
   frees its resources, and returns. Its return value is dropped. */
GHCOMP_API int ghcomp_interrupted(void);

/* ---- Callbacks: many calls of a Haskell function for one entry into Haskell ----------------------------------------
 *
 * A plain FunPtr enters Haskell at each call. That costs some hundred nanoseconds, and more when several threads do it,
 * since each entry makes a Haskell thread under a lock of GHC's runtime. The functions below enter once for many calls.
 *
 * The Haskell module OpenMP.Callback makes objects of these types (newCallback and the like) and gives their
 * addresses to C. C never makes or frees one. The type gives the shape of the Haskell function:
 *
 *   ghcomp_callback           Int -> IO ()                        call, range, each, array, batch
 *   ghcomp_map_callback       Double -> IO Double                 map
 *   ghcomp_fold_callback      Int -> Double -> IO Double          fold
 *   ghcomp_fold_int_callback  Int -> Int -> IO Int                fold_int
 *   ghcomp_record_callback    Ptr argument -> Ptr result -> IO () records
 *
 * Threads. Every function may be called from every thread: OpenMP workers, the program's own threads, several at the
 * same time with one object. The Haskell code runs in the calling thread. It may block (MVar, STM, safe calls), open
 * parallel regions and let the collector run; the calling thread waits for as long as the Haskell code waits. The
 * Haskell program must have been linked with -threaded. C code that calls back must itself have been called by a *safe*
 * foreign call, like all C that enters Haskell.
 *
 * Errors. Each function returns 0, or GHCOMP_CALLBACK_FAILED when a Haskell function of this object has thrown an
 * exception, in this call or before, in this thread or another. The object stays failed: the rest of this call and all
 * later calls are skipped, without an entry. C code cleans up and returns to Haskell, where withCallback or
 * rethrowCallback throws the first exception. Results of a call that failed are incomplete. Where ghcomp_interrupted()
 * is nonzero a function returns GHCOMP_CALLBACK_FAILED, too, without an entry; the object has not failed then. A NULL
 * object, one of another shape (through a cast) and one made by an incompatible version end the program with a one-line
 * message. Use of a freed object is undefined; it is detected only by chance.
 */
#define GHCOMP_CALLBACK_FAILED 1

typedef struct ghcomp_callback ghcomp_callback;
typedef struct ghcomp_map_callback ghcomp_map_callback;
typedef struct ghcomp_fold_callback ghcomp_fold_callback;
typedef struct ghcomp_fold_int_callback ghcomp_fold_int_callback;
typedef struct ghcomp_record_callback ghcomp_record_callback;

/* One call, one entry: for rare events. */
GHCOMP_API int ghcomp_callback_call(ghcomp_callback *callback, intptr_t argument);

/* Calls the function with first, first + 1, ... past - 1, in that order; one entry (none for an empty range). */
GHCOMP_API int ghcomp_callback_range(ghcomp_callback *callback, intptr_t first, intptr_t past);

/* Calls the function with each of `count` arguments, in that order; one entry (none when count is 0). */
GHCOMP_API int ghcomp_callback_array(ghcomp_callback *callback, const intptr_t *arguments, size_t count);

/* Stores the next argument and returns nonzero, or returns 0 at the end. */
typedef int (*ghcomp_callback_next)(void *state, intptr_t *argument);

/* Calls the function with each argument that `next` stores, until `next` returns 0; one entry. For work that is
   distributed while it runs: all threads of a team may call this with one state, if `next` takes an index with an
   atomic addition. `next` runs in the calling thread, which holds a Capability. It must be short, and must not block,
   take a lock that another thread holds while it calls back, enter Haskell, or jump out (longjmp, C++ exceptions). An
   argument that `next` has stored when the object fails is lost. */
GHCOMP_API int ghcomp_callback_each(ghcomp_callback *callback, ghcomp_callback_next next, void *state);

/* Collects arguments for later calls. A batch belongs to one thread; its fields are private. */
typedef struct ghcomp_callback_batch {
    ghcomp_callback *callback;
    intptr_t *memory;
    size_t room, count;
} ghcomp_callback_batch;

/* Makes an empty batch over memory for `room` arguments, which must stay valid until the last flush. */
GHCOMP_API void ghcomp_callback_batch_init(ghcomp_callback_batch *batch, ghcomp_callback *callback, intptr_t *memory,
                                           size_t room);
/* Adds an argument; flushes when the memory is full. Not to be called from the batch's own callbacks. */
GHCOMP_API int ghcomp_callback_batch_add(ghcomp_callback_batch *batch, intptr_t argument);
/* Calls the function with the arguments added since the last flush, in that order, and empties the batch, also when the
   object fails; one entry (none when the batch is empty). Needed at the end: a batch has no destructor. */
GHCOMP_API int ghcomp_callback_batch_flush(ghcomp_callback_batch *batch);

/* results[i] = f(arguments[i]) for i in 0 .. count - 1; the arrays may be the same one. One entry (none when count is
   0). */
GHCOMP_API int ghcomp_callback_map(ghcomp_map_callback *callback, const double *arguments, double *results,
                                   size_t count);

/* *accumulator = f(i, *accumulator) for i = first .. past - 1, in that order; one entry (none for an empty range). The
   accumulator is stored once, at the end; it is unchanged when the call fails. In an OpenMP reduction each thread folds
   into its own accumulator (the reduction clause makes one for each). */
GHCOMP_API int ghcomp_callback_fold(ghcomp_fold_callback *callback, intptr_t first, intptr_t past,
                                    double *accumulator);
GHCOMP_API int ghcomp_callback_fold_int(ghcomp_fold_int_callback *callback, intptr_t first, intptr_t past,
                                        intptr_t *accumulator);

/* f(argument, result) for each of `count` records, which are argument_size and result_size bytes apart. Without
   results, pass NULL and 0 for them (the function gets nullPtr). With size 0 all calls get the same record. One entry
   (none when count is 0). */
GHCOMP_API int ghcomp_callback_records(ghcomp_record_callback *callback, const void *arguments, size_t argument_size,
                                       void *results, size_t result_size, size_t count);

/* ---- Graphs of tasks: recorded once, replayed many times -----------------------------------------------------------
 *
 * A program that generates the same tasks again and again, with the same dependences, records them the first time. A
 * replay then runs them without evaluating a depend clause or making a task: it costs a fraction. This is what the
 * taskgraph construct of OpenMP 6.0 (section 14.3) does, for code by compilers that do not have it yet:
 *
 *     ghcomp_graph *graph = ghcomp_graph_new();
 *     for (int step = 0; step < steps; step++)
 *         if (ghcomp_graph_run(graph) != 0) {       // nothing to replay: the first time
 *             ghcomp_graph_begin(graph, 0);
 *             for (int i = 0; i < n; i++) {
 *     #pragma omp task depend(in : a[i]) depend(inout : b[i]) firstprivate(i)
 *                 work(a, b, i);
 *             }
 *             ghcomp_graph_end(graph);
 *         }
 *     ghcomp_graph_free(graph);
 *
 * What is recorded: the explicit tasks that the calling task itself generates between begin and end, with all kinds of
 * dependences, taskloops, taskwaits and taskgroups. (Tasks that those tasks generate are part of their code.) Both
 * gcc's and clang's tasks are recorded. Other code between begin and end runs when it is recorded, and never again.
 *
 * Data. A replayed task has the firstprivate variables that were recorded, each time anew, as with the `saved` modifier
 * of OpenMP 6.0; shared variables are those of the recording, and must still exist. What is to change from one replay
 * to the next is in shared variables or behind a pointer. ghcomp_graph_update changes recorded data.
 *
 * Order. A replay respects the recorded dependences; tasks of a mutexinoutset exclude each other in the order in which
 * they were recorded. It ignores priorities. Cancellation of the taskgroup or the region in a task discards the tasks
 * that have not begun; the graph can be replayed again.
 *
 * Threads. Recording and replay are by any task, in a region or outside, and need not be by the same one; all threads
 * of the team of the calling task help. Where free agents may run tasks with threadset(omp_pool), they run the recorded
 * ones, too; such a replay makes all tasks of the graph again, with their dependences. A free agent that records or
 * replays runs tasks without the clause itself. One task at a time records or replays a graph: others wait. A task of a
 * graph that records or replays that same graph ends the program with a one-line message. So do other misuses: NULL, an
 * end without a begin, a graph that is freed while it is recorded or replayed.
 */
typedef struct ghcomp_graph ghcomp_graph;

#define GHCOMP_GRAPH_NOT_RECORDED 1

/* Makes an empty graph, and frees one (NULL: nothing). */
GHCOMP_API ghcomp_graph *ghcomp_graph_new(void);
GHCOMP_API void ghcomp_graph_free(ghcomp_graph *graph);

/* memcpy copies all firstprivate variables of the tasks: they are of C's types, but no arrays of variable length. For
   code by gcc, which has a function of the program's copy each array and struct, so that a recording sees no difference
   from the constructors of a C++ class. */
#define GHCOMP_GRAPH_PLAIN_DATA 1

/* The calling task begins to record, and forgets what the graph had recorded before. `flags`: 0, or
   GHCOMP_GRAPH_PLAIN_DATA. */
GHCOMP_API void ghcomp_graph_begin(ghcomp_graph *graph, unsigned flags);
/* The same task ends that, and waits for the tasks and all their descendants. 0: they are recorded.
   GHCOMP_GRAPH_NOT_RECORDED: they have run, but a replay cannot repeat one of them (ghcomp_graph_reason says why), so
   the program runs its code each time. These are detachable, target and transparent tasks, task reductions of a
   taskgroup or taskloop in the recording, tasks with firstprivate variables whose copies the program's own functions
   construct or destroy (C++ classes, arrays of variable length, with gcc all arrays and structs:
   GHCOMP_GRAPH_PLAIN_DATA), and undeferred tasks in code by clang. */
GHCOMP_API int ghcomp_graph_end(ghcomp_graph *graph);

/* Runs the recorded tasks once, and waits for them and all their descendants: 0. Without a recording it does nothing:
   GHCOMP_GRAPH_NOT_RECORDED. */
GHCOMP_API int ghcomp_graph_run(ghcomp_graph *graph);

/* Why the graph cannot be replayed; "" if it can. The string is static. */
GHCOMP_API const char *ghcomp_graph_reason(const ghcomp_graph *graph);

/* The number of recorded tasks. They are numbered from 0, in the order in which they were generated. */
GHCOMP_API size_t ghcomp_graph_tasks(const ghcomp_graph *graph);
/* The size of a task's recorded data, as the compiler has laid it out: its firstprivate variables, and the addresses of
   its shared ones. */
GHCOMP_API size_t ghcomp_graph_data_size(ghcomp_graph *graph, size_t task);
/* Changes `bytes` of it, from `offset` on, for the replays that follow. For compilers, and for programs that know the
   layout. */
GHCOMP_API void ghcomp_graph_update(ghcomp_graph *graph, size_t task, size_t offset, const void *data, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
