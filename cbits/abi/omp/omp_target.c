/* omp_target_* and omp_get_mapped_ptr: the memory of devices. The host's memory is handled here. For another device
 * each routine calls libomptarget's routine of the same name (core/team/offload.c), which clang's programs call
 * directly. A device that does not exist has no memory and no mappings; for it the routines return what libgomp's do.
 * Tests: test/conformance/target, test/programs/offload.sh. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "abi/abi.h"
#include "base/check.h"
#include "core/task/task.h"
#include "core/team/offload.h"
#include "core/team/target.h"
#include "core/tool/tool.h"

/* libomptarget's routine of the same name, with the type of the one in this file; NULL: libomptarget does not have
   it. */
#define OF_DEVICE(routine) ((__typeof__(&routine))ghcomp_offload_find(#routine))

/* Carries out an operation, reported to a tool. */
static __attribute__((noinline, cold)) void report(struct ghcomp_tool_data_op op, void (*fn)(void *), void *data)
{
    struct ghcomp_member *self = ghcomp_self_of_caller();
    ghcomp_tool_data_op_begin(self, &op);
    fn(data);
    ghcomp_tool_data_op_end(self, &op);
}

static __attribute__((noinline, cold)) void *alloc_observed(size_t size)
{
    struct ghcomp_member *self = ghcomp_self_of_caller();
    struct ghcomp_tool_data_op op = {.kind = ompt_target_data_alloc, .bytes = size};
    ghcomp_tool_data_op_begin(self, &op);
    op.to = malloc(size);
    ghcomp_tool_data_op_end(self, &op);
    return op.to;
}

void *omp_target_alloc(size_t size, int device_num)
{
    GHCOMP_TOOL_SITE();
    struct ghcomp_target_named on = ghcomp_target_named(device_num);
    if (on.is == GHCOMP_TARGET_HOST)
        return ghcomp_tool_on() ? alloc_observed(size) : malloc(size);
    __typeof__(&omp_target_alloc) of_device = OF_DEVICE(omp_target_alloc);
    return on.is == GHCOMP_TARGET_DEVICE && of_device != NULL ? of_device(size, on.number) : NULL;
}

void omp_target_free(void *device_ptr, int device_num)
{
    GHCOMP_TOOL_SITE();
    if (device_ptr == NULL)
        return; /* on any device, as on libgomp */
    struct ghcomp_target_named on = ghcomp_target_named(device_num);
    if (on.is != GHCOMP_TARGET_HOST) {
        __typeof__(&omp_target_free) of_device = OF_DEVICE(omp_target_free);
        if (on.is == GHCOMP_TARGET_DEVICE && of_device != NULL)
            of_device(device_ptr, on.number);
        return;
    }
    if (ghcomp_tool_on())
        report((struct ghcomp_tool_data_op){.kind = ompt_target_data_delete, .from = device_ptr}, free, device_ptr);
    else
        free(device_ptr);
}

int omp_target_is_present(const void *ptr, int device_num)
{
    if (ptr == NULL)
        return 0;
    struct ghcomp_target_named on = ghcomp_target_named(device_num);
    if (on.is != GHCOMP_TARGET_DEVICE)
        return on.is == GHCOMP_TARGET_HOST;
    __typeof__(&omp_target_is_present) of_device = OF_DEVICE(omp_target_is_present);
    return of_device != NULL && of_device(ptr, on.number);
}

/* libomptarget before LLVM 22 does not have the routine; then the result is that the device has no access. */
int omp_target_is_accessible(const void *ptr, size_t size, int device_num)
{
    if (ptr == NULL || size == 0)
        return 0;
    struct ghcomp_target_named on = ghcomp_target_named(device_num);
    if (on.is != GHCOMP_TARGET_DEVICE)
        return on.is == GHCOMP_TARGET_HOST;
    __typeof__(&omp_target_is_accessible) of_device = OF_DEVICE(omp_target_is_accessible);
    return of_device != NULL && of_device(ptr, size, on.number);
}

void *omp_get_mapped_ptr(const void *ptr, int device_num)
{
    if (ptr == NULL)
        return NULL;
    struct ghcomp_target_named on = ghcomp_target_named(device_num);
    if (on.is != GHCOMP_TARGET_DEVICE)
        return on.is == GHCOMP_TARGET_HOST ? (void *)ptr : NULL;
    __typeof__(&omp_get_mapped_ptr) of_device = OF_DEVICE(omp_get_mapped_ptr);
    return of_device != NULL ? of_device(ptr, on.number) : NULL;
}

