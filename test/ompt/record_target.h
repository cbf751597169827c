/* record.h's callbacks of target constructs and of routines for device memory: they nest like regions, all are of the
 * host, and what is mapped stays where it is. Included by record.h alone, whose scopes and counts these use. */
#pragma once

static void target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task,
                   ompt_data_t *target_task, ompt_data_t *data, const void *address)
{
    CHECK(device == 0 && address != NULL);
    CHECK((kind == ompt_target_nowait) == (target_task != NULL));
    of(TASK, task);
    if (target_task != NULL)
        CHECK(of(TASK, target_task)->state == 1);
    if (endpoint == ompt_scope_begin) {
        make(TARGET, data);
        open_scope(TARGET_BEGIN + (int)kind, data, address);
    } else {
        of(TARGET, data);
        close_scope(TARGET_BEGIN + (int)kind, TARGET_END + (int)kind, data, address);
    }
}

/* What the program's last construct has mapped. */
static struct {
    unsigned count, flags[8];
    void *address[8];
    size_t bytes[8];
} mapped;

static void target_map(ompt_data_t *data, unsigned count, void **host, void **device, size_t *bytes, unsigned *flags,
                       const void *address)
{
    of(TARGET, data);
    CHECK(address != NULL && count > 0 && count <= 8);
    mapped.count = count;
    for (unsigned i = 0; i < count; i++) {
        CHECK(host[i] == device[i] && flags[i] != 0);
        mapped.address[i] = host[i];
        mapped.bytes[i] = bytes[i];
        mapped.flags[i] = flags[i];
    }
    note(TARGET_MAP);
}

static void target_submit(ompt_scope_endpoint_t endpoint, ompt_data_t *data, ompt_id_t *operation, unsigned teams)
{
    of(TARGET, data);
    (void)teams;
    uint64_t device;
    ompt_id_t target_id, now;
    CHECK(operation != NULL && *operation != 0);
    if (endpoint == ompt_scope_begin) {
        CHECK(get_target_info(&device, &target_id, &now) == 1 && device == 0 && target_id != 0 && now == *operation);
        open_scope(SUBMIT_BEGIN, data, NULL);
    } else {
        close_scope(SUBMIT_BEGIN, SUBMIT_END, data, NULL);
    }
}

static void target_data_op(ompt_scope_endpoint_t endpoint, ompt_data_t *task, ompt_data_t *data, ompt_id_t *operation,
                           ompt_target_data_op_t kind, void *from, int from_device, void *to, int to_device,
                           size_t bytes, const void *address)
{
    CHECK(task == NULL && data != NULL && operation != NULL && *operation != 0 && address != NULL);
    CHECK(from_device == 0 && to_device == 0 && (from != NULL || to != NULL || endpoint == ompt_scope_begin));
    CHECK(bytes > 0 || kind == ompt_target_data_delete);
    if (endpoint == ompt_scope_begin)
        open_scope(DATA_OP_BEGIN + (int)kind, operation, address);
    else
        close_scope(DATA_OP_BEGIN + (int)kind, DATA_OP_END + (int)kind, operation, address);
}
