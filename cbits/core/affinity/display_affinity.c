/* The affinity format: what omp_display_affinity, omp_capture_affinity and OMP_DISPLAY_AFFINITY print.
 *
 * A field is %[[[0].]width]type: `.` aligns to the right, `0.` also fills with zeros (numbers only). The type is a
 * letter or a name in braces (OpenMP 5.2, section 4.3, names all of them; the table below). %% is a percent sign. In
 * gcc's code a malformed format ends the program when it is used, as in libgomp; in clang's a malformed field is
 * "undefined", as in libomp. In a process with gcc's code a malformed OMP_AFFINITY_FORMAT has been refused before
 * (env_take.c).
 *
 * Called by affinity.c, env_table.c, thread.c, abi/omp/omp_affinity.c and abi/kmp/kmp_settings.c. Covered by
 * test/conformance/{affinity,process}, test/clang/affinity_format.c and test/input/environment.py.
 */
#include "core/affinity/display_affinity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/check.h"
#include "core/affinity/affinity.h"
#include "core/state/settings.h"
#include "core/sync/lock.h"
#include "core/team/league.h"

/* Lock format.lock: `text`, malloc'ed, NULL for the default. */
static struct {
    _Atomic uint32_t lock;
    char *text;
} format_var;

void ghcomp_affinity_format_set(const char *format)
{
    char *copy = format != NULL ? strdup(format) : NULL;
    if (copy == NULL && format != NULL)
        ghcomp_fatal("out of memory: the affinity format of %zu bytes cannot be kept", strlen(format));
    ghcomp_lock_take(&format_var.lock);
    char *before = format_var.text;
    format_var.text = copy;
    ghcomp_lock_give(&format_var.lock);
    free(before);
}

size_t ghcomp_affinity_format_get(enum ghcomp_affinity_for code, char *buffer, size_t size)
{
    static const char of_clang[] = "OMP: pid %P tid %i thread %n bound to OS proc set {%A}";
    ghcomp_lock_take(&format_var.lock);
    const char *text = format_var.text != NULL                ? format_var.text
                       : code == GHCOMP_AFFINITY_FOR_CLANG ? of_clang
                                                              : GHCOMP_AFFINITY_FORMAT;
    int length = snprintf(buffer, size, "%s", text);
    ghcomp_lock_give(&format_var.lock);
    return (size_t)length;
}

void ghcomp_affinity_format_fork_child(void)
{
    ghcomp_store_relaxed(&format_var.lock, 0u);
}

/* --- writing into a buffer of the caller ---------------------------------------------------------------- */

struct out {
    char *buffer;
    size_t size, used; /* used may exceed size: it is the length of the whole text */
};

struct layout {
    size_t width;
    bool right, zeros;
};

static void put_char(struct out *out, char c)
{
    if (out->used + 1 < out->size)
        out->buffer[out->used] = c;
    out->used++;
}

static void put_fill(struct out *out, size_t length, size_t width, char c)
{
    for (; length < width; length++)
        put_char(out, c);
}

/* `prefix`, a sign or 0x, stands before the zeros. */
static void put_text(struct out *out, const struct layout *layout, const char *prefix, const char *text,
                     bool number)
{
    size_t length = strlen(prefix) + strlen(text);
    bool zeros = layout->zeros && number;
    if (layout->right && !zeros)
        put_fill(out, length, layout->width, ' ');
    for (; *prefix != '\0'; prefix++)
        put_char(out, *prefix);
    if (zeros)
        put_fill(out, length, layout->width, '0');
    for (; *text != '\0'; text++)
        put_char(out, *text);
    if (!layout->right)
        put_fill(out, length, layout->width, ' ');
}

static void put_number(struct out *out, const struct layout *layout, long number)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%ld", number < 0 ? -number : number);
    put_text(out, layout, number < 0 ? "-" : "", digits, true);
}

/* --- fields --------------------------------------------------------------------------------------------- */

