// SPDX-License-Identifier: Apache-2.0
/* Trained models in files: the weights and buffers of all nets, and what a method names beside them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <crucible/draft/nn.h>

#include "train/learner.h"
#include "train/state-file.h"

/* A file is compared with the model as a whole before the first number of it is taken. */
typedef enum state_way { SAVE, COMPARE, LOAD } state_way;

struct cru_state {
    cru_ctx *ctx;
    state_way way;
    const char *net; /* whose parts these are; NULL: those of the method itself */
    state_bytes to;
    state_reader from;
    bool failed; /* what follows is not looked at */
};

void cru_no_state(cru_learner *l, void *model, cru_state *state)
{
    (void)l, (void)model, (void)state;
}

static void fail(cru_state *s, cru_status status, const char *what, const char *name)
{
    if (!s->failed) cru_ctx_fail(s->ctx, status, "the saved model does not fit: %s%s", what, name);
    s->failed = true;
}

static bool same_shape(const cru_dims *a, const cru_dims *b)
{
    return a->rank == b->rank && memcmp(a->dim, b->dim, sizeof a->dim) == 0;
}

/* The part of the file that must stand here; NULL: it does not, or the way is SAVE. */
static const void *expect(cru_state *s, const state_part *wanted)
{
    state_part found;
    if (!state_next(&s->from, &found))
        fail(s, CRU_BAD_INPUT, "it ends before ", wanted->name);
    else if (strcmp(found.name, wanted->name) != 0)
        fail(s, CRU_BAD_INPUT, "it has other parts than ", wanted->name);
    else if (found.bytes != wanted->bytes || !same_shape(&found.shape, &wanted->shape))
        fail(s, CRU_BAD_INPUT, "it has another size of ", wanted->name);
    else
        return found.values;
    return NULL;
}

static void full_name(const cru_state *s, const char *name, char out[STATE_NAME_MOST])
{
    snprintf(out, STATE_NAME_MOST, "%s/%s", s->net ? s->net : "", name);
}

/* Numbers of the host, of this shape. */
static void pass(cru_state *s, const char *name, cru_dims shape, void *values, uint64_t bytes)
{
    char full[STATE_NAME_MOST];
    if (s->failed) return;
    full_name(s, name, full);
    const state_part part = {full, shape, values, bytes};
    if (s->way == SAVE) {
        if (!state_put(&s->to, &part)) cru_panic(CRU_NO_MEMORY, "no memory to save a model");
        return;
    }
    const void *found = expect(s, &part);
    if (found && s->way == LOAD && bytes) memcpy(values, found, bytes);
}

void cru_state_values(cru_state *state, const char *name, void *values, int64_t count, size_t size)
{
    pass(state, name, cru_2d(count, (int64_t)size), values, (uint64_t)count * size);
}

void cru_state_tensor(cru_state *state, const char *name, cru_tensor *tensor)
{
    cru_device *device = cru_ctx_device(state->ctx);
    const size_t bytes = (size_t)cru_tensor_count(tensor) * sizeof(float);
    float *host = malloc(bytes + 1);
    if (!host) cru_panic(CRU_NO_MEMORY, "no memory for a tensor of a saved model");
    if (state->way == SAVE) device->backend->download(device, host, tensor->data, bytes);
    pass(state, name, cru_shape_of(tensor), host, bytes);
    if (state->way == LOAD && !state->failed) device->backend->upload(device, tensor->data, host, bytes);
    free(host);
}

static void pass_weight(void *user, const char *name, cru_tensor *tensor)
{
    cru_state_tensor(user, name, tensor);
}

/* All of a model, in one order for all ways. The first part says whose it is. */
static void pass_model(cru_state *s, cru_learner *l)
{
    char title[STATE_NAME_MOST], number[32];
    snprintf(title, sizeof title, "%s %s", l->plugin->name, l->plugin->version ? l->plugin->version : "");
    pass(s, title, cru_2d(0, 1), NULL, 0);
    cru_state_values(s, "epoch", &l->epoch, 1, sizeof l->epoch);
    for (int64_t i = 0; i < l->net_count; i++) {
        snprintf(number, sizeof number, "net%d", (int)i);
        s->net = number;
        cru_net_visit(l->nets[i], pass_weight, s);
    }
    s->net = NULL;
    if (l->method->state) l->method->state(l, l->model, s);
}

static cru_status check_method(const cru_learner *l)
{
    const cru_method *m = l->method;
    if (m->state || !(m->prepare || m->epoch || m->after_epoch || m->after_step)) return CRU_OK;
    return cru_ctx_fail(l->ctx, CRU_UNSUPPORTED,
                        "cannot be saved: the method does not say what it needs beside its weights");
}

static bool write_all(int fd, const unsigned char *bytes, size_t size)
{
    while (size) {
        ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes += n;
        size -= (size_t)n;
    }
    return true;
}

cru_status method_save(void *self, int fd)
{
    cru_learner *l = self;
    cru_status status = check_method(l);
    if (status) return status;
    cru_state s = {.ctx = l->ctx, .way = SAVE};
    if (!state_begin(&s.to)) cru_panic(CRU_NO_MEMORY, "no memory to save a model");
    pass_model(&s, l);
    state_end(&s.to);
    if (!write_all(fd, s.to.bytes, s.to.size))
        cru_ctx_fail(l->ctx, CRU_IO, "the model cannot be saved: %s", strerror(errno));
    free(s.to.bytes);
    return cru_ctx_status(l->ctx);
}

/* The rest of a file, with its size; NULL: it cannot be read. The caller frees it. */
static unsigned char *read_rest(int fd, size_t *size)
{
    struct stat info;
    *size = 0;
    if (fstat(fd, &info) != 0 || info.st_size < 0) return NULL;
    const size_t space = (size_t)info.st_size;
    unsigned char *bytes = malloc(space + 1);
    while (bytes && *size < space) {
        ssize_t n = read(fd, bytes + *size, space - *size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        *size += (size_t)n;
    }
    return bytes;
}

static void take_bytes(cru_learner *l, const unsigned char *bytes, size_t size)
{
    cru_state s = {.ctx = l->ctx};
    for (state_way way = COMPARE; way <= LOAD && !s.failed; way++) {
        s.way = way;
        const char *fault = state_open(&s.from, bytes, size);
        if (fault)
            fail(&s, CRU_BAD_INPUT, fault, "");
        else
            pass_model(&s, l);
        if (!s.failed && !state_is_whole(&s.from)) fail(&s, CRU_BAD_INPUT, "it has more parts than the model", "");
    }
}

cru_status method_load(void *self, int fd)
{
    cru_learner *l = self;
    size_t size;
    cru_status status = check_method(l);
    if (status) return status;
    unsigned char *bytes = read_rest(fd, &size);
    if (bytes)
        take_bytes(l, bytes, size);
    else
        cru_ctx_fail(l->ctx, CRU_IO, "the saved model cannot be read: %s", strerror(errno));
    free(bytes);
    return cru_ctx_status(l->ctx);
}
