/* The parser of OMP_AVAILABLE_DEVICES (OpenMP 6.0, section 4.3.7); contract in env_parse.h.
 *
 *   list   item { ',' item }
 *   item   ( '*' | traits ) [ '[' index [ ':' [ count ] ] ']'  |  '[' ':' [ count ] ']' ]
 *   traits factor { '&&' factor }  |  factor { '||' factor }
 *   factor [ '!' ] ( '(' traits ')'  |  name '(' text ')' )
 *
 * where name is one of kind, isa, arch, vendor, uid; the kind is not host. The parser determines only whether the text
 * is valid, and whether it selects all devices in their own order: only libomptarget knows the devices' traits.
 *
 * Called by env_take.c. Covered by test/unit/env_parse.c.
 */
#include "core/env/env_scan.h"
#include "core/state/settings.h"

enum { MOST_DEEP = 32 }; /* the text comes from outside: bounds the stack */

static bool take_trait(const char **at)
{
    static const struct ghcomp_env_word names[] = {{"kind", 1}, {"isa", 0}, {"arch", 0},
                                                   {"vendor", 0}, {"uid", 0}, {NULL, 0}};
    int kind;
    ghcomp_scan_space(at);
    if (!ghcomp_scan_word(at, strspn(*at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"), names, &kind) ||
        !ghcomp_scan_char(at, '('))
        return false;
    ghcomp_scan_space(at);
    size_t length = strcspn(*at, ")");
    while (length > 0 && ghcomp_scan_is_space((*at)[length - 1]))
        length--;
    if (length == 0 || (kind && length == 4 && strncasecmp(*at, "host", 4) == 0))
        return false;
    *at += length;
    return ghcomp_scan_char(at, ')');
}

static bool take_traits(const char **at, int deep);

static bool take_factor(const char **at, int deep)
{
    ghcomp_scan_char(at, '!');
    if (!ghcomp_scan_char(at, '('))
        return take_trait(at);
    return deep < MOST_DEEP && take_traits(at, deep + 1) && ghcomp_scan_char(at, ')');
}

static bool take_traits(const char **at, int deep)
{
    char operation = 0;
    if (!take_factor(at, deep))
        return false;
    for (;;) {
        ghcomp_scan_space(at);
        char next = **at;
        if ((next != '&' && next != '|') || (*at)[1] != next)
            return true;
        if (operation != 0 && next != operation)
            return false;
        operation = next;
        *at += 2;
        if (!take_factor(at, deep))
            return false;
    }
}

/* Takes the subscript of an element or of an array section. *some: there is one. */
static bool take_subscript(const char **at, bool *some)
{
    enum { DIGITS = 9 };
    uint64_t number;
    *some = ghcomp_scan_char(at, '[');
    if (!*some)
        return true;
    bool index = ghcomp_scan_digits(at, DIGITS, &number), section = ghcomp_scan_char(at, ':');
    if (section)
        ghcomp_scan_digits(at, DIGITS, &number);
    return (index || section) && ghcomp_scan_char(at, ']');
}

bool ghcomp_env_parse_devices(const char *text, int *value)
{
    bool all = false, first = true, some;
    do {
        bool star = ghcomp_scan_char(&text, '*');
        if ((!star && !take_traits(&text, 0)) || !take_subscript(&text, &some))
            return false;
        all = all || (first && star && !some);
        first = false;
    } while (ghcomp_scan_char(&text, ','));
    if (!ghcomp_scan_end(&text))
        return false;
    *value = all ? GHCOMP_DEVICES_ALL : GHCOMP_DEVICES_SELECTED;
    return true;
}
