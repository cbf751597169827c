! Intel's routines as Fortran programs call them: by flang's module, which names the C functions, and without an
! interface, by the names with `_`, arguments by reference.
!
! symbols: kmp_get_blocktime_ kmp_get_library_ kmp_get_stacksize_ kmp_get_stacksize_s_ kmp_get_affinity_max_proc_
! symbols: kmp_set_library_serial_ kmp_set_library_throughput_ kmp_set_library_turnaround_ kmp_set_warnings_off_
! symbols: kmp_set_warnings_on_ kmp_set_blocktime_ kmp_set_disp_num_buffers_ kmp_set_library_ kmp_set_stacksize_
! symbols: kmp_set_stacksize_s_ kmp_create_affinity_mask_ kmp_destroy_affinity_mask_ kmp_get_affinity_
! symbols: kmp_set_affinity_ kmp_get_affinity_mask_proc_ kmp_set_affinity_mask_proc_ kmp_unset_affinity_mask_proc_
! symbols: kmp_get_cancellation_status_ kmp_set_defaults_ kmp_malloc_ kmp_aligned_malloc_ kmp_calloc_ kmp_realloc_
! symbols: kmp_free_ omp_get_schedule_
! cflags: -cpp
! env: OMP_NUM_THREADS=4
! ghcomp-only: libomp forgets the number of threads with the next default
program fortran_kmp
  use iso_c_binding, only: c_intptr_t, c_size_t
  implicit none
  integer, external :: kmp_get_blocktime, kmp_get_library, kmp_get_stacksize, kmp_get_affinity_max_proc
  integer, external :: kmp_get_affinity, kmp_set_affinity, kmp_get_affinity_mask_proc, kmp_set_affinity_mask_proc
  integer, external :: kmp_unset_affinity_mask_proc, kmp_get_cancellation_status, omp_get_max_threads
  integer(c_size_t), external :: kmp_get_stacksize_s
  integer(c_intptr_t), external :: kmp_malloc, kmp_aligned_malloc, kmp_calloc, kmp_realloc
  integer(c_intptr_t) :: mask, block
  integer :: proc, count

  call through_the_module()

  call kmp_set_blocktime(31)
  if (kmp_get_blocktime() /= 31) error stop 1
  call kmp_set_stacksize(2097152)
  if (kmp_get_stacksize() /= 2097152) error stop 2
  call kmp_set_stacksize_s(4194304_c_size_t)
  if (kmp_get_stacksize_s() /= 4194304) error stop 3
  call kmp_set_disp_num_buffers(9)
  call kmp_set_defaults('OMP_NUM_THREADS=3   ')
  if (omp_get_max_threads() /= 3) error stop 4
  call kmp_set_defaults('OMP_NUM_THREADS=2|OMP_DYNAMIC=false')
  if (omp_get_max_threads() /= 2) error stop 5

  call kmp_set_library_serial()
  if (kmp_get_library() /= 1 .or. omp_get_max_threads() /= 1) error stop 6
  call kmp_set_library_turnaround()
  if (kmp_get_library() /= 2) error stop 7
  call kmp_set_library_throughput()
  if (kmp_get_library() /= 3) error stop 8
  call kmp_set_library(1)
  if (kmp_get_library() /= 1) error stop 9
  call kmp_set_warnings_off()
  call kmp_set_library(77)
  call kmp_set_warnings_on()
  call kmp_set_library(3)
  if (kmp_get_library() /= 3) error stop 10

  call kmp_create_affinity_mask(mask)
  if (mask == 0) error stop 11
  if (kmp_get_affinity(mask) /= 0) error stop 12
  count = 0
  do proc = 0, kmp_get_affinity_max_proc() - 1
    if (kmp_get_affinity_mask_proc(proc, mask) == 1) then
      count = count + 1
      if (kmp_unset_affinity_mask_proc(proc, mask) /= 0) error stop 13
      if (kmp_get_affinity_mask_proc(proc, mask) /= 0) error stop 14
      if (kmp_set_affinity_mask_proc(proc, mask) /= 0) error stop 15
    end if
  end do
  if (count < 1) error stop 16
  if (kmp_set_affinity(mask) /= 0) error stop 17
  call kmp_destroy_affinity_mask(mask)

  block = kmp_malloc(1000_c_size_t)
  if (block == 0) error stop 18
  block = kmp_realloc(block, 5000_c_size_t)
  if (block == 0) error stop 19
  call kmp_free(block)
  block = kmp_aligned_malloc(1000_c_size_t, 256_c_size_t)
  if (block == 0 .or. mod(block, 256_c_intptr_t) /= 0) error stop 20
  call kmp_free(block)
  block = kmp_calloc(10_c_size_t, 100_c_size_t)
  if (block == 0) error stop 21
  call kmp_free(block)

  !$omp parallel num_threads(2)
  if (kmp_get_cancellation_status(1) /= 0) error stop 22
  !$omp end parallel

  call omp_get_schedule(proc, count)
  if (proc /= 1 .or. count /= 0) error stop 23

contains

  subroutine through_the_module()
    use omp_lib
    integer(kmp_affinity_mask_kind) :: mask
    integer(kmp_pointer_kind) :: block
    call kmp_set_blocktime(7)
    if (kmp_get_blocktime() /= 7) error stop 101
    call kmp_set_stacksize_s(1048576_kmp_size_t_kind)
    if (kmp_get_stacksize_s() /= 1048576) error stop 102
    call kmp_create_affinity_mask(mask)
    if (kmp_get_affinity(mask) /= 0) error stop 103
    if (kmp_set_affinity(mask) /= 0) error stop 104
    call kmp_destroy_affinity_mask(mask)
    block = kmp_malloc(100_kmp_size_t_kind)
    if (block == 0) error stop 105
    call kmp_free(block)
    if (kmp_get_library() /= 3) error stop 106
  end subroutine through_the_module
end program fortran_kmp
