/* Messages: with prefix and newline, cut when too long, each a line of its own even where the kernel takes it in parts;
   exit status of the fatal ones, the first of which is the only one that is printed; memory in whole lines. */
#include "process.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/check.c"

/* ThreadSanitizer lets a process that ends beside other threads sleep for a second, in case they race meanwhile. More
   than twenty children of this test end so, and say nothing more. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "atexit_sleep_ms=0";
}

static char said[4096];

static int in_child(void (*body)(void))
{
    return child_says(body, said, sizeof said);
}

static void warns(void)
{
    ghcomp_warn("%s=%s is not a number: using %d", "OMP_X", "abc", 7);
}

static void warns_at_length(void)
{
    static char text[5000];
    memset(text, 'x', sizeof text - 1);
    ghcomp_warn("%s", text);
}

static void fails(void)
{
    ghcomp_fatal("no %s", "threads");
}

static void fails_like_libgomp(void)
{
    ghcomp_fatal_compat("Thread creation failed: %s", "why");
}

static void breaks(void)
{
    ghcomp_invariant(1 + 1 == 3);
}

/* Threads that fail at once: each says why if the others do not. */
enum { THREADS = 4 };

static void *fails_too(void *gate)
{
    pthread_barrier_wait(gate);
    fails();
    return NULL;
}

static void fail_at_once(void)
{
    static pthread_barrier_t gate;
    pthread_t thread;
    CHECK(pthread_barrier_init(&gate, NULL, THREADS) == 0);
    for (int i = 1; i < THREADS; i++)
        CHECK(pthread_create(&thread, NULL, fails_too, &gate) == 0);
    fails_too(&gate);
}

/* exit() runs them in the opposite order. */
static void last_handler(void)
{
    CHECK(write(STDERR_FILENO, "last\n", 5) == 5);
}

static void fail_in_handler(void)
{
    atexit(last_handler);
    atexit(fails);
    fails_like_libgomp();
}

