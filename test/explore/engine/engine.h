/* What the explorer's operating system (os.c) is made of: futexes (blocking.c), steps and the clock (operations.c),
 * threads (fiber.c). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A futex sleep: true when the word had the value. */
bool explore_futex_sleep(const volatile void *word, uint32_t value, uint32_t classes, bool limited, uint64_t limit);
int explore_futex_wake(const volatile void *word, int count, uint32_t classes);
bool explore_fence_all(void);
/* Waits until another thread has written something; `nanoseconds` pass when no thread can continue. */
void explore_yield(uint64_t nanoseconds);
uint64_t explore_now(void);
/* A new daemon. */
void explore_spawn(void *(*entry)(void *), void *argument);
