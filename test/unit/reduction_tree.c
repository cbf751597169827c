/* The reduction tree: in teams of 2 to 13, reduction after reduction, member 0 gets all values in the members' order,
 * grouped in the same way each time; what the others have on their stacks may change as soon as they are back. Runs
 * under ASan+UBSan and TSan. */
#include "unit.h"

#include "core/sync/barrier.h"
#include "core/sync/reduction_tree.h"
#include "core/team/team.h"

enum { LARGEST = 13, ROUNDS = 60, ROOM = 128 };

/* The members whose values these are, and how they were grouped. */
struct values {
    char text[ROOM];
    int sum;
};

static void combine(void *into, void *other)
{
    struct values *mine = into;
    const struct values *theirs = other;
    char text[2 * ROOM + 4];
    snprintf(text, sizeof text, "(%s%s)", mine->text, theirs->text);
    CHECK(strlen(text) < ROOM);
    strcpy(mine->text, text);
    mine->sum += theirs->sum;
}

/* What the tree makes of members [first, first + 2^k) of a team. */
static void expected(uint32_t first, uint32_t width, uint32_t size, char *text)
{
    if (width == 1) {
        *text = (char)('a' + first);
        text[1] = '\0';
        return;
    }
    char right[ROOM];
    expected(first, width / 2, size, text);
    if (first + width / 2 >= size)
        return;
    expected(first + width / 2, width / 2, size, right);
    char both[2 * ROOM + 4];
    snprintf(both, sizeof both, "(%s%s)", text, right);
    strcpy(text, both);
}

struct run {
    char text[ROOM];
    int result; /* member 0, read by the others after a barrier */
};

static void body(void *data)
{
    struct run *run = data;
    struct ghcomp_member *self = ghcomp_self_member;
    int size = (int)self->team->size;
    for (int round = 0, rounds = unit_rounds(ROUNDS); round < rounds; round++) {
        struct values values = {.sum = (int)self->tid + round};
        values.text[0] = (char)('a' + self->tid);
        bool whole = ghcomp_reduction_tree(self, &values, combine);
        CHECK_EQUAL(self->tid == 0, whole);
        if (whole) {
            CHECK(strcmp(values.text, run->text) == 0);
            CHECK_EQUAL(size * (size - 1) / 2 + size * round, values.sum);
            run->result = values.sum;
        }
        memset(&values, '!', sizeof values);
        if (round % 3 != 0)
            continue;
        ghcomp_barrier_wait(self);
        CHECK_EQUAL(size * (size - 1) / 2 + size * round, run->result);
        ghcomp_barrier_wait(self);
    }
}

int main(void)
{
    struct run run;
    ghcomp_self();
    for (int turn = 0; turn < 2; turn++)
        for (uint32_t size = 2; size <= LARGEST; size++) {
            expected(0, 16, size, run.text);
            ghcomp_team_parallel(body, &run, size, 0);
            ghcomp_team_parallel(body, &run, size, 0);
        }
    return 0;
}
