# ghc 9.0.2, LLVM 14
$wsumOfSquares:
    testq   %rsi, %rsi
    jle     .L1
    addq    $16, %r14
    xorpd   %xmm1, %xmm1
.L2:
    movsd   (%r14), %xmm0
    mulsd   %xmm0, %xmm0
    addsd   %xmm0, %xmm1
    addq    $8, %r14
    addq    $-1, %rsi
    jne     .L2
    movq    (%rbp), %rax
    jmpq    *%rax
.L1:
    xorps   %xmm1, %xmm1
    movq    (%rbp), %rax
    jmpq    *%rax