/* A child of fork() that a handler makes is a process of its own, and says why it ends. */
static void fail_in_childs_thread(void)
{
    pid_t child = fork();
    if (child == 0) {
        fail_at_once();
        _exit(9);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

static void fail_and_fork(void)
{
    atexit(fail_in_childs_thread);
    fails_like_libgomp();
}

/* The kernel takes one byte of each line at a time. What `on_write` does comes first, once in each thread. */
static void (*on_write)(void);
static bool in_parts;
/* How often a thread has waited for another one's line, in all processes of the test. */
static _Atomic int *waits;
/* While lines come, a wait ends with the next one, however slow they are: beside busy CPUs one takes longer than the
   second for which a thread waits for all of them. */
static bool lines_come;
static _Atomic int lines_said;

static void wait_for_a_line(void)
{
    enum { MS = 1000 };
    int seen = lines_said;
    for (int i = 0; i < MS && lines_said == seen; i++)
        poll(NULL, 0, 1);
}

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

long __wrap_syscall(long number, ...)
{
    static __thread bool begun;
    long a[5] = {0}; /* ppoll has five */
    va_list args;
    va_start(args, number);
    for (int i = 0; i < (number == SYS_write ? 3 : 5); i++)
        a[i] = va_arg(args, long);
    va_end(args);
    if (number == SYS_ppoll)
        (*waits)++;
    if (number == SYS_ppoll && lines_come) {
        wait_for_a_line();
        return 0;
    }
    if (number == SYS_write && in_parts) {
        if (!begun && on_write != NULL) {
            begun = true;
            on_write();
        }
        a[2] = 1;
        lines_said += *(const char *)a[1] == '\n';
        if (on_write == NULL)
            sched_yield(); /* so that threads meet; beside busy CPUs each of them may take a slice */
    }
    return __real_syscall(number, a[0], a[1], a[2], a[3], a[4]);
}

enum { LINES = 20 };

static void *warns_often(void *gate)
{
    pthread_barrier_wait(gate);
    for (int i = 0; i < LINES; i++)
        ghcomp_warn("a line");
    return NULL;
}

static void warn_in_parts(void)
{
    pthread_barrier_t gate;
    pthread_t threads[THREADS];
    in_parts = lines_come = true;
    CHECK(pthread_barrier_init(&gate, NULL, THREADS) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, warns_often, &gate) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
}

static void lines_do_not_mix(void)
{
    static const char line[] = "ghc-openmp: warning: a line\n";
    CHECK(in_child(warn_in_parts) == 0);
    CHECK(strlen(said) == THREADS * LINES * strlen(line));
    for (const char *at = said; *at != '\0'; at += strlen(line))
        CHECK(strncmp(at, line, strlen(line)) == 0);
}

static void warns_of_an_interruption(void)
{
    ghcomp_warn("a handler");
}

/* A handler that interrupts a thread within its message does not wait for it. */
static void warn_in_a_handler(void)
{
    in_parts = true;
    on_write = warns_of_an_interruption;
    ghcomp_warn("a line");
}

static void forks_and_warns(void)
{
    pid_t child = fork();
    if (child == 0) {
        ghcomp_warn("a child");
        _exit(0);
    }
    CHECK(status_of(child) == 0);
}

/* fork() in the middle of another thread's line. */
static void warn_in_a_child(void)
{
    in_parts = true;
    on_write = forks_and_warns;
    ghcomp_warn("a line");
}

/* The thread that writes never ends: its line is mixed with the others, which are not lost. */
static void warn_beside_a_stopped_thread(void)
{
    writer = (uint64_t)getpid() << 32; /* another thread of the process: no thread is number 0 */
    ghcomp_warn("a line");
}

static void nobody_waits_for_ever(void)
{
    *waits = 0;
    CHECK(in_child(warn_in_a_handler) == 0);
    CHECK(strcmp(said, "ghc-openmp: warning: a handler\nghc-openmp: warning: a line\n") == 0);
    CHECK(in_child(warn_in_a_child) == 0);
    CHECK(strcmp(said, "ghc-openmp: warning: a child\nghc-openmp: warning: a line\n") == 0);
    CHECK(*waits == 0);
    CHECK(in_child(warn_beside_a_stopped_thread) == 0);
    CHECK(*waits == WAIT_STEPS);
    CHECK(strcmp(said, "ghc-openmp: warning: a line\n") == 0);
}

/* A text in a message: what a terminal cannot show as it is, and the cut. */
static void shows(void)
{
    static const char *const pairs[][2] = {
        {"", ""}, {"abc", "abc"}, {"gr\xc3\xb6\xc3\x9f" "e", "gr\xc3\xb6\xc3\x9f" "e"}, {"a\nb", "a\\x0ab"},
        {"\x1b[31m", "\\x1b[31m"}, {"\x7f", "\\x7f"}, {"\xff\xfe", "\\xff\\xfe"}, {"\xc2\x9b", "\\xc2\\x9b"},
        {"\xc3", "\\xc3"}, {"\xc0\xaf", "\\xc0\\xaf"}, {"\xe0\x80\x80", "\\xe0\\x80\\x80"},
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"}, {"\xef\xbc\x93", "\xef\xbc\x93"}, {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"}, {"\xe2\x82", "\\xe2\\x82"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        CHECK(strcmp(ghcomp_shown(pairs[i][0]).text, pairs[i][1]) == 0);
    static char text[1000];
    for (int unit = 1; unit <= 3; unit++) {
        memset(text, 0, sizeof text);
        for (int i = 0; i < 300; i++)
            memcpy(text + i * unit, &"x\0\0\xc3\xa4\0\xe2\x82\xac"[(unit - 1) * 3], (size_t)unit);
        struct ghcomp_shown shown = ghcomp_shown(text);
        size_t length = strlen(shown.text);
        CHECK(length <= GHCOMP_SHOWN + 3 && length > GHCOMP_SHOWN - 4 + 3);
        CHECK(strcmp(shown.text + length - 3, "...") == 0 && strncmp(shown.text, text, length - 3) == 0);
        CHECK((length - 3) % (size_t)unit == 0);
    }
    memset(text, '\x01', 300);
    CHECK(strlen(ghcomp_shown(text).text) == GHCOMP_SHOWN + 3);
    CHECK(strcmp(ghcomp_shown_part("abcdef", 3).text, "abc") == 0);
    CHECK(strcmp(ghcomp_shown_part("\xc3\xa4", 1).text, "\\xc3") == 0); /* never a byte behind the part */
}

int main(void)
{
    waits = mmap(NULL, sizeof *waits, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(waits != MAP_FAILED);
    shows();
    CHECK(in_child(warns) == 0);
    CHECK(strcmp(said, "ghc-openmp: warning: OMP_X=abc is not a number: using 7\n") == 0);
    CHECK(in_child(warns_at_length) == 0);
    CHECK(strlen(said) > 500 && strlen(said) <= 1024 && said[strlen(said) - 1] == '\n');
    int status = in_child(fails);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    CHECK(strcmp(said, "ghc-openmp: no threads\n") == 0);
    status = in_child(fails_like_libgomp);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    CHECK(strcmp(said, "\nlibgomp: Thread creation failed: why\n") == 0);
    for (int i = 0; i < 20; i++) {
        status = in_child(fail_at_once);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
        CHECK(strcmp(said, "ghc-openmp: no threads\n") == 0);
    }
    status = in_child(fail_in_handler);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    CHECK(strcmp(said, "\nlibgomp: Thread creation failed: why\nlast\n") == 0);
    for (int i = 0; i < 20; i++) {
        status = in_child(fail_and_fork);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
        CHECK(strcmp(said, "\nlibgomp: Thread creation failed: why\nghc-openmp: no threads\n") == 0);
    }
    status = in_child(breaks);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == 6);
    CHECK(strstr(said, "1 + 1 == 3") != NULL && strstr(said, "check.c") != NULL);
    lines_do_not_mix();
    nobody_waits_for_ever();
    unsigned char *lines = ghcomp_alloc_lines(1);
    CHECK((uintptr_t)lines % GHCOMP_PAD_LINE == 0);
    for (int i = 0; i < GHCOMP_PAD_LINE; i++)
        CHECK(lines[i] == 0);
    free(lines);
    return 0;
}
