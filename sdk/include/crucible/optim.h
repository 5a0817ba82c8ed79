// SPDX-License-Identifier: Apache-2.0
/* optim.h: optimisers, with PyTorch's exact formulas. Schedules of the learning rate are in draft/optim.h.
 *
 *     cru_optim *optim = cru_optim_create(ctx, &(cru_optim_spec){.kind = CRU_ADAM, .lr = 0.01, .decay = 5e-4});
 *     cru_optim_add(optim, net, NULL);
 *     ... cru_backward(t, loss); cru_optim_step(optim);      // uses and then forgets the gradients
 *
 * A weight that has received no gradient since the last step is left alone, weight decay included, as a PyTorch
 * parameter whose grad is None. */
#ifndef CRUCIBLE_OPTIM_H
#define CRUCIBLE_OPTIM_H

#include <crucible/nn.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cru_optim_kind {
    CRU_ADAM = 0, /* decay is added to the gradient */
    CRU_ADAMW,    /* decay shrinks the weight directly */
    CRU_SGD,
    CRU_ADAMW_MATRICES, /* AdamW whose decay spares vectors and numbers: biases, gains and shifts of norms */
} cru_optim_kind;

typedef struct cru_optim_spec {
    cru_optim_kind kind;
    double lr, decay;
    double beta1, beta2, eps; /* Adam; 0 means 0.9, 0.999, 1e-8 */
    bool amsgrad;
    double momentum, dampening; /* SGD */
    bool nesterov;
} cru_optim_spec;

/* How a group differs from the spec. */
typedef struct cru_optim_group {
    double lr_factor; /* 0 means 1 */
    double decay;     /* used when `own_decay` */
    bool own_decay;
    bool (*only)(void *user, const char *name); /* NULL: all weights of the net; else those it accepts by name */
    void *user;
} cru_optim_group;

typedef struct cru_optim cru_optim;
CRU_API cru_optim *cru_optim_create(cru_ctx *ctx, const cru_optim_spec *spec);

/* Takes the weights of a net as a group; a weight already taken stays in its first group. `group` may be NULL. */
CRU_API void cru_optim_add(cru_optim *optim, cru_net *net, const cru_optim_group *group);

CRU_API void cru_optim_step(cru_optim *optim);

CRU_API void cru_optim_set_lr(cru_optim *optim, double lr);
CRU_API double cru_optim_lr(const cru_optim *optim);

/* Scales all gradients so that their joint Euclidean norm is at most `limit`; returns the norm before. */
CRU_API double cru_optim_clip(cru_optim *optim, double limit);

/* ---- schedules -------------------------------------------------------------------------------------------------- */

/* PyTorch's ReduceLROnPlateau with relative threshold; zero it, set the first five, feed it a value per epoch. */
typedef struct cru_plateau {
    double factor, threshold, min_lr;
    int64_t patience;
    bool maximise;
    double best;
    int64_t bad;
    bool started;
} cru_plateau;
CRU_API double cru_plateau_step(cru_plateau *plateau, double lr, double value);

#ifdef __cplusplus
}
#endif
#endif
