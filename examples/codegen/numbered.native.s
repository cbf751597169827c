# ghc 9.0.2
$wnumbered:
    jmp     .L1
.L2:
    movq    $ghczmprim_GHCziTypes_Izh_con_info, -32(%r12)
    movq    %r14, -24(%r12)
    movq    $ghczmprim_GHCziTypes_ZC_con_info, -16(%r12)
    leaq    -31(%r12), %rax
    movq    %rax, -8(%r12)
    movq    %rsi, (%r12)
    leaq    -14(%r12), %rsi
    decq    %r14
.L1:
    addq    $40, %r12
    cmpq    856(%r13), %r12
    ja      .L3
    testq   %r14, %r14
    jne     .L2
    addq    $-40, %r12
    movq    %rsi, %rbx
    andq    $-8, %rbx
    jmp     *(%rbx)
.L3:
    movq    $40, 904(%r13)
    movl    $Loop_zdwnumbered_closure, %ebx
    jmp     *-8(%r13)
