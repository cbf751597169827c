# gcc 12.2.0
sumOfSines:
    testq   %rdi, %rdi
    jle     .L1
    pushq   %rbp
    pxor    %xmm1, %xmm1
    movq    %rdi, %rbp
    pushq   %rbx
    subq    $24, %rsp
    cmpq    $1, %rdi
    je      .L2
    movl    $1, %ebx
    pxor    %xmm1, %xmm1
.L3:
    pxor    %xmm0, %xmm0
    movsd   %xmm1, 8(%rsp)
    cvtsi2sdq %rbx, %xmm0
    mulsd   .L4(%rip), %xmm0
    addq    $1, %rbx
    call    sin@PLT
    movsd   8(%rsp), %xmm1
    addsd   %xmm0, %xmm1
    cmpq    %rbx, %rbp
    jne     .L3
.L2:
    addq    $24, %rsp
    movapd  %xmm1, %xmm0
    popq    %rbx
    popq    %rbp
    ret
.L1:
    pxor    %xmm1, %xmm1
    movapd  %xmm1, %xmm0
    ret
