/* The library's beginning and end: it has the RTS, of which the C program knows nothing. */
#include <stddef.h>

#include <HsFFI.h>

void hsl_start(void)
{
    hs_init(NULL, NULL);
}

void hsl_stop(void)
{
    hs_exit();
}
