// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/draft/mt19937.h>
#include <crucible/study-rng.h>

#include "random/md5.h"

const char *const cru_study_generators[] = {"philox", "study", "numpy", "python", "torch", NULL};

uint32_t cru_study_hash(const char *text)
{
    uint8_t sum[MD5_BYTES];
    md5_bytes(text, strlen(text), sum);
    uint32_t last = (uint32_t)sum[12] << 24 | (uint32_t)sum[13] << 16 | (uint32_t)sum[14] << 8 | sum[15];
    return last & 0x7fffffffu;
}

static uint64_t hashed_seed(uint64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "(%llu,)", (unsigned long long)number);
    return cru_study_hash(text);
}

/* base + step * number, or the number itself without a base. */
static bool linear_seed(int64_t base, int64_t step, uint64_t number, uint64_t *seed)
{
    uint64_t more = 0;
    *seed = number;
    if (base < 0) return true;
    return !__builtin_mul_overflow((uint64_t)step, number, &more) &&
           !__builtin_add_overflow((uint64_t)base, more, seed);
}

static cru_status find_seed(cru_study_rng *rng, const cru_study_draw *draw, cru_error *err)
{
    const cru_study_settings *s = draw->settings;
    int64_t base = s->base, step = s->step;
    if (s->rng == CRU_STUDY_OWN && base < 0) {
        base = draw->study->base;
        step = draw->study->step;
        if (base == CRU_STUDY_UNKNOWN)
            return cru_fail(err, CRU_UNSUPPORTED,
                            "its study's seeds are not one for all datasets or are lost; give rng and base, or leave "
                            "rng = philox");
    }
    if (base == CRU_STUDY_HASHED)
        rng->seed = hashed_seed(draw->number);
    else if (!linear_seed(base, step, draw->number, &rng->seed))
        rng->seed = UINT64_MAX;
    if (rng->kind != CRU_STUDY_PHILOX && rng->seed > UINT32_MAX)
        return cru_fail(err, CRU_BAD_INPUT, "%s takes seeds up to 4294967295; base %lld and seed %llu exceed it",
                        cru_study_generators[rng->kind], (long long)base, (unsigned long long)draw->number);
    return CRU_OK;
}

cru_status cru_study_rng_create(cru_study_rng *rng, const cru_study_draw *draw, cru_error *err)
{
    const cru_study_generator asked = (cru_study_generator)draw->settings->rng;
    *rng = (cru_study_rng){.kind = asked == CRU_STUDY_OWN ? draw->study->generator : asked, .stream = *draw->stream};
    cru_status status = find_seed(rng, draw, err);
    if (!status) cru_study_rng_restart(rng);
    return status;
}

void cru_study_rng_restart(cru_study_rng *rng)
{
    cru_study_rng_reseed(rng, rng->seed, rng->stream);
}

void cru_study_rng_reseed(cru_study_rng *rng, uint64_t seed, cru_rng stream)
{
    rng->seed = seed;
    rng->stream = stream;
    if (rng->kind == CRU_STUDY_PYTHON)
        cru_mt_seed_python(&rng->mt, seed);
    else if (rng->kind != CRU_STUDY_PHILOX)
        cru_mt_seed(&rng->mt, (uint32_t)seed);
}

bool cru_study_rng_repeats(const cru_study_rng *rng)
{
    return rng->kind != CRU_STUDY_PHILOX;
}

/* torch permutes positions; a shuffle is that permutation applied to the ids. */
static void torch_shuffle(cru_mt *mt, int32_t *ids, int64_t count)
{
    int32_t *order = malloc((size_t)(count ? count : 1) * 2 * sizeof *order), *old = order ? order + count : NULL;
    if (!order) cru_panic(CRU_NO_MEMORY, "no memory to shuffle %lld ids", (long long)count);
    cru_mt_torch_permutation(mt, order, count);
    memcpy(old, ids, (size_t)count * sizeof *old);
    for (int64_t i = 0; i < count; i++) ids[i] = old[order[i]];
    free(order);
}

void cru_study_rng_shuffle(cru_study_rng *rng, int32_t *ids, int64_t count)
{
    switch (rng->kind) {
    case CRU_STUDY_NUMPY:
        cru_mt_shuffle(&rng->mt, ids, count);
        break;
    case CRU_STUDY_PYTHON:
        cru_mt_python_shuffle(&rng->mt, ids, count);
        break;
    case CRU_STUDY_TORCH:
        torch_shuffle(&rng->mt, ids, count);
        break;
    default:
        cru_rng_shuffle(&rng->stream, ids, count);
        break;
    }
}

double cru_study_rng_uniform(cru_study_rng *rng)
{
    return cru_study_rng_repeats(rng) ? cru_mt_uniform(&rng->mt) : cru_rng_uniform(&rng->stream);
}

double cru_study_rng_normal(cru_study_rng *rng)
{
    return cru_study_rng_repeats(rng) ? cru_mt_normal(&rng->mt) : cru_rng_normal(&rng->stream);
}

int32_t cru_study_rng_class(cru_study_rng *rng, const double *p, int32_t classes)
{
    if (cru_study_rng_repeats(rng)) return cru_mt_multinomial(&rng->mt, p, classes);
    return (int32_t)cru_rng_categorical(&rng->stream, p, classes);
}

int32_t cru_study_rng_choice(cru_study_rng *rng, const double *p, int32_t classes)
{
    if (cru_study_rng_repeats(rng)) return cru_mt_categorical(&rng->mt, p, classes);
    return (int32_t)cru_rng_categorical(&rng->stream, p, classes);
}
