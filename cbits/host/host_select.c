/* Chooses the process's host by GHCOMP_HOST, and reports why it is not the RTS:
 *
 *   auto    the process's own RTS when there is one, otherwise POSIX threads; no message, and nothing is booted
 *   ghc     the process's own RTS, else the companion's, else POSIX threads and one line with the reason
 *   posix   POSIX threads
 *
 * The first thread at a region that needs a worker makes the choice, under `choice.lock`. GHC and an explicit POSIX are
 * final. POSIX for lack of an RTS is reconsidered when workers are made after objects have been loaded (a Haskell
 * library that came by dlopen), or while an RTS is loaded but not started. A boot is tried only once.
 *
 * Called by pool.c, thread.c, agents.c, capabilities.c, abi/ghcomp/{ghcomp_api,ghcomp_callback}.c, haskell/enter.c,
 * host_boot.c and host_ghc.c. Covered by test/host/ and test/hostile/env_hs_exit.sh. Explored (test/explore/host.c): no
 * thread is inside when ghcomp_host_retire returns true, or after ghcomp_host_ends; all schedules of one worker under
 * TSO, three preemptions with two. */
#include <pthread.h>
#include <string.h>
#include <strings.h>

#include "base/check.h"
#include "host/capabilities.h"
#include "host/host.h"
#include "host/os.h"

enum wish { WISH_AUTO, WISH_GHC, WISH_POSIX };

static struct {
    pthread_mutex_t lock;
    const struct ghcomp_host *_Atomic host; /* store_release under the lock, load_acquire: the table is complete */
    atomic_bool final;                      /* store_release after host, load_acquire: no later look changes the host */
    bool looked;                            /* lock choice.lock: there was a first look; wish is valid */
    bool told;                              /* lock choice.lock: the line with the reason was printed, or a boot was
                                               tried */
    bool had_rts;                           /* lock choice.lock: an RTS was found in this process */
    bool forked;                            /* lock choice.lock: a fork() made this process after the runtime was
                                               loaded */
    bool single;                            /* forking thread, then its child: the parent had no other thread */
    bool idle;                              /* lock choice.lock: the RTS that was found had not been started */
    enum wish wish;                         /* lock choice.lock */
    uint64_t loads;                         /* lock choice.lock: objects loaded at the last look */
    atomic_bool was_up;                     /* atomic(relaxed): a check found a main of Haskell's running; only ever
                                               becomes true */
    _Atomic int chooser;                    /* atomic(relaxed): the thread that chose last, by number; a hint */
    /* Threads between ghcomp_host_enter and _leave. add_seqcst, load_seqcst: a thread that enters adds itself here
       first and reads `host` then; the thread that retires the host changes `host` first (xchg_seqcst) and reads this
       then. So either the one that enters sees that the host has been retired, or the other waits for it. */
    _Atomic uint32_t inside;
    /* The program ends the RTS; xchg_seqcst and load_seqcst, with `inside` as `host` is. ghcomp_host_over reads it
       load_relaxed, as a hint. */
    atomic_bool ended;
} choice = {.lock = PTHREAD_MUTEX_INITIALIZER, .host = &ghcomp_host_posix};

/* The host with which the calling worker is registered; NULL in all other threads. Owner only. */
static __thread const struct ghcomp_host *known GHCOMP_TLS_COLD;

/* Accepts a word as other settings do, in either case and with white space around it. (This layer must not use
   core/env/env_parse.c.) */
static bool parse_wish(const char *text, enum wish *wish)
{
    static const char *const names[] = {[WISH_AUTO] = "auto", [WISH_GHC] = "ghc", [WISH_POSIX] = "posix"};
    static const char space[] = " \t\n\v\f\r";
    text += strspn(text, space);
    size_t length = strcspn(text, space);
    if (text[length + strspn(text + length, space)] != '\0')
        return false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i]) == length && strncasecmp(text, names[i], length) == 0) {
            *wish = (enum wish)i;
            return true;
        }
    return false;
}

static enum wish read_wish(const char *text)
{
    enum wish wish = WISH_POSIX;
    ghcomp_invariant(parse_wish(ghcomp_host_default, &wish));
    if (text != NULL && text[0] != '\0' && !parse_wish(text, &wish))
        ghcomp_warn("GHCOMP_HOST='%s' is not auto, ghc or posix; using the default, %s", ghcomp_shown(text).text,
                    ghcomp_host_default);
    return wish;
}

