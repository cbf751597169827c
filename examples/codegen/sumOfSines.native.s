# ghc 9.0.2
$wsumOfSines:
    xorl    %eax, %eax
    xorpd   %xmm0, %xmm0
    jmp     .L1
.L2:
    cvtsi2sdq %rax, %xmm1
    mulsd   .L3(%rip), %xmm1
    subq    $8, %rsp
    movsd   %xmm0, %xmm2
    movsd   %xmm1, %xmm0
    movq    %rax, %rbx
    movl    $1, %eax
    movsd   %xmm2, 72(%rsp)
    call    sin
    addq    $8, %rsp
    incq    %rbx
    movsd   64(%rsp), %xmm1
    addsd   %xmm0, %xmm1
    movq    %rbx, %rax
    movsd   %xmm1, %xmm0
.L1:
    cmpq    %r14, %rax
    jl      .L2
    movsd   %xmm0, %xmm1
    jmp     *(%rbp)