/* On the host every pointer is always associated with itself. */
int omp_target_associate_ptr(const void *host_ptr, const void *device_ptr, size_t size, size_t device_offset,
                             int device_num)
{
    struct ghcomp_target_named on = ghcomp_target_named(device_num);
    __typeof__(&omp_target_associate_ptr) of_device =
        on.is == GHCOMP_TARGET_DEVICE ? OF_DEVICE(omp_target_associate_ptr) : NULL;
    return of_device != NULL ? of_device(host_ptr, device_ptr, size, device_offset, on.number) : EINVAL;
}

int omp_target_disassociate_ptr(const void *ptr, int device_num)
{
    struct ghcomp_target_named on = ghcomp_target_named(device_num);
    __typeof__(&omp_target_disassociate_ptr) of_device =
        on.is == GHCOMP_TARGET_DEVICE ? OF_DEVICE(omp_target_disassociate_ptr) : NULL;
    return of_device != NULL ? of_device(ptr, on.number) : EINVAL;
}

/* --- copies ------------------------------------------------------------------------------------------------------- */

/* The numbers of the devices that a copy goes to and comes from. */
struct ends {
    int dst, src;
    bool host; /* both are the host */
};

/* Determines the two devices. False: one of them does not exist. */
static bool check_ends(struct ends *ends, int dst_device_num, int src_device_num)
{
    struct ghcomp_target_named dst = ghcomp_target_named(dst_device_num);
    if (dst.is == GHCOMP_TARGET_NONE)
        return false;
    struct ghcomp_target_named src = ghcomp_target_named(src_device_num);
    *ends = (struct ends){dst.number, src.number, dst.is == GHCOMP_TARGET_HOST && src.is == GHCOMP_TARGET_HOST};
    return src.is != GHCOMP_TARGET_NONE;
}

struct copy {
    void *dst;
    const void *src;
    size_t length, dst_offset, src_offset;
    struct ends ends;
    const void *return_address; /* of the call, for a tool */
};

/* Copies from or to a device; libomptarget reports it to the tool. */
static int copy_by_device(const struct copy *copy)
{
    __typeof__(&omp_target_memcpy) of_device = OF_DEVICE(omp_target_memcpy);
    return of_device == NULL ? EINVAL
                             : of_device(copy->dst, copy->src, copy->length, copy->dst_offset, copy->src_offset,
                                         copy->ends.dst, copy->ends.src);
}

static void run_copy(void *data)
{
    const struct copy *copy = data;
    memcpy((char *)copy->dst + copy->dst_offset, (const char *)copy->src + copy->src_offset, copy->length);
}

static __attribute__((noinline, cold)) void copy_observed(struct copy *copy, ompt_target_data_op_t kind)
{
    struct ghcomp_tool_data_op op = {.kind = kind, .bytes = copy->length};
    op.from = (const char *)copy->src + copy->src_offset;
    op.to = (char *)copy->dst + copy->dst_offset;
    report(op, run_copy, copy);
}

int omp_target_memcpy(void *dst, const void *src, size_t length, size_t dst_offset, size_t src_offset,
                      int dst_device_num, int src_device_num)
{
    GHCOMP_TOOL_SITE();
    struct copy copy = {dst, src, length, dst_offset, src_offset, {0}, NULL};
    if (!check_ends(&copy.ends, dst_device_num, src_device_num))
        return EINVAL;
    if (!copy.ends.host)
        return copy_by_device(&copy);
    if (ghcomp_tool_on())
        copy_observed(&copy, ompt_target_data_transfer_to_device);
    else
        run_copy(&copy);
    return 0;
}

/* A copy of a box of elements between two arrays of `dims` dimensions. The arrays of numbers have an element for each
   dimension, the slowest first: the box's extent, its offsets in both arrays, and the arrays' extents. */
struct box {
    void *dst;
    const void *src;
    size_t element_size;
    int dims;
    const size_t *volume, *dst_offsets, *src_offsets, *dst_dimensions, *src_dimensions;
    bool empty;
    struct ends ends;
    const void *return_address; /* of the call, for a tool */
};

/* Whether the box is empty in any dimension, so that there is nothing to copy. */
static bool is_empty(const struct box *box)
{
    bool empty = box->element_size == 0;
    for (int i = 0; i < box->dims; i++)
        empty |= box->volume[i] == 0;
    return empty;
}

/* Stores the bytes of one step in dimension `dim` of an array; false when a size_t cannot hold them. */
static bool stride(const struct box *box, const size_t *dimensions, int dim, size_t *bytes)
{
    *bytes = box->element_size;
    for (int i = box->dims - 1; i > dim; i--)
        if (__builtin_mul_overflow(*bytes, dimensions[i], bytes))
            return false;
    return true;
}

