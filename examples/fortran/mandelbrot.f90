! The area of the Mandelbrot set: a first OpenMP program in Fortran.
!
!     gcc -O2 -fopenmp -I examples -c examples/where.c
!     gfortran -O2 -fopenmp examples/fortran/mandelbrot.f90 where.o -o mandelbrot
!     ./mandelbrot                      # on libgomp, the runtime that comes with gfortran
!     ghcomp run -- ./mandelbrot        # the same binary on ghc-openmp, in GHC's runtime system
!
! A point c belongs to the set when z := z*z + c stays bounded from z = 0. Points inside cost the full number
! of iterations and points outside a few, so that some columns take far longer than others: the columns are
! dealt out one by one, to whichever thread is free (schedule(dynamic)), and not in equal parts.
program mandelbrot
   use omp_lib
   use, intrinsic :: iso_fortran_env, only: real64, int64, error_unit
   implicit none

   interface
      subroutine where_print() bind(C, name="where_print")
      end subroutine where_print
   end interface

   integer, parameter :: width = 600, height = 400, limit = 1000
   integer(int64) :: inside, alone
   integer, allocatable :: columns(:)
   real(real64) :: start, alone_took, team_took

   call where_print()

   ! 1. One thread, for comparison.
   allocate (columns(0:0))
   start = omp_get_wtime()
   call count_inside(1, alone, columns)
   alone_took = omp_get_wtime() - start
   deallocate (columns)

   ! 2. A team of as many threads as OMP_NUM_THREADS says, or as there are CPUs. Whole numbers are counted, so
   !    that the sum does not depend on the order in which the threads add up.
   allocate (columns(0:omp_get_max_threads() - 1))
   start = omp_get_wtime()
   call count_inside(omp_get_max_threads(), inside, columns)
   team_took = omp_get_wtime() - start

   print '(a, i0, a, i0, a, f8.6)', 'points inside: ', inside, ' of ', width*height, '; area about ', &
      real(inside, real64)/(width*height)*3.0_real64*2.0_real64
   write (error_unit, '(a, i0, a, i0, a, i0, a)') 'times:   ', nint(alone_took*1e3), ' ms alone, ', &
      nint(team_took*1e3), ' ms with ', omp_get_max_threads(), ' threads'
   write (error_unit, '(a, *(i0, :, ", "))') 'columns: by thread: ', columns

   if (inside /= alone .or. sum(columns) /= width) then
      print '(a)', 'WRONG: the team and one thread differ'
      stop 1
   end if
   print '(a)', 'the team and one thread agree'

contains

   ! Counts the points inside. columns(t) is the number of columns that thread t did.
   subroutine count_inside(threads, count, columns)
      integer, intent(in) :: threads
      integer(int64), intent(out) :: count
      integer, intent(out) :: columns(0:)
      integer :: i, j

      count = 0
      columns = 0
      !$omp parallel do num_threads(threads) schedule(dynamic) private(j) reduction(+:count)
      do i = 1, width
         do j = 1, height
            if (is_inside(cmplx(-2.0 + 3.0*i/width, -1.0 + 2.0*j/height, real64))) count = count + 1
         end do
         ! Only thread t writes columns(t).
         columns(omp_get_thread_num()) = columns(omp_get_thread_num()) + 1
      end do
      !$omp end parallel do
   end subroutine count_inside

   pure logical function is_inside(c)
      complex(real64), intent(in) :: c
      complex(real64) :: z
      integer :: k

      z = 0
      is_inside = .false.
      do k = 1, limit
         z = z*z + c
         if (real(z)**2 + aimag(z)**2 > 4) return
      end do
      is_inside = .true.
   end function is_inside

end program mandelbrot
