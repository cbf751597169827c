/* Interoperability objects where there is no foreign runtime: `init` and `destroy` leave omp_interop_none, which has no
   properties; names and messages are there all the same.
   ghcomp-only: libgomp 12 lacks the routines
   symbols: GOMP_interop omp_get_num_interop_properties omp_get_interop_int omp_get_interop_ptr omp_get_interop_str
   symbols: omp_get_interop_name omp_get_interop_type_desc omp_get_interop_rc_desc */
#include <omp.h>
#include <sched.h>
#include <stdint.h>

#include "../common.h"

#pragma weak GOMP_interop
#pragma weak omp_get_num_interop_properties
#pragma weak omp_get_interop_int
#pragma weak omp_get_interop_ptr
#pragma weak omp_get_interop_str
#pragma weak omp_get_interop_name
#pragma weak omp_get_interop_type_desc
#pragma weak omp_get_interop_rc_desc

typedef uintptr_t interop;

void GOMP_interop(int, int, void *, const void *, const void *, int, void *, int, void *, unsigned, void **);
int omp_get_num_interop_properties(interop);
intptr_t omp_get_interop_int(interop, int, int *);
void *omp_get_interop_ptr(interop, int, int *);
const char *omp_get_interop_str(interop, int, int *);
const char *omp_get_interop_name(interop, int);
const char *omp_get_interop_type_desc(interop, int);
const char *omp_get_interop_rc_desc(interop, int);

enum { SUCCESS = 0, EMPTY = -1, OUT_OF_RANGE = -2, NO_VALUE = 1, OTHER = -6, FIRST = -9 };

static void query(int property, int expected)
{
    int code = SUCCESS;
    CHECK(omp_get_interop_int(0, property, &code) == 0 && code == expected);
    code = SUCCESS;
    CHECK(omp_get_interop_ptr(0, property, &code) == NULL && code == expected);
    code = SUCCESS;
    CHECK(omp_get_interop_str(0, property, &code) == NULL && code == expected);
    CHECK(omp_get_interop_int(0, property, NULL) == 0 && omp_get_interop_ptr(0, property, NULL) == NULL);
    CHECK(omp_get_interop_str(0, property, NULL) == NULL && omp_get_interop_type_desc(0, property) == NULL);
}

int main(void)
{
    CHECK(omp_get_num_devices() == 0);
    interop one = 1234, two = 5678;
    interop *objects[] = {&one, &two};
    int kinds[] = {1, 2}; /* target, targetsync */
    interop used[] = {0};
    GOMP_interop(-5, 2, objects, kinds, NULL, 0, NULL, 0, NULL, 0, NULL);
    CHECK(one == 0 && two == 0);
    GOMP_interop(-5, 0, NULL, NULL, NULL, 1, used, 0, NULL, 1, NULL);
    GOMP_interop(0, 0, NULL, NULL, NULL, 0, NULL, 2, objects, 0, NULL);
    CHECK(one == 0 && two == 0);

    /* depend: the construct waits for the task; with nowait, too, which has no effect without a targetsync object. */
    int x = 0;
    void *depend[3] = {(void *)1, (void *)1, &x}; /* one dependence, one of them inout */
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < 50; i++) {
#pragma omp task depend(inout : x) shared(x)
        {
            sched_yield();
            x = 1;
        }
        one = 99;
        GOMP_interop(-5, 1, objects, kinds, NULL, 0, NULL, 0, NULL, 0, depend);
        CHECK(x == 1 && one == 0);
#pragma omp task depend(inout : x) shared(x)
        {
            sched_yield();
            x = 2;
        }
        GOMP_interop(-5, 1, objects, kinds, NULL, 0, NULL, 0, NULL, 1, depend);
        CHECK(x == 2);
    }

    static const char *const names[] = {"fr_id",    "fr_name", "vendor",         "vendor_name", "device_num",
                                        "platform", "device",  "device_context", "targetsync"};
    CHECK(omp_get_num_interop_properties(0) == 0);
    for (int property = FIRST; property < 0; property++) {
        query(property, EMPTY);
        CHECK(strcmp(omp_get_interop_name(0, property), names[-1 - property]) == 0);
    }
    query(FIRST - 1, OUT_OF_RANGE);
    query(0, OUT_OF_RANGE);
    CHECK(omp_get_interop_name(0, FIRST - 1) == NULL && omp_get_interop_name(0, 0) == NULL);

    for (int code = OTHER - 1; code <= NO_VALUE + 1; code++) {
        const char *text = omp_get_interop_rc_desc(0, code);
        CHECK(code <= OTHER || code > NO_VALUE ? text == NULL : strlen(text) > 5);
    }
    CHECK(strcmp(omp_get_interop_rc_desc(0, EMPTY),
                 "provided interoperability object is equal to omp_interop_none") == 0);
    CHECK(strcmp(omp_get_interop_rc_desc(0, OUT_OF_RANGE), "property ID is out of range") == 0);
    return 0;
}