static const char *describe(enum ghcomp_rts_state state)
{
    switch (state) {
    case GHCOMP_RTS_IDLE:
        return "the GHC runtime in this process has not been started yet (call hs_init before the first "
               "parallel region)";
    case GHCOMP_RTS_SINGLE:
        return "the GHC runtime in this process is the non-threaded one (link the program with -threaded)";
    default:
        return "the GHC runtime in this process does not fit this build of ghc-openmp";
    }
}

static void settle(const struct ghcomp_host *host, bool final)
{
    ghcomp_store_release(&choice.host, host);
    ghcomp_store_release(&choice.final, final);
}

/* lock choice.lock */
static void look(uint32_t capabilities)
{
    const struct ghcomp_host *table = NULL;
    enum ghcomp_rts_state state = ghcomp_find_rts(&table);
    if (choice.forked && state != GHCOMP_RTS_NONE) {
        settle(&ghcomp_host_posix, true); /* the RTS's threads stayed in the parent */
        return;
    }
    choice.had_rts = state != GHCOMP_RTS_NONE;
    choice.idle = state == GHCOMP_RTS_IDLE;
    if (state == GHCOMP_RTS_READY) {
        settle(table, true);
        return;
    }
    if (choice.wish != WISH_GHC || choice.told)
        return;
    choice.told = true;
    char why[512];
    if (state == GHCOMP_RTS_NONE) {
        table = ghcomp_boot(capabilities, why, sizeof why);
        if (table != NULL) {
            choice.had_rts = true;
            settle(table, true);
            return;
        }
    } else {
        strncpy(why, describe(state), sizeof why - 1);
        why[sizeof why - 1] = '\0';
    }
    ghcomp_warn("running on POSIX threads, not in GHC's runtime: %s; GHCOMP_HOST=posix asks for this silently", why);
}

/* lock choice.lock. Makes the choice. If the user wants POSIX threads, it does not call the loader. */
static void choose(const char *wanted, uint32_t capabilities)
{
    bool first = !choice.looked;
    if (first) {
        (void)ghcomp_host_over(); /* notes whether a main of Haskell's runs */
        choice.wish = read_wish(wanted);
        choice.looked = true;
        if (choice.wish == WISH_POSIX) {
            settle(&ghcomp_host_posix, true);
            return;
        }
    }
    uint64_t loads = ghcomp_find_loads();
    if (first || choice.idle || loads != choice.loads)
        look(capabilities);
    choice.loads = loads;
}

/* The thread that chooses calls the loader, whose lock another thread may have that loads a library and is in the
   library's constructor. If that thread opens a region, it must not wait for the choice, which would be a deadlock.
   Such a thread cannot be recognised, so every thread gives up after PATIENCE checks in a row that find the choosing
   thread asleep. (On a busy machine starting an RTS takes longer, but then the choosing thread is runnable.) False: the
   caller has given up, and its region runs on POSIX threads, the present host. Not pthread_mutex_clocklock, because
   ThreadSanitizer of GCC 12 does not know that function and would report each program with two threads here. */
static bool lock_choice(void)
{
    enum { NAP_NS = 100000, NAPS = 100, PATIENCE = 100 };
    for (int asleep = 0, naps = 0; pthread_mutex_trylock(&choice.lock) != 0;) {
        if (naps == NAPS) {
            asleep = ghcomp_os_thread_works(ghcomp_load_relaxed(&choice.chooser)) ? 0 : asleep + 1;
            naps = 0;
            if (asleep == PATIENCE)
                return false;
        }
        ghcomp_os_nap(NAP_NS);
        naps++;
    }
    ghcomp_store_relaxed(&choice.chooser, ghcomp_os_thread_id());
    return true;
}

void ghcomp_host_select(const char *wanted, uint32_t capabilities)
{
    if (ghcomp_likely(ghcomp_load_acquire(&choice.final)))
        return;
    int cancellation = ghcomp_os_defer_cancellation();
    if (lock_choice()) {
        if (!ghcomp_load_relaxed(&choice.final))
            choose(wanted, capabilities);
        pthread_mutex_unlock(&choice.lock);
    }
    ghcomp_os_restore_cancellation(cancellation);
}

const struct ghcomp_host *ghcomp_host(void)
{
    return ghcomp_load_acquire(&choice.host);
}

