/* The error directive at execution time, as clang emits it. Tests: test/clang/error.c. */
#include "abi/abi.h"
#include "base/check.h"

enum { SEVERITY_WARNING = 1 };

/* The source is ;file;function;line;column;; and `message` is NULL without the clause. */
void __kmpc_error(struct kmp_ident *loc, int severity, const char *message)
{
    const char *source = loc != NULL && loc->source != NULL ? loc->source : "";
    const char *text = message != NULL ? message : "error directive encountered";
    if (severity == SEVERITY_WARNING)
        ghcomp_warn_compat("%s (at %s)", text, source);
    else
        ghcomp_fatal_compat("%s (at %s)", text, source);
}

GHCOMP_ABI_OBJECT(kmp_error);
