/* The error directive at execution time, as clang emits it. Tests: test/clang/error.c.
 *
 * The message begins as libomp's, because users search logs for it, and names the source line. */
#include <string.h>

#include "abi/abi.h"
#include "base/check.h"
#include "core/tool/tool.h"

enum { SEVERITY_WARNING = 1 };

/* A part of a message; not terminated. */
struct part {
    const char *text;
    int length;
};

/* The part of a source location (struct kmp_ident) with this number, from 0. */
static struct part part_of(const char *source, int number)
{
    for (int i = 0; i <= number; i++) {
        source += strcspn(source, ";");
        source += *source == ';';
    }
    return (struct part){source, (int)strcspn(source, ";")};
}

void __kmpc_error(struct kmp_ident *loc, int severity, const char *message)
{
    enum { FILE_NAME = 0, LINE = 2, COLUMN = 3 };
    GHCOMP_TOOL_SITE();
    if (ghcomp_tool_on())
        ghcomp_tool_error(severity == SEVERITY_WARNING ? ompt_warning : ompt_fatal, message,
                          message != NULL ? strlen(message) : 0);
    const char *source = loc != NULL && loc->source != NULL ? loc->source : ";unknown;;0;0;;";
    struct part file = part_of(source, FILE_NAME), line = part_of(source, LINE), column = part_of(source, COLUMN);
    const char *colon = message != NULL ? ": " : "", *text = message != NULL ? message : "";
#define SAY(how)                                                                                                \
    how("%.*s:%.*s:%.*s: error directive encountered%s%s", file.length, file.text, line.length, line.text,      \
        column.length, column.text, colon, text)
    if (severity == SEVERITY_WARNING)
        SAY(ghcomp_warn_libomp);
    else
        SAY(ghcomp_fatal_libomp);
}

GHCOMP_ABI_OBJECT(kmp_error);
