/* Interoperability routines under their Fortran names, as libomp has them: with the arguments of the C routines.
 * flang's omp_lib does not declare them; gcc's forms, of which some have the same names, are in omp/omp_interop.c.
 * Tests: test/clang/interop_fortran.c. */
#include "abi/abi.h"

int omp_get_num_interop_properties_(omp_interop_t interop)
{
    return omp_get_num_interop_properties(interop);
}

omp_intptr_t omp_get_interop_int_(omp_interop_t interop, omp_interop_property_t property_id, omp_interop_rc_t *ret_code)
{
    return omp_get_interop_int(interop, property_id, ret_code);
}

void *omp_get_interop_ptr_(omp_interop_t interop, omp_interop_property_t property_id, omp_interop_rc_t *ret_code)
{
    return omp_get_interop_ptr(interop, property_id, ret_code);
}

const char *ghcomp_omp_get_interop_str__kmp(omp_interop_t interop, omp_interop_property_t property_id,
                                            omp_interop_rc_t *ret_code)
{
    return omp_get_interop_str(interop, property_id, ret_code);
}

const char *ghcomp_omp_get_interop_name__kmp(omp_interop_t interop, omp_interop_property_t property_id)
{
    return omp_get_interop_name(interop, property_id);
}

const char *ghcomp_omp_get_interop_type_desc__kmp(omp_interop_t interop, omp_interop_property_t property_id)
{
    return omp_get_interop_type_desc(interop, property_id);
}

const char *ghcomp_omp_get_interop_rc_desc__kmp(omp_interop_t interop, omp_interop_rc_t ret_code)
{
    return omp_get_interop_rc_desc(interop, ret_code);
}

GHCOMP_ABI_OBJECT(kmp_interop);
