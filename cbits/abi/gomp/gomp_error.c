/* The error directive at execution time. The texts are libgomp's, because users search logs for them.
 *
 * Called by compiled code. Covered by test/conformance/icv/error_*.c.
 */
#include <string.h>

#include "abi/abi.h"
#include "base/check.h"
#include "core/tool/tool.h"

/* A message from Fortran has a length; one from C ends with a zero byte and has length SIZE_MAX. */
static int length_of(const char *msg, size_t msglen)
{
    size_t length = msglen == SIZE_MAX ? strlen(msg) : msglen;
    return length > INT32_MAX ? INT32_MAX : (int)length;
}

#define TELL_TOOL(severity, msg, msglen)                                                        \
    do {                                                                                        \
        GHCOMP_TOOL_SITE();                                                                     \
        if (ghcomp_tool_on())                                                                   \
            ghcomp_tool_error(severity, msg, msg != NULL ? (size_t)length_of(msg, msglen) : 0); \
    } while (0)

void GOMP_warning(const char *msg, size_t msglen)
{
    TELL_TOOL(ompt_warning, msg, msglen);
    if (msg == NULL)
        ghcomp_warn_compat("error directive encountered");
    else
        ghcomp_warn_compat("error directive encountered: %.*s", length_of(msg, msglen), msg);
}

void GOMP_error(const char *msg, size_t msglen)
{
    TELL_TOOL(ompt_fatal, msg, msglen);
    if (msg == NULL)
        ghcomp_fatal_compat("fatal error: error directive encountered");
    ghcomp_fatal_compat("fatal error: error directive encountered: %.*s", length_of(msg, msglen), msg);
}

GHCOMP_ABI_OBJECT(gomp_error);
