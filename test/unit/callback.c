/* ghcomp_callback_* on objects whose entry points are C functions: how often each function enters, what it passes, what
   it returns after a failure, and that a wrong object ends the program. */
#include "unit.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi/callback.h"

static int entries, prepared, calls;
static intptr_t seen[1000];
static intptr_t fails_at; /* the argument that an entry fails at, or NEVER */
#define NEVER (INTPTR_MIN + 1)

static struct ghcomp_callback each_object;

static void visit(intptr_t argument)
{
    if (ghcomp_load_relaxed(&each_object.head.failed))
        return;
    seen[calls++] = argument;
    if (argument == fails_at)
        ghcomp_store_relaxed(&each_object.head.failed, 1);
}

static void range(intptr_t first, intptr_t past)
{
    entries++;
    for (intptr_t i = first; i < past; i++)
        visit(i);
}

static void each(ghcomp_callback_next next, void *state)
{
    intptr_t argument;
    entries++;
    while (next(state, &argument))
        visit(argument);
}

static void array(const intptr_t *arguments, size_t count)
{
    entries++;
    for (size_t i = 0; i < count; i++)
        visit(arguments[i]);
}

static void prepare(void)
{
    prepared++;
}

static ghcomp_callback *fresh(intptr_t fails)
{
    entries = prepared = calls = 0;
    fails_at = fails;
    each_object = (struct ghcomp_callback){
        .head = {.abi = GHCOMP_CALLBACK_ABI, .shape = GHCOMP_CALLBACK_EACH, .before_entry = prepare},
        .range = range,
        .each = each,
        .array = array,
    };
    return &each_object;
}

/* So many entries, each of them announced, and these calls: first .. first + count - 1. */
static void check(int want_entries, intptr_t first, int count)
{
    CHECK_EQUAL(want_entries, entries);
    CHECK_EQUAL(want_entries, prepared);
    CHECK_EQUAL(count, calls);
    for (int i = 0; i < count; i++)
        CHECK_EQUAL(first + i, seen[i]);
}

static int countdown(void *state, intptr_t *argument)
{
    intptr_t *left = state;
    *argument = 10 - *left;
    return (*left)-- > 0;
}

static void test_one_entry_each(void)
{
    intptr_t arguments[] = {5, 6, 7}, left = 10;
    CHECK_EQUAL(0, ghcomp_callback_call(fresh(NEVER), INTPTR_MAX));
    check(1, INTPTR_MAX, 1);
    CHECK_EQUAL(0, ghcomp_callback_range(fresh(NEVER), -2, 100));
    check(1, -2, 102);
    CHECK_EQUAL(0, ghcomp_callback_range(fresh(NEVER), 3, 3));
    CHECK_EQUAL(0, ghcomp_callback_range(&each_object, INTPTR_MAX, INTPTR_MIN));
    CHECK_EQUAL(0, ghcomp_callback_array(&each_object, NULL, 0));
    check(0, 0, 0);
    CHECK_EQUAL(0, ghcomp_callback_array(fresh(NEVER), arguments, 3));
    check(1, 5, 3);
    CHECK_EQUAL(0, ghcomp_callback_each(fresh(NEVER), countdown, &left));
    check(1, 0, 10);
}

static void test_batch(void)
{
    intptr_t memory[4];
    for (size_t room = 0; room <= 4; room++) {
        for (int count = 0; count <= 9; count++) {
            ghcomp_callback_batch batch;
            ghcomp_callback_batch_init(&batch, fresh(NEVER), memory, room);
            for (int i = 0; i < count; i++)
                CHECK_EQUAL(0, ghcomp_callback_batch_add(&batch, i));
            CHECK_EQUAL(0, ghcomp_callback_batch_flush(&batch));
            CHECK_EQUAL(0, ghcomp_callback_batch_flush(&batch));
            int size = room == 0 ? 1 : (int)room;
            check((count + size - 1) / size, 0, count);
        }
    }
}

static void test_failure(void)
{
    intptr_t memory[4];
    ghcomp_callback_batch batch;
    CHECK_EQUAL(GHCOMP_CALLBACK_FAILED, ghcomp_callback_range(fresh(3), 0, 10));
    check(1, 0, 4);
    /* It stays failed, and is not entered any more, for whatever function and however little. */
    CHECK_EQUAL(GHCOMP_CALLBACK_FAILED, ghcomp_callback_call(&each_object, 9));
    CHECK_EQUAL(GHCOMP_CALLBACK_FAILED, ghcomp_callback_range(&each_object, 0, 0));
    CHECK_EQUAL(GHCOMP_CALLBACK_FAILED, ghcomp_callback_each(&each_object, countdown, NULL));
    check(1, 0, 4);
    /* A batch says so when it flushes, and is empty then. */
    ghcomp_callback_batch_init(&batch, fresh(1), memory, 4);
    for (int i = 0; i < 8; i++)
        CHECK_EQUAL(i % 4 == 3 ? GHCOMP_CALLBACK_FAILED : 0, ghcomp_callback_batch_add(&batch, i));
    CHECK_EQUAL(GHCOMP_CALLBACK_FAILED, ghcomp_callback_batch_flush(&batch));
    check(1, 0, 2);
}

