// SPDX-License-Identifier: Apache-2.0
/* A training loop asks the system for memory in its first step only. Requests are counted by standing in front of the
 * C library; those of the SDK count, those of oneDNN inside a product are its own affair. A sanitizer stands in the
 * same place, so under it there is nothing to count. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <crucible/draft/nn.h>
#include <crucible/optim.h>

#include "ops/gradients.h"

#if defined(__SANITIZE_ADDRESS__)
#define COUNTING 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define COUNTING 0
#endif
#endif
#ifndef COUNTING
#define COUNTING 1
#endif

static int64_t requests;

#if COUNTING
static void count_request_of(void *caller)
{
    Dl_info info;
    if (dladdr(caller, &info) && strstr(info.dli_fname, "libcrucible")) requests++;
}

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

CRU_API void *malloc(size_t bytes)
{
    count_request_of(__builtin_return_address(0));
    return __libc_malloc(bytes);
}
CRU_API void *calloc(size_t count, size_t size)
{
    count_request_of(__builtin_return_address(0));
    return __libc_calloc(count, size);
}
CRU_API void *realloc(void *old, size_t bytes)
{
    count_request_of(__builtin_return_address(0));
    return __libc_realloc(old, bytes);
}
CRU_API void *aligned_alloc(size_t alignment, size_t bytes)
{
    count_request_of(__builtin_return_address(0));
    return __libc_memalign(alignment, bytes);
}
CRU_API void *mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    count_request_of(__builtin_return_address(0));
    return (void *)syscall(SYS_mmap, at, bytes, protection, flags, fd, offset);
}
#endif

typedef struct trainee {
    op_bench bench;
    cru_net *net;
    cru_optim *optim;
    cru_tensor *x;
    cru_sparse *adj;
    cru_targets targets;
    void (*step)(struct trainee *t);
    union {
        cru_gcn gcn[2];
        cru_gat gat;
        cru_mlp mlp;
        struct {
            cru_resnet *backbone;
            cru_fc head;
        } resnet;
    } model;
} trainee;

enum { NODES = 300, FEATURES = 20, CLASSES = 4, IMAGES = 12, SIDE = 8 };

static void learn(trainee *t, cru_tensor *logits)
{
    cru_backward(t->bench.tape, cru_cross_entropy(t->bench.tape, logits, &t->targets));
    cru_optim_clip(t->optim, 1);
    cru_optim_step(t->optim);
}

static void gcn_step(trainee *t)
{
    cru_tape *tape = t->bench.tape;
    cru_tape_begin(tape, CRU_TRAIN);
    cru_tensor *h = cru_relu(tape, cru_gcn_apply(tape, &t->model.gcn[0], t->adj, t->x));
    learn(t, cru_gcn_apply(tape, &t->model.gcn[1], t->adj, cru_dropout(tape, h, 0.5f)));
    cru_tape_begin(tape, CRU_EVAL);
    cru_gcn_apply(tape, &t->model.gcn[0], t->adj, t->x);
}

static void gat_step(trainee *t)
{
    cru_tape_begin(t->bench.tape, CRU_TRAIN);
    learn(t, cru_gat_apply(t->bench.tape, &t->model.gat, t->adj, t->x));
}

static void mlp_step(trainee *t)
{
    cru_tape_begin(t->bench.tape, CRU_TRAIN);
    learn(t, cru_mlp_apply(t->bench.tape, &t->model.mlp, t->x));
}

static void resnet_step(trainee *t)
{
    cru_tape *tape = t->bench.tape;
    cru_tape_begin(tape, CRU_TRAIN);
    learn(t, cru_fc_apply(tape, &t->model.resnet.head, cru_resnet_apply(tape, t->model.resnet.backbone, t->x)));
}

static void build_gcn(trainee *t)
{
    t->model.gcn[0] = cru_gcn_create(t->net, "first", FEATURES, 16);
    t->model.gcn[1] = cru_gcn_create(t->net, "second", 16, CLASSES);
    t->step = gcn_step;
}

static void build_gat(trainee *t)
{
    t->model.gat = cru_gat_create(
        t->net, "gat",
        &(cru_gat_shape){.in = FEATURES, .out = CLASSES, .heads = 3, .average = true, .attention_dropout = 0.2f});
    t->step = gat_step;
}

static void build_mlp(trainee *t)
{
    t->model.mlp = cru_mlp_create(
        t->net, "mlp",
        &(cru_mlp_shape){
            .in = FEATURES, .hidden = 32, .out = CLASSES, .layers = 3, .batch_norm = true, .dropout = 0.3f});
    t->step = mlp_step;
}

static void build_resnet(trainee *t)
{
    t->model.resnet.backbone =
        cru_resnet_create(t->net, "resnet", &(cru_resnet_shape){.channels = 3, .blocks = 2, .width = 4});
    t->model.resnet.head = cru_fc_create(t->net, "head", cru_resnet_features(t->model.resnet.backbone), CLASSES);
    t->x = op_values(&t->bench, 4, (const int64_t[]){IMAGES, 3, SIDE, SIDE}, -1, 1);
    t->targets.labels.count = IMAGES;
    t->step = resnet_step;
}

static const struct {
    const char *name;
    void (*build)(trainee *t);
} models[] = {{"gcn", build_gcn}, {"gat", build_gat}, {"mlp", build_mlp}, {"resnet", build_resnet}};

/* Every node hears itself and the next two. */
static cru_sparse *circle(cru_ctx *ctx)
{
    int64_t *offsets = cru_ctx_alloc(ctx, NODES + 1, sizeof *offsets);
    int32_t *ids = cru_ctx_alloc(ctx, 3 * NODES, sizeof *ids);
    for (int32_t v = 0; v < NODES; v++) {
        int32_t first = v < NODES - 2 ? v : NODES - 3; /* ascending without wrapping */
        for (int32_t k = 0; k < 3; k++) ids[3 * v + k] = first + k;
        offsets[v + 1] = 3 * (v + 1);
    }
    return cru_sparse_create(ctx, &(cru_csr){.rows = NODES, .cols = NODES, .offsets = offsets, .ids = ids});
}

START_TEST(a_training_step_allocates_nothing_after_the_first)
{
    requests = 0;
    trainee t = {.bench = op_bench_open()};
    static int32_t labels[NODES];
    for (int i = 0; i < NODES; i++) labels[i] = i % CLASSES;
    t.targets = (cru_targets){.labels = {labels, NODES}};
    t.net = cru_net_create(t.bench.ctx, "net");
    t.x = op_matrix(&t.bench, NODES, FEATURES, -1, 1);
    t.adj = circle(t.bench.ctx);
    models[_i].build(&t);
    t.optim = cru_optim_create(t.bench.ctx, &(cru_optim_spec){.kind = CRU_ADAM, .lr = 0.01, .decay = 5e-4});
    cru_optim_add(t.optim, t.net, NULL);
    t.step(&t);
    if (COUNTING) ck_assert_int_gt(requests, 0);
    int64_t before = requests;
    for (int step = 0; step < 10; step++) t.step(&t);
    ck_assert_msg(requests == before, "%s: %lld requests in ten steps", models[_i].name,
                  (long long)(requests - before));
    op_bench_close(&t.bench);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("allocations");
    TCase *c = tcase_create("steps");
    tcase_set_timeout(c, 60); /* convolutions are compiled for their shapes in the first step */
    tcase_add_loop_test(c, a_training_step_allocates_nothing_after_the_first, 0, (int)(sizeof models / sizeof *models));
    suite_add_tcase(s, c);
    return s;
}
