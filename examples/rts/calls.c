#include <stdatomic.h>
#include <time.h>

static atomic_int is_called, is_noted;

void begin(void)
{
    atomic_store(&is_called, 0);
    atomic_store(&is_noted, 0);
}

int called(void)
{
    return atomic_load(&is_called);
}

void note(void)
{
    atomic_store(&is_noted, 1);
}

/* Waits so many milliseconds, or with -1 until note() has been called; returns whether it has. */
int wait_a_while(int milliseconds)
{
    atomic_store(&is_called, 1);
    for (int i = 0; i != milliseconds && !(milliseconds < 0 && atomic_load(&is_noted)); i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return atomic_load(&is_noted);
}