bool ghcomp_host_of_program(void)
{
    const struct ghcomp_host *host = ghcomp_host();
    return host != &ghcomp_host_posix && strcmp(host->origin, "companion") != 0;
}

/* Reads the state of the linked RTS, not of the host in force, which may be POSIX threads, without notice of the RTS's
   end. A main of C, linked with a Haskell module Main, may run before the RTS has started. */
bool ghcomp_host_over(void)
{
    if (ghcomp_host_haskell_main == NULL)
        return false;
    if (ghcomp_load_relaxed(&choice.ended))
        return true;
    if (ghcomp_host_linked->state() == GHCOMP_RTS_IDLE)
        return ghcomp_load_relaxed(&choice.was_up);
    if (!ghcomp_load_relaxed(&choice.was_up))
        ghcomp_store_relaxed(&choice.was_up, true);
    return false;
}

void ghcomp_host_leave(void)
{
    ghcomp_sub_acqrel(&choice.inside, 1u);
}

bool ghcomp_host_enter(const struct ghcomp_host *host)
{
    ghcomp_add_seqcst(&choice.inside, 1u);
    if (ghcomp_load_seqcst(&choice.host) == host && !ghcomp_load_seqcst(&choice.ended))
        return true;
    ghcomp_host_leave();
    return false;
}

/* Enters the host, unless its RTS has ended, because the program may have called hs_exit: such an RTS must not be
   called when a worker begins or ends. If the host watches its end (watch_end), ghcomp_host_enter returns false early
   enough. */
static bool enter_running(const struct ghcomp_host *host)
{
    if (!ghcomp_host_enter(host))
        return false;
    if (host->state() == GHCOMP_RTS_READY)
        return true;
    ghcomp_host_leave();
    return false;
}

void ghcomp_host_worker_start(uint32_t number)
{
    known = ghcomp_host();
    /* With a limited address space a worker is not registered: a thread's first call of the RTS allocates thread-local
       data, and the C library ends the process if it cannot. */
    if (known == &ghcomp_host_posix || ghcomp_os_address_space_limited() || !enter_running(known)) {
        known = NULL;
        return;
    }
    known->worker_start(number);
    ghcomp_host_leave();
}

void ghcomp_host_worker_stop(void)
{
    if (known != NULL && enter_running(known)) {
        known->worker_stop();
        ghcomp_host_leave();
    }
    known = NULL;
}

int ghcomp_host_worker_home(uint32_t number)
{
    return known != NULL && known == ghcomp_host() ? known->home(number) : -1;
}

/* Makes POSIX threads the final host, so that no thread enters the RTS from here on. */
static void retire(void)
{
    ghcomp_capabilities_forget();
    ghcomp_xchg_seqcst(&choice.host, &ghcomp_host_posix);
    ghcomp_store_release(&choice.final, true);
}

bool ghcomp_host_drain(uint32_t limit_ms)
{
    enum { LOOK_EVERY_NS = 100000 };
    uint64_t begin = ghcomp_os_now(), limit = (uint64_t)limit_ms * 1000000;
    for (; ghcomp_load_seqcst(&choice.inside) != 0; ghcomp_os_nap(LOOK_EVERY_NS))
        if (ghcomp_os_now() - begin > limit)
            return false;
    return true;
}

bool ghcomp_host_retire(uint32_t limit_ms)
{
    retire();
    return ghcomp_host_drain(limit_ms);
}

void ghcomp_host_ends(void)
{
    enum { LIMIT_MS = 100 };
    ghcomp_capabilities_forget(); /* the RTS frees them */
    ghcomp_xchg_seqcst(&choice.ended, true);
    ghcomp_host_drain(LIMIT_MS); /* the finder may wait for a busy Capability for ever */
}

void ghcomp_host_fork_prepare(void)
{
    choice.single = ghcomp_os_single_threaded();
}

void ghcomp_host_fork_child(void)
{
    /* A thread that does not exist in the child may have held the lock, and even the loader's lock, on which a search
       for an RTS would hang. So the child stays on POSIX threads, unless the parent had only one thread and no RTS:
       then it chooses anew, so that a daemon gets the same host as without fork(). */
    pthread_mutex_init(&choice.lock, NULL);
    ghcomp_store_relaxed(&choice.inside, 0u);
    choice.forked = true;
    if (choice.had_rts || !choice.single)
        retire();
}