static double got[6];

static void mapped(const double *arguments, double *results, size_t count)
{
    got[0] = (double)count;
    results[count - 1] = -arguments[count - 1];
}

static void folded(intptr_t first, intptr_t past, double *accumulator)
{
    *accumulator += (double)(past - first);
}

static void folded_int(intptr_t first, intptr_t past, intptr_t *accumulator)
{
    *accumulator += past - first;
}

static void records(const void *arguments, size_t argument_size, void *results, size_t result_size, size_t count)
{
    (void)arguments;
    got[1] = (double)argument_size;
    got[2] = results == NULL;
    got[3] = (double)result_size;
    got[4] = (double)count;
}

static void test_results(void)
{
    struct ghcomp_map_callback map = {{GHCOMP_CALLBACK_ABI, GHCOMP_CALLBACK_MAP, 0, NULL}, mapped};
    struct ghcomp_fold_callback fold = {{GHCOMP_CALLBACK_ABI, GHCOMP_CALLBACK_FOLD, 0, NULL}, folded};
    struct ghcomp_fold_int_callback fold_int = {{GHCOMP_CALLBACK_ABI, GHCOMP_CALLBACK_FOLD_INT, 0, NULL}, folded_int};
    struct ghcomp_record_callback record = {{GHCOMP_CALLBACK_ABI, GHCOMP_CALLBACK_RECORDS, 0, NULL}, records};
    double numbers[] = {1, 2, 3}, total = 0.5;
    intptr_t total_int = 7;
    CHECK_EQUAL(0, ghcomp_callback_map(&map, numbers, numbers, 3));
    CHECK(got[0] == 3 && numbers[1] == 2 && numbers[2] == -3);
    CHECK_EQUAL(0, ghcomp_callback_map(&map, NULL, NULL, 0));
    CHECK_EQUAL(0, ghcomp_callback_fold(&fold, 10, 14, &total));
    CHECK_EQUAL(0, ghcomp_callback_fold(&fold, 14, 10, &total));
    CHECK(total == 4.5);
    CHECK_EQUAL(0, ghcomp_callback_fold_int(&fold_int, -1, 4, &total_int));
    CHECK_EQUAL(0, ghcomp_callback_fold_int(&fold_int, 4, -1, &total_int));
    CHECK_EQUAL(12, total_int);
    CHECK_EQUAL(0, ghcomp_callback_records(&record, numbers, 24, NULL, 8, 2));
    CHECK_EQUAL(0, ghcomp_callback_records(&record, numbers, 9, NULL, 9, 0));
    CHECK(got[1] == 24 && got[2] == 1 && got[3] == 8 && got[4] == 2);
}

static void null(void)
{
    ghcomp_callback_range(NULL, 0, 0);
}

static void other_shape(void)
{
    double x = 1;
    ghcomp_callback_map((ghcomp_map_callback *)(void *)fresh(NEVER), &x, &x, 1);
}

static void other_version(void)
{
    fresh(NEVER)->head.abi++;
    ghcomp_callback_call(&each_object, 1);
}

static void freed(void)
{
    fresh(NEVER)->head.shape = GHCOMP_CALLBACK_FREED;
    ghcomp_callback_call(&each_object, 1);
}

/* The call ends its process with status 1 and a line that holds the text. */
static void ends(void (*body)(void), const char *text)
{
    char said[1000];
    int ends[2], status;
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        body();
        _exit(0);
    }
    close(ends[1]);
    ssize_t length = read(ends[0], said, sizeof said - 1);
    said[length > 0 ? length : 0] = 0;
    close(ends[0]);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    if (strstr(said, text) == NULL) {
        fprintf(stderr, "not about \"%s\": %s\n", text, said);
        exit(1);
    }
}

int main(void)
{
    test_one_entry_each();
    test_batch();
    test_failure();
    test_results();
    ends(null, "ghc-openmp: ghcomp_callback_range: the callback is NULL");
    ends(other_shape, "ghc-openmp: ghcomp_callback_map: the callback has another shape");
    ends(other_version, "not a callback of this version");
    ends(freed, "the callback was freed");
    return 0;
}
