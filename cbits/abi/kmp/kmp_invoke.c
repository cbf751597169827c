/* Calls a microtask with exactly its number of arguments.
 *
 * Up to six arguments are calls in C. For more there is a loop in assembly, because C cannot express it: it puts those
 * beyond the argument registers on the stack. Both machines have eight bytes for each.
 *
 * Called by kmp_parallel.c and kmp_teams.c. Covered by test/clang/regions.c. */
#include "abi/kmp/kmp_invoke.h"

#include "base/atomic.h"
#include "core/tool/tool.h"

void ghcomp_kmp_invoke_many(kmp_microtask fn, int32_t *global_thread, int32_t *thread_in_team, uint64_t argc,
                            void **argv) __attribute__((visibility("hidden")));

#if defined(__x86_64__)
/* rdi fn, rsi and rdx the numbers, rcx argc (at least 4), r8 argv. Four arguments are in rdx, rcx, r8, r9. */
__asm__(".text\n"
        ".globl ghcomp_kmp_invoke_many\n"
        ".hidden ghcomp_kmp_invoke_many\n"
        ".type ghcomp_kmp_invoke_many, @function\n"
        "ghcomp_kmp_invoke_many:\n"
        "    .cfi_startproc\n"
        "    pushq %rbp\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset %rbp, -16\n"
        "    movq %rsp, %rbp\n"
        "    .cfi_def_cfa_register %rbp\n"
        "    movq %rdi, %rax\n"
        "    movq %rsi, %rdi\n"
        "    movq %rdx, %rsi\n"
        "    leaq -4(%rcx), %r10\n" /* words on the stack, which stays a multiple of 16 */
        "    leaq 1(%r10), %r11\n"
        "    andq $-2, %r11\n"
        "    shlq $3, %r11\n"
        "    subq %r11, %rsp\n"
        "1:  testq %r10, %r10\n"
        "    jz 2f\n"
        "    movq 24(%r8,%r10,8), %r11\n"
        "    movq %r11, -8(%rsp,%r10,8)\n"
        "    decq %r10\n"
        "    jmp 1b\n"
        "2:  movq 0(%r8), %rdx\n"
        "    movq 8(%r8), %rcx\n"
        "    movq 24(%r8), %r9\n"
        "    movq 16(%r8), %r8\n"
        "    movq %rax, %r11\n"
        "    xorl %eax, %eax\n" /* a function with ... would look for vector registers there */
        "    callq *%r11\n"
        "    leave\n"
        "    .cfi_def_cfa %rsp, 8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size ghcomp_kmp_invoke_many, . - ghcomp_kmp_invoke_many\n");
#elif defined(__aarch64__)
/* x0 fn, x1 and x2 the numbers, x3 argc (at least 6), x4 argv. Six arguments are in x2 to x7. */
__asm__(".text\n"
        ".globl ghcomp_kmp_invoke_many\n"
        ".hidden ghcomp_kmp_invoke_many\n"
        ".type ghcomp_kmp_invoke_many, %function\n"
        "ghcomp_kmp_invoke_many:\n"
        "    .cfi_startproc\n"
        "    stp x29, x30, [sp, #-16]!\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset x29, -16\n"
        "    .cfi_offset x30, -8\n"
        "    mov x29, sp\n"
        "    .cfi_def_cfa_register x29\n"
        "    mov x9, x0\n"
        "    mov x0, x1\n"
        "    mov x1, x2\n"
        "    mov x12, x4\n"
        "    add x13, x4, #48\n"
        "    sub x10, x3, #6\n" /* words on the stack, which stays a multiple of 16 */
        "    add x11, x10, #1\n"
        "    and x11, x11, #-2\n"
        "    sub sp, sp, x11, lsl #3\n"
        "1:  cbz x10, 2f\n"
        "    sub x10, x10, #1\n"
        "    ldr x14, [x13, x10, lsl #3]\n"
        "    str x14, [sp, x10, lsl #3]\n"
        "    b 1b\n"
        "2:  ldp x2, x3, [x12]\n"
        "    ldp x4, x5, [x12, #16]\n"
        "    ldp x6, x7, [x12, #32]\n"
        "    blr x9\n"
        "    mov sp, x29\n"
        "    .cfi_def_cfa_register sp\n"
        "    ldp x29, x30, [sp], #16\n"
        "    .cfi_restore x29\n"
        "    .cfi_restore x30\n"
        "    .cfi_def_cfa_offset 0\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size ghcomp_kmp_invoke_many, . - ghcomp_kmp_invoke_many\n");
#else
#error "kmp_invoke.c: write the call with many arguments for this processor"
#endif

typedef int32_t *number;

static inline __attribute__((always_inline)) void invoke(kmp_microtask fn, number thread, number member,
                                                         uint32_t argc, void **a)
{
    switch (argc) {
    case 0:
        ((void (*)(number, number))fn)(thread, member);
        break;
    case 1:
        ((void (*)(number, number, void *))fn)(thread, member, a[0]);
        break;
    case 2:
        ((void (*)(number, number, void *, void *))fn)(thread, member, a[0], a[1]);
        break;
    case 3:
        ((void (*)(number, number, void *, void *, void *))fn)(thread, member, a[0], a[1], a[2]);
        break;
    case 4:
        ((void (*)(number, number, void *, void *, void *, void *))fn)(thread, member, a[0], a[1], a[2], a[3]);
        break;
    case 5:
        ((void (*)(number, number, void *, void *, void *, void *, void *))fn)(thread, member, a[0], a[1], a[2], a[3],
                                                                               a[4]);
        break;
    case 6:
        ((void (*)(number, number, void *, void *, void *, void *, void *, void *))fn)(thread, member, a[0], a[1], a[2],
                                                                                       a[3], a[4], a[5]);
        break;
    default:
        ghcomp_kmp_invoke_many(fn, thread, member, argc, a);
    }
}

void ghcomp_kmp_invoke(kmp_microtask fn, number thread, number member, uint32_t argc, void **a)
{
    invoke(fn, thread, member, argc, a);
}

void ghcomp_kmp_invoke_framed(kmp_microtask fn, number thread, number member, uint32_t argc, void **a)
{
    struct ghcomp_tool_task *task = ghcomp_tool_current(ghcomp_self_member);
    task->frame.exit_frame.ptr = __builtin_frame_address(0);
    task->frame.exit_frame_flags = GHCOMP_TOOL_FRAME;
    invoke(fn, thread, member, argc, a);
    __asm__ volatile("" ::: "memory"); /* prevents a tail call: the tool has the address of this frame */
}