static const struct {
    char letter;
    const char *name;
} types[] = {
    {'t', "team_num"},       {'T', "num_teams"},   {'L', "nesting_level"}, {'n', "thread_num"},
    {'N', "num_threads"},    {'a', "ancestor_tnum"}, {'H', "host"},        {'P', "process_id"},
    {'i', "native_thread_id"}, {'A', "thread_affinity"},
};
enum { TYPES = sizeof types / sizeof *types, UNKNOWN = '?' };

static void put_affinity(struct out *out, enum ghcomp_affinity_for code, const struct layout *layout)
{
    struct ghcomp_cpus cpus;
    uint32_t range = code == GHCOMP_AFFINITY_FOR_CLANG ? GHCOMP_CPUS_RANGE_OF_LIBOMP : GHCOMP_CPUS_RANGE;
    ghcomp_affinity_current(&cpus);
    size_t length = ghcomp_cpus_print(&cpus, range, NULL, 0);
    char *text = ghcomp_alloc(length + 1);
    ghcomp_cpus_print(&cpus, range, text, length + 1);
    put_text(out, layout, "", text, false);
    free(text);
}

static void put_field(struct out *out, enum ghcomp_affinity_for code, const struct layout *layout,
                      struct ghcomp_member *self, char letter)
{
    char text[256];
    switch (letter) {
    case 't':
        put_number(out, layout, ghcomp_league_place(self).num);
        break;
    case 'T':
        put_number(out, layout, ghcomp_league_place(self).size);
        break;
    case 'L':
        put_number(out, layout, self->team->level);
        break;
    case 'n':
        put_number(out, layout, self->tid);
        break;
    case 'N':
        put_number(out, layout, self->team->size);
        break;
    case 'a':
        put_number(out, layout, self->team->parent != NULL ? (long)self->team->parent->tid : -1);
        break;
    case 'H':
        if (gethostname(text, sizeof text) != 0)
            snprintf(text, sizeof text, "undefined");
        text[sizeof text - 1] = '\0';
        put_text(out, layout, "", text, false);
        break;
    case 'P':
        put_number(out, layout, getpid());
        break;
    case 'i':
        if (code == GHCOMP_AFFINITY_FOR_CLANG) {
            put_number(out, layout, syscall(SYS_gettid));
            break;
        }
        snprintf(text, sizeof text, "%lx", (unsigned long)pthread_self());
        put_text(out, layout, "0x", text, true);
        break;
    case UNKNOWN:
        put_text(out, layout, "", "undefined", false);
        break;
    default:
        put_affinity(out, code, layout);
        break;
    }
}

/* --- the format's grammar --------------------------------------------------------------------------------- */

enum { MOST_WIDTH = 65536 };

struct field {
    struct layout layout;
    char letter;
};

/* The error of a format, for a message. */
struct why {
    char text[512];
};

static bool eat_type(const char **at, enum ghcomp_affinity_for code, char *letter, struct why *why)
{
    const char *begin = *at;
    size_t length = *begin != '\0';
    bool is_name = *begin == '{', is_lax = code == GHCOMP_AFFINITY_FOR_CLANG;
    *letter = UNKNOWN;
    if (is_name) {
        begin++;
        length = strcspn(begin, "}");
        *at = begin + length + (begin[length] != '\0');
        if (begin[length] == '\0') {
            snprintf(why->text, sizeof why->text, "has no } behind %%{%s", ghcomp_shown_part(begin, length).text);
            return is_lax;
        }
    } else {
        *at += length;
    }
    for (int i = 0; i < TYPES; i++)
        if (is_name ? strlen(types[i].name) == length && strncmp(types[i].name, begin, length) == 0
                    : types[i].letter == *begin) {
            *letter = types[i].letter;
            return true;
        }
    snprintf(why->text, sizeof why->text,
             "has a field of the unknown type '%s'; OpenMP's are the letters tTLnNaHPiA and their names in braces",
             ghcomp_shown_part(begin, length).text);
    return is_lax;
}

