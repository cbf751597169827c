/* LLVM's library for devices, libomptarget, where it is in the process: its routines, found by name (offload.c). */
#pragma once

/* The routine of that name in libomptarget; NULL: the process has no libomptarget, or a version of it without the
   routine. The caller casts it. Any thread; asks the loader each time, since the library comes and goes with those that
   need it. */
typedef void ghcomp_offload_routine(void);
ghcomp_offload_routine *ghcomp_offload_find(const char *name);

/* How many devices there are besides the host: libomptarget's answer, 0 without it. Also the host's number. */
int ghcomp_offload_devices(void);
