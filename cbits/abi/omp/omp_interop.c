/* GOMP_interop and omp_get_interop_*: interoperability objects. They stand for the streams of foreign device runtimes.
 * gcc's code has none but omp_interop_none, also those that `init` makes, since its constructs run on the host. For
 * that object the queries return the same names and messages as GCC's, because GCC's tests compare them. An object of
 * clang's code comes from libomptarget (core/team/offload.c), which then answers the queries. Tests:
 * test/conformance/target/interop.c, test/programs/offload.sh. */
#include <string.h>

#include "abi/abi.h"
#include "core/team/offload.h"
#include "core/team/target.h"

/* libomptarget's routine for its own objects, with the type of the routine in this file; NULL: there is none. */
#define OF_OBJECT(interop, routine)                                                                                   \
    ((__typeof__(&routine))((interop) != omp_interop_none ? ghcomp_offload_find(#routine) : NULL))

static bool is_property(omp_interop_property_t property)
{
    return (int)property < 0 && (int)property >= omp_ipr_first;
}

void GOMP_interop(int device_num, int n_init, void *init, const void *target_targetsync, const void *prefer_type,
                  int n_use, void *use, int n_destroy, void *destroy, unsigned flags, void **depend)
{
    (void)target_targetsync, (void)prefer_type, (void)n_use, (void)use, (void)flags;
    omp_interop_t **made = init, **gone = destroy;
    if (n_init > 0)
        ghcomp_target_is_host(device_num); /* ends the program if no construct may name the device */
    ghcomp_target_depend(false, depend); /* `nowait` has no effect without an object that includes targetsync */
    for (int i = 0; i < n_init; i++)
        *made[i] = omp_interop_none;
    for (int i = 0; i < n_destroy; i++)
        *gone[i] = omp_interop_none;
}

/* The number of properties beyond those that OpenMP defines. */
int omp_get_num_interop_properties(omp_interop_t interop)
{
    __typeof__(&omp_get_num_interop_properties) ask = OF_OBJECT(interop, omp_get_num_interop_properties);
    return ask != NULL ? ask(interop) : 0;
}

static void no_value(omp_interop_property_t property, omp_interop_rc_t *ret_code)
{
    if (ret_code != NULL)
        *ret_code = is_property(property) ? omp_irc_empty : omp_irc_out_of_range;
}

omp_intptr_t omp_get_interop_int(omp_interop_t interop, omp_interop_property_t property_id, omp_interop_rc_t *ret_code)
{
    __typeof__(&omp_get_interop_int) ask = OF_OBJECT(interop, omp_get_interop_int);
    if (ask != NULL)
        return ask(interop, property_id, ret_code);
    no_value(property_id, ret_code);
    return 0;
}

void *omp_get_interop_ptr(omp_interop_t interop, omp_interop_property_t property_id, omp_interop_rc_t *ret_code)
{
    __typeof__(&omp_get_interop_ptr) ask = OF_OBJECT(interop, omp_get_interop_ptr);
    if (ask != NULL)
        return ask(interop, property_id, ret_code);
    no_value(property_id, ret_code);
    return NULL;
}

const char *omp_get_interop_str(omp_interop_t interop, omp_interop_property_t property_id, omp_interop_rc_t *ret_code)
{
    __typeof__(&omp_get_interop_str) ask = OF_OBJECT(interop, omp_get_interop_str);
    if (ask != NULL)
        return ask(interop, property_id, ret_code);
    no_value(property_id, ret_code);
    return NULL;
}

const char *omp_get_interop_name(omp_interop_t interop, omp_interop_property_t property_id)
{
    static const char *const names[] = {"fr_id",    "fr_name", "vendor",         "vendor_name", "device_num",
                                        "platform", "device",  "device_context", "targetsync"};
    (void)interop;
    return is_property(property_id) ? names[omp_ipr_fr_id - (int)property_id] : NULL;
}

/* The type of a property depends on its object. */
const char *omp_get_interop_type_desc(omp_interop_t interop, omp_interop_property_t property_id)
{
    __typeof__(&omp_get_interop_type_desc) ask = OF_OBJECT(interop, omp_get_interop_type_desc);
    return ask != NULL ? ask(interop, property_id) : NULL;
}

/* The host never returns omp_irc_other. */
const char *omp_get_interop_rc_desc(omp_interop_t interop, omp_interop_rc_t ret_code)
{
    (void)interop;
    switch (ret_code) {
    case omp_irc_no_value:
        return "the property has no value";
    case omp_irc_success:
        return "success";
    case omp_irc_empty:
        return "provided interoperability object is equal to omp_interop_none";
    case omp_irc_out_of_range:
        return "property ID is out of range";
    case omp_irc_type_int:
        return "the property is an integer: ask omp_get_interop_int";
    case omp_irc_type_ptr:
        return "the property is a pointer: ask omp_get_interop_ptr";
    case omp_irc_type_str:
        return "the property is a string: ask omp_get_interop_str";
    default:
        return NULL;
    }
}

/* Fortran functions that return a character pointer: its address and length are stored through the first two
   arguments. */

static void give(const char **res, size_t *res_len, const char *text)
{
    *res = text;
    *res_len = text != NULL ? strlen(text) : 0;
}

void ghcomp_omp_get_interop_str__513(const char **res, size_t *res_len, omp_interop_t interop,
                                     omp_interop_property_t property_id, omp_interop_rc_t *ret_code)
{
    give(res, res_len, omp_get_interop_str(interop, property_id, ret_code));
}

void ghcomp_omp_get_interop_name__513(const char **res, size_t *res_len, omp_interop_t interop,
                                      omp_interop_property_t property_id)
{
    give(res, res_len, omp_get_interop_name(interop, property_id));
}

void ghcomp_omp_get_interop_type_desc__513(const char **res, size_t *res_len, omp_interop_t interop,
                                           omp_interop_property_t property_id)
{
    give(res, res_len, omp_get_interop_type_desc(interop, property_id));
}

void ghcomp_omp_get_interop_rc_desc__513(const char **res, size_t *res_len, omp_interop_t interop,
                                         omp_interop_rc_t ret_code)
{
    give(res, res_len, omp_get_interop_rc_desc(interop, ret_code));
}

GHCOMP_ABI_OBJECT(omp_interop);
