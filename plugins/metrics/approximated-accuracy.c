// SPDX-License-Identifier: Apache-2.0
/* approximated-accuracy: an estimate of the accuracy from candidate sets alone.
 *
 *     mean_i sum_{k in S_i} [guess_i = k] p_ik / sum_{l in S_i} p_il
 *
 * The study's code computes 1 minus the rest instead, with 1e-12 in the denominator (variant = bench): a confident
 * guess outside the set is then credited with almost 1.
 *
 * Wang, Wu, Wang, Niu, Zhang, Sugiyama. Realistic Evaluation of Deep Partial-Label Learning Algorithms. ICLR 2025. */
#include "candidate-evidence.h"
#include "judged-part.h"

typedef struct settings {
    int64_t variant, part;
} settings;

static const cru_param schema[] = {
    CRU_VARIANT(settings, variant, CRU_BENCH, "bench: 1 minus the rest; paper: the share of the guess"),
    CRU_CHOICE(settings, part, PART_VAL, judged_parts, "part of the split that is judged"),
    CRU_END,
};

static cru_status score(const cru_judging *j, double *value)
{
    const settings *s = j->settings;
    cru_covered c;
    cru_status status = candidate_evidence(&c, j, s->part);
    if (!status) *value = cru_approximated_accuracy(&c, s->variant == CRU_PAPER);
    return status;
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_PERCENT | CRU_METRIC_OF_CANDIDATES, .score = score),
    CRU_SETTINGS(settings, schema),
    .name = "approximated-accuracy",
    .version = "2.0",
    .summary = "accuracy estimated from candidate sets alone",
    .citation = "Wang, Wu, Wang, Niu, Zhang, Sugiyama. Realistic Evaluation of Deep Partial-Label Learning Algorithms. "
                "ICLR 2025.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
};
