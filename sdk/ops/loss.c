// SPDX-License-Identifier: Apache-2.0
/* Losses made of other operators. */
#include <math.h>

#include <crucible/draft/ops-loss.h>
#include <crucible/ops-loss.h>

#include "autograd/tape.h"

/* ---- distributions --------------------------------------------------------------------------------------- */

cru_tensor *cru_soft_cross_entropy_each(cru_tape *t, cru_tensor *logits, cru_tensor *q)
{
    return cru_neg(t, cru_sum(t, cru_mul(t, q, cru_log_softmax(t, logits, 1)), 1));
}

cru_tensor *cru_soft_cross_entropy(cru_tape *t, cru_tensor *logits, cru_tensor *q)
{
    return cru_mean(t, cru_soft_cross_entropy_each(t, logits, q), CRU_ALL);
}

/* The clamp makes 0 log 0 = 0 with a finite gradient. */
cru_tensor *cru_kl_each(cru_tape *t, cru_tensor *p, cru_tensor *log_q)
{
    cru_tensor *log_p = cru_log(t, cru_clamp(t, p, 1e-37f, INFINITY));
    return cru_sum(t, cru_mul(t, p, cru_sub(t, log_p, log_q)), 1);
}

cru_tensor *cru_kl(cru_tape *t, cru_tensor *p, cru_tensor *log_q)
{
    return cru_mean(t, cru_kl_each(t, p, log_q), CRU_ALL);
}

cru_tensor *cru_js_logits(cru_tape *t, cru_tensor *a, cru_tensor *b)
{
    cru_tensor *p = cru_softmax(t, a, 1), *q = cru_softmax(t, b, 1);
    cru_tensor *log_middle = cru_log(t, cru_clamp(t, cru_lerp(t, p, q, 0.5f), 1e-37f, INFINITY));
    cru_tensor *second = cru_kl(t, q, log_middle);
    return cru_scale(t, cru_add(t, cru_kl(t, p, log_middle), second), 0.5);
}

/* ---- binary ---------------------------------------------------------------------------------------------- */

static cru_tensor *complement(cru_tape *t, cru_tensor *p)
{
    return cru_affine(t, p, -1, 1);
}

/* (1 - y) z + (1 + (w - 1) y) softplus(-z) */
cru_tensor *cru_bce_logits_each(cru_tape *t, cru_tensor *z, cru_tensor *y, cru_tensor *weight, double pos_weight)
{
    cru_tensor *linear = cru_mul(t, complement(t, y), z);
    cru_tensor *factor = cru_affine(t, y, pos_weight - 1, 1);
    cru_tensor *loss = cru_add(t, linear, cru_mul(t, factor, cru_softplus(t, cru_neg(t, z))));
    return weight ? cru_mul(t, loss, weight) : loss;
}

cru_tensor *cru_bce_logits(cru_tape *t, cru_tensor *z, cru_tensor *y, double pos_weight)
{
    return cru_mean(t, cru_bce_logits_each(t, z, y, NULL, pos_weight), CRU_ALL);
}

/* max(log p, -100) */
static cru_tensor *bounded_log(cru_tape *t, cru_tensor *p)
{
    return cru_clamp(t, cru_log(t, p), -100, INFINITY);
}

static void give(cru_tape *t, cru_tensor *x, cru_tensor *dx)
{
    tape_grad_give(t, x, dx->data);
}

/* The chain rule through the bounded logarithm would be 0 times infinity at p = 0 and p = 1, so the gradient is
 * PyTorch's: dp = (p - y) / max(p (1 - p), 1e-12), dy = log(1 - p) - log p. Nothing is recorded during backward. */
static void bce_backward(cru_tape *t, tape_node *n)
{
    cru_tensor *p = n->in[0], *y = n->in[1];
    cru_tensor dy = tape_shape(n->out->rank, n->out->dim);
    dy.data = n->out->grad;
    if (tape_needs(t, p)) {
        cru_tensor *spread = cru_clamp(t, cru_mul(t, p, complement(t, p)), 1e-12f, INFINITY);
        give(t, p, cru_mul(t, &dy, cru_div(t, cru_sub(t, p, y), spread)));
    }
    if (!tape_needs(t, y)) return;
    cru_tensor *log_p = bounded_log(t, p);
    give(t, y, cru_mul(t, &dy, cru_sub(t, bounded_log(t, complement(t, p)), log_p)));
}

static const tape_op bce_op = {.name = "bce", .backward = bce_backward};

cru_tensor *cru_bce(cru_tape *t, cru_tensor *p, cru_tensor *y)
{
    bool recording = cru_tape_record(t, false);
    cru_tensor *yes = cru_mul(t, y, bounded_log(t, p));
    cru_tensor *log_rest = bounded_log(t, complement(t, p));
    cru_tensor *no = cru_mul(t, complement(t, y), log_rest);
    cru_tensor *each = cru_neg(t, cru_add(t, yes, no));
    cru_tape_record(t, recording);
    return cru_mean(t, tape_emit_view(t, &bce_op, each, (cru_tensor *[]){p, y}, 2, 0).out, CRU_ALL);
}

/* ---- regression and ranking ------------------------------------------------------------------------------------- */

cru_tensor *cru_mse(cru_tape *t, cru_tensor *a, cru_tensor *b)
{
    return cru_mean(t, cru_square(t, cru_sub(t, a, b)), CRU_ALL);
}

cru_tensor *cru_mae(cru_tape *t, cru_tensor *a, cru_tensor *b)
{
    return cru_mean(t, cru_abs(t, cru_sub(t, a, b)), CRU_ALL);
}

cru_tensor *cru_margin_ranking(cru_tape *t, cru_tensor *a, cru_tensor *b, cru_tensor *sign, double margin)
{
    cru_tensor *gap = cru_mul(t, cru_detach(t, sign), cru_sub(t, a, b));
    return cru_mean(t, cru_relu(t, cru_affine(t, gap, -1, margin)), CRU_ALL);
}

/* ---- robust classification ------------------------------------------------------------------------------- */

/* log p_y of every chosen row */
static cru_tensor *log_prob_of_label(cru_tape *t, cru_tensor *logits, const cru_targets *targets)
{
    cru_targets plain = {.rows = targets->rows, .labels = targets->labels};
    return cru_neg(t, cru_cross_entropy_each(t, logits, &plain));
}

static cru_tensor *weighted_mean(cru_tape *t, cru_tensor *loss, const cru_targets *targets)
{
    cru_assert(!targets->class_weights && !targets->weights, "gce, focal: weights are not supported");
    return cru_mean(t, loss, CRU_ALL);
}

cru_tensor *cru_gce(cru_tape *t, cru_tensor *logits, const cru_targets *targets, double q)
{
    cru_assert(q > 0 && q <= 1, "gce: q = %g is not in (0, 1]", (double)q);
    cru_tensor *power = cru_exp(t, cru_scale(t, log_prob_of_label(t, logits, targets), q));
    return weighted_mean(t, cru_affine(t, power, -1 / q, 1 / q), targets);
}

cru_tensor *cru_focal(cru_tape *t, cru_tensor *logits, const cru_targets *targets, double gamma)
{
    cru_tensor *log_p = log_prob_of_label(t, logits, targets);
    cru_tensor *miss = cru_clamp(t, cru_affine(t, cru_exp(t, log_p), -1, 1), 1e-12f, 1);
    return weighted_mean(t, cru_neg(t, cru_mul(t, cru_pow(t, miss, gamma), log_p)), targets);
}
