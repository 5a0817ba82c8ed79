// SPDX-License-Identifier: Apache-2.0
/* noise-source.h: where the random numbers of a corruptor come from: the stream that the host lends, or NumPy's legacy
 * generator, to repeat the damage of a published study bit for bit. */
#ifndef CORRUPTORS_NOISE_SOURCE_H
#define CORRUPTORS_NOISE_SOURCE_H

#include <crucible/mt19937.h>
#include <crucible/plugin.h>

typedef struct noise_rng {
    int64_t generator; /* 0: philox, 1: numpy */
    int64_t base;      /* numpy is seeded with base + the trial's seed */
} noise_rng;

extern const cru_param noise_rng_params[]; /* keys rng and base; for CRU_GROUP */

typedef struct noise_source {
    bool numpy;
    cru_rng philox;
    cru_mt mt;
    uint32_t seed;
} noise_source;

/* CRU_BAD_INPUT when NumPy's generator would need a seed of more than 32 bits. The host's stream is copied, so it is
 * the caller's business that one source is enough. */
cru_status noise_source_create(noise_source *source, const noise_rng *settings, const cru_data *data,
                               const cru_rng *rng, cru_error *err);

/* NumPy's generator starts again from its seed, as the study seeds it for every purpose; ours goes on. */
void noise_source_restart(noise_source *source);

double noise_source_uniform(noise_source *source);
double noise_source_normal(noise_source *source);

/* One of `classes` numbers with the probabilities `p`, which sum to 1: NumPy's multinomial(1, p). */
int32_t noise_source_class(noise_source *source, const double *p, int32_t classes);

/* The same law from a single uniform number, by search in the running sums: NumPy's choice(classes, p=p). */
int32_t noise_source_choice(noise_source *source, const double *p, int32_t classes);

#endif
