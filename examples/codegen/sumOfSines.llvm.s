# ghc 9.0.2, LLVM 14
$wsumOfSines:
    subq    $24, %rsp
    movq    %r15, 8(%rsp)
    xorpd   %xmm1, %xmm1
    testq   %r14, %r14
    jle     .L1
    xorl    %r15d, %r15d
.L2:
    movsd   %xmm1, 16(%rsp)
    xorps   %xmm0, %xmm0
    cvtsi2sd %r15, %xmm0
    mulsd   .L3(%rip), %xmm0
    callq   sin@PLT
    movsd   16(%rsp), %xmm1
    addq    $1, %r15
    addsd   %xmm0, %xmm1
    cmpq    %r15, %r14
    jne     .L2
.L1:
    movq    (%rbp), %rax
    movq    8(%rsp), %r15
    addq    $24, %rsp
    jmpq    *%rax
