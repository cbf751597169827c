# gcc 12.2.0
sumOfSquares:
    testq   %rsi, %rsi
    jle     .L1
    leaq    (%rdi,%rsi,8), %rax
    pxor    %xmm1, %xmm1
.L2:
    movsd   (%rdi), %xmm0
    addq    $8, %rdi
    mulsd   %xmm0, %xmm0
    addsd   %xmm0, %xmm1
    cmpq    %rax, %rdi
    jne     .L2
    movapd  %xmm1, %xmm0
    ret
.L1:
    pxor    %xmm1, %xmm1
    movapd  %xmm1, %xmm0
    ret
