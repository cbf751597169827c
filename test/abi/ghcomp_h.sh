#!/bin/sh
# The public header alone: C99 and C11, C++98 (with its stdint.h) to C++17, without a warning; what C code may do with
# callbacks compiles, and a callback of the wrong shape does not.
set -eu
cd "$(dirname "$0")/../.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
warnings='-Wall -Wextra -Wpedantic -Wshadow -Wundef -Wstrict-prototypes -Wmissing-prototypes -Werror'
cxx_warnings='-Wall -Wextra -Wpedantic -Wshadow -Wundef -Wold-style-cast -Werror'

# Both languages; the header comes first, so that it stands on its own.
cat >"$tmp/use.c" <<'END_C'
#include <ghcomp.h>
static int next(void *state, intptr_t *argument)
{
    *argument = (*static_cast_long(state))++;
    return *argument < 10;
}
int use(ghcomp_callback *callback, ghcomp_map_callback *map, ghcomp_fold_callback *fold,
        ghcomp_fold_int_callback *fold_int, ghcomp_record_callback *record);
int use(ghcomp_callback *callback, ghcomp_map_callback *map, ghcomp_fold_callback *fold,
        ghcomp_fold_int_callback *fold_int, ghcomp_record_callback *record)
{
    ghcomp_callback_batch batch;
    intptr_t memory[2] = {1, 2}, total_int = 0;
    double numbers[2] = {1, 2}, total = 0;
    long state = 0;
    int failed = 0;
    ghcomp_callback_batch_init(&batch, callback, memory, 2);
    failed |= ghcomp_callback_batch_add(&batch, 1);
    failed |= ghcomp_callback_batch_flush(&batch);
    failed |= ghcomp_callback_call(callback, 1);
    failed |= ghcomp_callback_range(callback, 0, 2);
    failed |= ghcomp_callback_array(callback, memory, 2);
    failed |= ghcomp_callback_each(callback, next, &state);
    failed |= ghcomp_callback_map(map, numbers, numbers, 2);
    failed |= ghcomp_callback_fold(fold, 0, 2, &total);
    failed |= ghcomp_callback_fold_int(fold_int, 0, 2, &total_int);
    failed |= ghcomp_callback_records(record, numbers, sizeof numbers[0], NULL, 0, 2);
    return failed == GHCOMP_CALLBACK_FAILED;
}
END_C
for standard in c99 c11 gnu17; do
    # shellcheck disable=SC2086 # a list of options
    gcc -std=$standard $warnings -Icbits/include '-Dstatic_cast_long(p)=((long *)(p))' -fsyntax-only "$tmp/use.c"
done
if command -v g++ >/dev/null; then
    for standard in c++98 c++11 c++17; do
        # C++98 has no long long, which some system's stdint.h names.
        # shellcheck disable=SC2086
        g++ -std=$standard $cxx_warnings -Wno-long-long -Icbits/include '-Dstatic_cast_long(p)=static_cast<long *>(p)' \
            -x c++ -fsyntax-only "$tmp/use.c"
    done
fi

# The compiler sees a callback of another shape.
sed 's/ghcomp_callback_map(map,/ghcomp_callback_map(fold,/' "$tmp/use.c" >"$tmp/wrong.c"
cmp -s "$tmp/use.c" "$tmp/wrong.c" && { echo 'ghcomp_h.sh: nothing was changed' >&2; exit 1; }
if gcc -std=c99 -Werror -Icbits/include '-Dstatic_cast_long(p)=((long *)(p))' -fsyntax-only "$tmp/wrong.c" \
    2>"$tmp/err"; then
    echo 'ghcomp_h.sh: a callback of another shape was accepted' >&2
    exit 1
fi
grep -q 'incompatible pointer type' "$tmp/err"
