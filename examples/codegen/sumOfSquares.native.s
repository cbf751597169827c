# ghc 9.0.2
$wsumOfSquares:
    xorl    %eax, %eax
    xorpd   %xmm0, %xmm0
    jmp     .L1
.L2:
    movsd   16(%r14,%rax,8), %xmm1
    incq    %rax
    movsd   %xmm1, %xmm2
    mulsd   %xmm1, %xmm2
    addsd   %xmm2, %xmm0
.L1:
    cmpq    %rsi, %rax
    jl      .L2
    movsd   %xmm0, %xmm1
    jmp     *(%rbp)