static int copy_from_dimension(const struct box *box, int dim, char *dst, const char *src)
{
    size_t dst_stride, src_stride, dst_offset, src_offset, length;
    if (!stride(box, box->dst_dimensions, dim, &dst_stride) || !stride(box, box->src_dimensions, dim, &src_stride) ||
        __builtin_mul_overflow(dst_stride, box->dst_offsets[dim], &dst_offset) ||
        __builtin_mul_overflow(src_stride, box->src_offsets[dim], &src_offset) ||
        __builtin_mul_overflow(box->element_size, box->volume[dim], &length))
        return EINVAL;
    dst += dst_offset;
    src += src_offset;
    if (dim == box->dims - 1) {
        if (!box->empty)
            memcpy(dst, src, length);
        return 0;
    }
    size_t steps = box->empty ? 1 : box->volume[dim]; /* one, for the checks of the dimensions below */
    for (size_t i = 0; i < steps; i++) {
        int wrong = copy_from_dimension(box, dim + 1, dst + i * dst_stride, src + i * src_stride);
        if (wrong != 0)
            return wrong;
    }
    return 0;
}

struct box_copy {
    const struct box *box;
    int wrong;
};

static void run_box_copy(void *data)
{
    struct box_copy *copy = data;
    copy->wrong = copy_from_dimension(copy->box, 0, copy->box->dst, copy->box->src);
}

static __attribute__((noinline, cold)) int box_observed(const struct box *box, ompt_target_data_op_t kind)
{
    struct box_copy copy = {box, 0};
    struct ghcomp_tool_data_op op = {.kind = kind, .from = box->src, .to = box->dst, .bytes = box->element_size};
    for (int i = 0; i < box->dims; i++)
        op.bytes *= box->volume[i];
    report(op, run_box_copy, &copy);
    return copy.wrong;
}

static int copy_box(const struct box *box, ompt_target_data_op_t kind)
{
    if (!box->ends.host) {
        __typeof__(&omp_target_memcpy_rect) of_device = OF_DEVICE(omp_target_memcpy_rect);
        return of_device == NULL ? EINVAL
                                 : of_device(box->dst, box->src, box->element_size, box->dims, box->volume,
                                             box->dst_offsets, box->src_offsets, box->dst_dimensions,
                                             box->src_dimensions, box->ends.dst, box->ends.src);
    }
    return ghcomp_tool_on() ? box_observed(box, kind) : copy_from_dimension(box, 0, box->dst, box->src);
}

static int check_box(struct box *box, int dst_device_num, int src_device_num)
{
    if (box->dst == NULL && box->src == NULL)
        return INT_MAX; /* the caller asks for the largest number of dimensions */
    if (!check_ends(&box->ends, dst_device_num, src_device_num) || box->dims < 1)
        return EINVAL;
    box->empty = is_empty(box);
    return 0;
}

int omp_target_memcpy_rect(void *dst, const void *src, size_t element_size, int num_dims, const size_t *volume,
                           const size_t *dst_offsets, const size_t *src_offsets, const size_t *dst_dimensions,
                           const size_t *src_dimensions, int dst_device_num, int src_device_num)
{
    GHCOMP_TOOL_SITE();
    struct box box = {dst,         src,         element_size,   num_dims,       volume,
                      dst_offsets, src_offsets, dst_dimensions, src_dimensions, false, {0}, NULL};
    int wrong = check_box(&box, dst_device_num, src_device_num);
    return wrong != 0 ? wrong : copy_box(&box, ompt_target_data_transfer_to_device);
}

struct fill {
    void *ptr;
    int value;
    size_t count;
    struct ghcomp_target_named on;
};

static void run_fill(void *data)
{
    const struct fill *fill = data;
    if (fill->on.is == GHCOMP_TARGET_DEVICE) {
        __typeof__(&omp_target_memset) of_device = OF_DEVICE(omp_target_memset);
        if (of_device != NULL)
            of_device(fill->ptr, fill->value, fill->count, fill->on.number);
    } else if (fill->count > 0) {
        memset(fill->ptr, fill->value, fill->count);
    }
}

/* A device that does not exist counts as the host here. */
void *omp_target_memset(void *ptr, int val, size_t count, int device_num)
{
    struct fill fill = {ptr, val, count, ghcomp_target_named(device_num)};
    run_fill(&fill);
    return ptr;
}

/* --- the same as tasks -------------------------------------------------------------------------------------------- */

/* Submits the operation as a task, ordered by the depend objects. The devices have been checked by then. */

