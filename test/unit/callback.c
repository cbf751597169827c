/* ghcomp_callback_* on objects whose entry is a C function: how often each function enters, what it passes, what it
   returns after a failure, and that an invalid object ends the program. */
#include "process.h"

#include <string.h>

#include "abi/ghcomp/callback.h"

static int entries, calls;
static intptr_t seen[1000];
static intptr_t fails_at; /* the entry fails at this argument, or NEVER */
#define NEVER (INTPTR_MIN + 1)

static struct ghcomp_callback_object object;

static void visit(intptr_t argument)
{
    if (ghcomp_load_relaxed(&object.failed))
        return;
    seen[calls++] = argument;
    if (argument == fails_at)
        ghcomp_store_relaxed(&object.failed, 1);
}

static void enter(struct ghcomp_callback_object *self, int home, enum ghcomp_callback_operation operation,
                  struct ghcomp_callback_request *request)
{
    intptr_t argument;
    CHECK(self == &object);
    CHECK_EQUAL(-1, home); /* this thread is not a worker */
    entries++;
    if (operation == GHCOMP_CALLBACK_NEXT) {
        while (request->next(request->state, &argument))
            visit(argument);
    } else {
        for (intptr_t i = request->first; i < request->past; i++)
            visit(operation == GHCOMP_CALLBACK_ARRAY ? ((const intptr_t *)request->arguments)[i] : i);
    }
}

static ghcomp_callback *fresh(intptr_t fails)
{
    entries = calls = 0;
    fails_at = fails;
    object = (struct ghcomp_callback_object){
        .abi = GHCOMP_CALLBACK_ABI, .shape = GHCOMP_CALLBACK_EACH, .enter = enter};
    return (ghcomp_callback *)&object;
}

/* There were `want_entries` entries, and the calls first .. first + count - 1. */
static void check(int want_entries, intptr_t first, int count)
{
    CHECK_EQUAL(want_entries, entries);
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
    CHECK_EQUAL(0, ghcomp_callback_range((ghcomp_callback *)&object, INTPTR_MAX, INTPTR_MIN));
    CHECK_EQUAL(0, ghcomp_callback_array((ghcomp_callback *)&object, NULL, 0));
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
    /* It stays failed and is not entered again, whatever the function and however small the count. */
    CHECK_EQUAL(GHCOMP_CALLBACK_FAILED, ghcomp_callback_call((ghcomp_callback *)&object, 9));
    CHECK_EQUAL(GHCOMP_CALLBACK_FAILED, ghcomp_callback_range((ghcomp_callback *)&object, 0, 0));
    CHECK_EQUAL(GHCOMP_CALLBACK_FAILED, ghcomp_callback_each((ghcomp_callback *)&object, countdown, NULL));
    check(1, 0, 4);
    /* A batch reports the failure when it is flushed, and is empty then. */
    ghcomp_callback_batch_init(&batch, fresh(1), memory, 4);
    for (int i = 0; i < 8; i++)
        CHECK_EQUAL(i % 4 == 3 ? GHCOMP_CALLBACK_FAILED : 0, ghcomp_callback_batch_add(&batch, i));
    CHECK_EQUAL(GHCOMP_CALLBACK_FAILED, ghcomp_callback_batch_flush(&batch));
    check(1, 0, 2);
}

static struct ghcomp_callback_request got;

static void keep(struct ghcomp_callback_object *self, int home, enum ghcomp_callback_operation operation,
                 struct ghcomp_callback_request *request)
{
    (void)self;
    (void)home;
    CHECK_EQUAL(GHCOMP_CALLBACK_RANGE, operation);
    entries++;
    got = *request;
}

static void *of_shape(enum ghcomp_callback_shape shape)
{
    object = (struct ghcomp_callback_object){.abi = GHCOMP_CALLBACK_ABI, .shape = shape, .enter = keep};
    return &object;
}

static void test_results(void)
{
    double numbers[3], total;
    intptr_t total_int;
    entries = 0;
    CHECK_EQUAL(0, ghcomp_callback_map(of_shape(GHCOMP_CALLBACK_MAP), numbers, &total, 3));
    CHECK(got.first == 0 && got.past == 3 && got.arguments == numbers && got.results == &total);
    CHECK_EQUAL(0, ghcomp_callback_map((ghcomp_map_callback *)&object, NULL, NULL, 0));
    CHECK_EQUAL(1, entries);
    CHECK_EQUAL(0, ghcomp_callback_fold(of_shape(GHCOMP_CALLBACK_FOLD), 10, 14, &total));
    CHECK(got.first == 10 && got.past == 14 && got.results == &total);
    CHECK_EQUAL(0, ghcomp_callback_fold((ghcomp_fold_callback *)&object, 14, 10, &total));
    CHECK_EQUAL(2, entries);
    CHECK_EQUAL(0, ghcomp_callback_fold_int(of_shape(GHCOMP_CALLBACK_FOLD_INT), -1, 4, &total_int));
    CHECK(got.first == -1 && got.past == 4 && got.results == &total_int);
    CHECK_EQUAL(0, ghcomp_callback_fold_int((ghcomp_fold_int_callback *)&object, 4, -1, &total_int));
    CHECK_EQUAL(3, entries);
    CHECK_EQUAL(0, ghcomp_callback_records(of_shape(GHCOMP_CALLBACK_RECORDS), numbers, 24, NULL, 8, 2));
    CHECK(got.first == 0 && got.past == 2 && got.arguments == numbers && got.results == NULL);
    CHECK(got.argument_size == 24 && got.result_size == 8);
    CHECK_EQUAL(0, ghcomp_callback_records((ghcomp_record_callback *)&object, numbers, 9, NULL, 9, 0));
    CHECK_EQUAL(4, entries);
}

static void null(void)
{
    ghcomp_callback_range(NULL, 0, 0);
}

static void other_shape(void)
{
    double x = 1;
    ghcomp_callback_map((void *)fresh(NEVER), &x, &x, 1);
}

static void other_version(void)
{
    fresh(NEVER);
    object.abi++;
    ghcomp_callback_call((ghcomp_callback *)&object, 1);
}

static void freed(void)
{
    fresh(NEVER);
    object.shape = GHCOMP_CALLBACK_FREED;
    ghcomp_callback_call((ghcomp_callback *)&object, 1);
}

/* The call ends its process with status 1 and a line that holds the text. */
static void ends(void (*body)(void), const char *text)
{
    char said[1000];
    int status = child_says(body, said, sizeof said);
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
