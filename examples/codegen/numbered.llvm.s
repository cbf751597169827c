# ghc 9.0.2, LLVM 14
$wnumbered:
    movq    %r14, %rcx
    movq    %r12, %rax
    movq    856(%r13), %r10
    addq    $40, %r12
    cmpq    %r12, %r10
    jb      .L1
    leaq    -40(%r12), %rbx
    xorl    %edx, %edx
    movq    ghczmprim_GHCziTypes_Izh_con_info@GOTPCREL(%rip), %r8
    movq    ghczmprim_GHCziTypes_ZC_con_info@GOTPCREL(%rip), %r9
    movq    %rcx, %r14
.L2:
    subq    $1, %r14
    jb      .L3
    movq    %r8, 8(%rax,%rdx)
    movq    %rcx, 16(%rax,%rdx)
    movq    %r9, 24(%rax,%rdx)
    leaq    (%rbx,%rdx), %rcx
    addq    $9, %rcx
    movq    %rcx, 32(%rax,%rdx)
    movq    %rsi, 40(%rax,%rdx)
    leaq    (%rbx,%rdx), %rsi
    addq    $26, %rsi
    leaq    (%rbx,%rdx), %rdi
    addq    $80, %rdi
    addq    $40, %rdx
    movq    %r14, %rcx
    cmpq    %rdi, %r10
    jae     .L2
    leaq    (%r12,%rdx), %rsi
    addq    $-54, %rsi
    leaq    (%rax,%rdx), %r12
    addq    $40, %r12
.L4:
    movq    $40, 904(%r13)
    movq    -8(%r13), %rax
    movl    $Loop_zdwnumbered_closure$def, %ebx
    jmpq    *%rax
.L3:
    andq    $-8, %rsi
    movq    (%rsi), %rcx
    addq    %rdx, %rax
    movq    %rax, %r12
    movq    %rsi, %rbx
    jmpq    *%rcx
.L1:
    movq    %rcx, %r14
    jmp     .L4