static void submit(struct ghcomp_member *self, struct ghcomp_task *task, int depobj_count, omp_depend_t *depobj_list)
{
    if (depobj_count > 0 && depobj_list != NULL) {
        /* The ABI's list in its second form: 0, the number of all entries, the numbers of entries of the three kinds
           that the list itself can name (none), and the depend objects. */
        void **depend = ghcomp_alloc((5 + (size_t)depobj_count) * sizeof *depend);
        depend[0] = depend[2] = depend[3] = depend[4] = NULL;
        depend[1] = (void *)(uintptr_t)depobj_count;
        for (int i = 0; i < depobj_count; i++)
            depend[5 + i] = &depobj_list[i];
        ghcomp_task_depend(self, task, depend);
        free(depend);
    }
    ghcomp_task_submit(self, task);
}

static void submit_simple(void (*fn)(void *), const void *data, size_t bytes, int depobj_count,
                          omp_depend_t *depobj_list)
{
    struct ghcomp_member *self = ghcomp_self_of_caller();
    if (ghcomp_task_refused(self))
        return;
    struct ghcomp_task *task = ghcomp_task_new(self, fn, bytes, _Alignof(max_align_t), 0);
    memcpy(task->data, data, bytes);
    submit(self, task, depobj_count, depobj_list);
}

/* The program's call site of a routine that makes a task; the task reports it to the tool when it runs. */
static inline const void *call_site(void)
{
    return ghcomp_tool_on() ? ghcomp_tool_thread_site(ghcomp_self_of_caller()) : NULL;
}

static void run_copy_async(void *data)
{
    struct copy *copy = data;
    if (!copy->ends.host) {
        copy_by_device(copy);
    } else if (ghcomp_tool_on()) {
        ghcomp_tool_note(copy->return_address, NULL, 0);
        copy_observed(copy, ompt_target_data_transfer_to_device_async);
    } else {
        run_copy(copy);
    }
}

int omp_target_memcpy_async(void *dst, const void *src, size_t length, size_t dst_offset, size_t src_offset,
                            int dst_device_num, int src_device_num, int depobj_count, omp_depend_t *depobj_list)
{
    GHCOMP_TOOL_SITE();
    struct copy copy = {dst, src, length, dst_offset, src_offset, {0}, NULL};
    if (!check_ends(&copy.ends, dst_device_num, src_device_num))
        return EINVAL;
    copy.return_address = call_site();
    submit_simple(run_copy_async, &copy, sizeof copy, depobj_count, depobj_list);
    return 0;
}

static void run_box(void *data)
{
    const struct box *box = data;
    if (ghcomp_tool_on())
        ghcomp_tool_note(box->return_address, NULL, 0);
    if (copy_box(box, ompt_target_data_transfer_to_device_async) != 0 && box->ends.host)
        ghcomp_fatal("omp_target_memcpy_rect_async: the sizes or offsets of an array are too large for any memory; "
                     "check volume, dimensions and offsets");
}

int omp_target_memcpy_rect_async(void *dst, const void *src, size_t element_size, int num_dims, const size_t *volume,
                                 const size_t *dst_offsets, const size_t *src_offsets, const size_t *dst_dimensions,
                                 const size_t *src_dimensions, int dst_device_num, int src_device_num,
                                 int depobj_count, omp_depend_t *depobj_list)
{
    GHCOMP_TOOL_SITE();
    struct box box = {dst,         src,         element_size,   num_dims,       volume,
                      dst_offsets, src_offsets, dst_dimensions, src_dimensions, false, {0}, NULL};
    int wrong = check_box(&box, dst_device_num, src_device_num);
    struct ghcomp_member *self = ghcomp_self_of_caller();
    if (wrong != 0 || ghcomp_task_refused(self))
        return wrong;
    box.return_address = call_site();
    /* Copies the arrays that describe the box, because the caller's may not exist any more when the task runs. */
    const size_t **arrays[] = {&box.volume, &box.dst_offsets, &box.src_offsets, &box.dst_dimensions,
                               &box.src_dimensions};
    size_t bytes = (size_t)num_dims * sizeof(size_t), count = sizeof arrays / sizeof arrays[0];
    struct ghcomp_task *task = ghcomp_task_new(self, run_box, sizeof box + count * bytes, _Alignof(struct box), 0);
    char *room = (char *)task->data + sizeof box;
    for (size_t i = 0; i < count; i++, room += bytes)
        *arrays[i] = memcpy(room, *arrays[i], bytes);
    memcpy(task->data, &box, sizeof box);
    submit(self, task, depobj_count, depobj_list);
    return 0;
}

void *omp_target_memset_async(void *ptr, int val, size_t count, int device_num, int depobj_count,
                              omp_depend_t *depobj_list)
{
    GHCOMP_TOOL_SITE();
    struct fill fill = {ptr, val, count, ghcomp_target_named(device_num)};
    submit_simple(run_fill, &fill, sizeof fill, depobj_count, depobj_list);
    return ptr;
}

GHCOMP_ABI_OBJECT(omp_target);
