  ! For Fortran programs' `contains` part: ends the program, with the line, unless the condition holds.
  subroutine check(holds, line)
    logical, intent(in) :: holds
    integer, intent(in) :: line
    if (.not. holds) then
      print '(a, i0, a)', 'line ', line, ' does not hold'
      error stop 1
    end if
  end subroutine check
