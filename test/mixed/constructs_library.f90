! constructs_library.c in Fortran, with the same names for C. See mixed.sh.
module constructs_library
  use iso_c_binding
  use omp_lib
  implicit none
  integer(c_long), save :: reduced, members, of_all
  abstract interface
    function tree_of(depth) bind(c)
      import :: c_int, c_long
      integer(c_int), value :: depth
      integer(c_long) :: tree_of
    end function tree_of
  end interface
contains

  subroutine library_step(value) bind(c)
    integer(c_int) :: value
    !$omp task depend(inout: value) shared(value)
    value = mod(value * 5 + 2, 10007)
    !$omp end task
  end subroutine library_step

  subroutine library_wait() bind(c)
    !$omp taskwait
  end subroutine library_wait

  subroutine library_later(count, done) bind(c)
    integer(c_int), value :: count
    integer(c_int) :: done
    integer :: i
    do i = 1, count
      !$omp task shared(done)
      !$omp atomic
      done = done + 1
      !$omp end task
    end do
  end subroutine library_later

  recursive function library_tree(depth, other) result(leaves) bind(c)
    integer(c_int), value :: depth
    type(c_funptr), value :: other
    integer(c_long) :: leaves, left, right
    procedure(tree_of), pointer :: call_it
    leaves = 1
    if (depth == 0) return
    call c_f_procpointer(other, call_it)
    !$omp taskgroup
    !$omp task shared(left)
    left = call_it(depth - 1)
    !$omp end task
    right = call_it(depth - 1)
    !$omp end taskgroup
    leaves = left + right
  end function library_tree

  function library_reduced(count) result(total) bind(c)
    integer(c_int), value :: count
    integer(c_long) :: total
    integer :: i
    !$omp single
    reduced = 0
    !$omp end single
    !$omp do reduction(+: reduced) schedule(guided)
    do i = 0, count - 1
      reduced = reduced + i
    end do
    !$omp end do
    total = reduced
    !$omp barrier
  end function library_reduced

  function library_kinds(value) result(copied) bind(c)
    integer(c_long), value :: value
    integer(c_long) :: copied
    ! flang 19 refuses copyprivate for a variable of the calling procedure.
    !$omp single
    of_all = value
    members = 0
    !$omp end single
    !$omp masked
    !$omp atomic
    members = members - 1
    !$omp end masked
    !$omp sections
    !$omp section
    !$omp atomic
    members = members + 5
    !$omp section
    !$omp atomic
    members = members - 4
    !$omp end sections
    !$omp critical (library)
    members = members + 1
    !$omp end critical (library)
    !$omp barrier
    copied = of_all + members
    !$omp barrier
  end function library_kinds

  subroutine library_nested_lock(lock, depth) bind(c)
    integer(omp_nest_lock_kind) :: lock
    integer(c_int) :: depth
    call omp_set_nest_lock(lock)
    depth = depth + 1
    call omp_unset_nest_lock(lock)
  end subroutine library_nested_lock

  subroutine library_atomic(count) bind(c)
    integer(c_long) :: count
    !$omp atomic
    count = count + 1
  end subroutine library_atomic

  function library_team_number() result(number) bind(c)
    integer(c_int) :: number
    number = omp_get_team_num()
  end function library_team_number

  function library_league_size() result(number) bind(c)
    integer(c_int) :: number
    number = omp_get_num_teams()
  end function library_league_size
end module constructs_library
