/* The error directive at execution time, as clang emits it. Tests: test/clang/error.c. */
#include "abi/abi.h"
#include "core/tool/tool.h"

enum { SEVERITY_WARNING = 1 };

/* The texts are those of gcc's code (gomp/gomp_error.c). */
void __kmpc_error(struct kmp_ident *loc, int severity, const char *message)
{
    (void)loc;
    GHCOMP_TOOL_SITE();
    if (severity == SEVERITY_WARNING)
        GOMP_warning(message, SIZE_MAX);
    else
        GOMP_error(message, SIZE_MAX);
}

GHCOMP_ABI_OBJECT(kmp_error);
