/* What ghc-openmp adds to omp.h: where the runtime lives and how it meets GHC's Capabilities.
 *
 * Link with -lghcomp, or look the names up with dlsym in a process that has the drop-in libgomp.so.1. Every function
 * may be called from any thread, inside or outside of parallel regions, from C and (as an unsafe call, except where
 * noted) from Haskell. None of them fails; strings are static and must not be freed.
 */
#ifndef GHCOMP_H
#define GHCOMP_H

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

/* The host that the runtime's threads live in: "ghc" or "posix". The host is chosen once, from GHCOMP_HOST (auto, ghc
   or posix) and from what the process has; if no parallel region has needed it yet, this call chooses, which may start
   a GHC runtime (about 4 ms) and may print one line on stderr when that was asked for and can't be done. From Haskell a
   safe call, therefore. */
GHCOMP_API const char *ghcomp_host_name(void);

/* How that host was found: "linked" (the program is built with our Haskell package), "loaded" (the process has GHC's
   runtime in a shared library), "companion" (we started one) or "posix". Chooses as ghcomp_host_name does. */
GHCOMP_API const char *ghcomp_host_origin(void);

/* Version of the GHC whose runtime is the host ("9.0.2"), or "" on POSIX threads and when it can't be told.
   Chooses as ghcomp_host_name does. */
GHCOMP_API const char *ghcomp_ghc_version(void);

/* Number of Capabilities that Haskell may use at this moment, 0 on POSIX threads. Does not choose the host: 0
   before. */
GHCOMP_API int ghcomp_num_capabilities(void);

/* Number (from 0) of the calling thread's home Capability: the one by which it enters Haskell when it calls back. -1 in
   a thread that is not a worker of the runtime (the program's own threads, Haskell's bound threads) and on POSIX
   threads. It moves when setNumCapabilities changes their number. */
GHCOMP_API int ghcomp_thread_capability(void);

/* Worker threads that the runtime has made in this process so far; the program's own threads do not count. */
GHCOMP_API int ghcomp_workers_created(void);

#ifdef __cplusplus
}
#endif

#endif
