program pi
  use omp_lib
  implicit none
  integer, parameter :: steps = 1000000
  integer :: i, threads
  double precision :: x, total

  total = 0
  !$omp parallel do private(x) reduction(+ : total) schedule(dynamic, 1000)
  do i = 1, steps
    x = (i - 0.5d0) / steps
    total = total + 4 / (1 + x * x)
  end do

  threads = 0
  !$omp parallel reduction(max : threads)
  threads = omp_get_num_threads()
  !$omp end parallel

  print '(f8.6, a, i0, a)', total / steps, ' on ', threads, ' threads'
end program pi