static const char *eat_layout(const char **at, enum ghcomp_affinity_for code, struct layout *layout)
{
    bool is_strict = code == GHCOMP_AFFINITY_FOR_GCC;
    *layout = (struct layout){0};
    if (**at == '0') {
        ++*at;
        layout->zeros = true;
        if (**at != '.' && is_strict)
            return "has a width with a 0 but no dot in front; write %0.8n";
    }
    if (**at == '.') {
        ++*at;
        layout->right = true;
    }
    layout->zeros &= layout->right;
    if (is_strict && layout->right && (**at < '1' || **at > '9'))
        return "aligns a field that has no width; write %.8n";
    for (; **at >= '0' && **at <= '9'; ++*at) {
        layout->width = layout->width * 10 + (size_t)(**at - '0');
        if (layout->width > MOST_WIDTH && is_strict)
            return "has a field wider than 65536 characters";
        if (layout->width > MOST_WIDTH)
            layout->width = MOST_WIDTH;
    }
    return NULL;
}

/* Parses the field whose percent sign is before `*at`, and moves past it. False: it is malformed. */
static bool eat_field(const char **at, enum ghcomp_affinity_for code, struct field *field, struct why *why)
{
    const char *wrong = eat_layout(at, code, &field->layout);
    if (wrong != NULL)
        snprintf(why->text, sizeof why->text, "%s", wrong);
    return wrong == NULL && eat_type(at, code, &field->letter, why);
}

bool ghcomp_affinity_format_check(const char *format, char *wrong, size_t size)
{
    struct field field;
    struct why why;
    size_t widths = 0;
    for (const char *at = format; *at != '\0';) {
        if (at[0] != '%' || at[1] == '%') {
            at += at[0] == '%' ? 2 : 1;
            continue;
        }
        at++;
        bool good = eat_field(&at, GHCOMP_AFFINITY_FOR_GCC, &field, &why);
        widths += good ? field.layout.width : 0;
        if (good && widths > MOST_WIDTH)
            snprintf(why.text, sizeof why.text, "has fields of more than 65536 characters together");
        if (!good || widths > MOST_WIDTH) {
            snprintf(wrong, size, "%s", why.text);
            return false;
        }
    }
    return true;
}

/* --- whole texts ------------------------------------------------------------------------------------------ */

static char *current_format(enum ghcomp_affinity_for code)
{
    size_t size = 0, length;
    char *text = NULL;
    /* Another thread may set a longer format between the two calls. */
    while ((length = ghcomp_affinity_format_get(code, text, size)) >= size) {
        free(text);
        size = length + 1;
        text = ghcomp_alloc(size);
    }
    return text;
}

size_t ghcomp_affinity_text(struct ghcomp_member *self, enum ghcomp_affinity_for code, const char *format, char *buffer,
                            size_t size)
{
    struct out out = {.buffer = buffer, .size = size};
    char *own = format == NULL || *format == '\0' ? current_format(code) : NULL;
    ghcomp_affinity_settle(self);
    for (const char *at = own != NULL ? own : format; *at != '\0';) {
        if (*at != '%') {
            put_char(&out, *at++);
        } else if (at[1] == '%') {
            put_char(&out, '%');
            at += 2;
        } else {
            struct field field;
            struct why why;
            at++;
            if (!eat_field(&at, code, &field, &why))
                ghcomp_fatal("the affinity format %s", why.text);
            put_field(&out, code, &field.layout, self, field.letter);
        }
    }
    free(own);
    if (size > 0)
        buffer[out.used < size ? out.used : size - 1] = '\0';
    return out.used;
}

void ghcomp_affinity_print(struct ghcomp_member *self, enum ghcomp_affinity_for code, const char *format)
{
    char small[512], *text = small;
    size_t length = ghcomp_affinity_text(self, code, format, small, sizeof small);
    if (length >= sizeof small) {
        /* The printed values do not change between the two calls; only the format variable may. */
        size_t size = length + 1;
        text = ghcomp_alloc(size);
        length = ghcomp_affinity_text(self, code, format, text, size);
        if (length >= size)
            length = size - 1;
    }
    text[length] = '\n';
    if (code == GHCOMP_AFFINITY_FOR_CLANG)
        fwrite(text, 1, length + 1, stdout);
    else
        ghcomp_put_text(text, length + 1);
    if (text != small)
        free(text);
}
