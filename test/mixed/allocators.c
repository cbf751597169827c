/* Allocators made, used and freed by the code of two compilers, each by the names of its own omp.h
   (allocators_library.c, which is in both parts). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "allocators_library.c"

uintptr_t library_make_allocator(int number);
void *library_blocks_of(uintptr_t allocator);
void library_release(void *block, uintptr_t allocator);

#define CHECK(condition)                                                        \
    do {                                                                        \
        if (!(condition)) {                                                     \
            fprintf(stderr, "allocators.c:%d: " #condition "\n", __LINE__);     \
            exit(1);                                                            \
        }                                                                       \
    } while (0)

enum { SPACES = 3 }; /* at least, in each omp.h */

static int each(uintptr_t (*make)(int), void *(*get)(uintptr_t), void (*put)(void *, uintptr_t))
{
    int number = 0;
    for (uintptr_t allocator; (allocator = make(number)) != 0; number++) {
        void *block = get(allocator);
        CHECK(block != NULL);
        put(block, allocator);
    }
    CHECK(number >= SPACES);
    return number;
}

int main(void)
{
    for (int round = 0; round < 3; round++) {
        int here = each(make_allocator, blocks_of, release);
        CHECK(each(make_allocator, library_blocks_of, release) == here);
        CHECK(each(make_allocator, blocks_of, library_release) == here);
        int there = each(library_make_allocator, library_blocks_of, library_release);
        CHECK(each(library_make_allocator, blocks_of, library_release) == there);
        CHECK(each(library_make_allocator, library_blocks_of, release) == there);
    }
    printf("%d spaces in the program, %d in the library\n", each(make_allocator, blocks_of, release),
           each(library_make_allocator, library_blocks_of, library_release));
    return 0;
}
