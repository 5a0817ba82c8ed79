// SPDX-License-Identifier: Apache-2.0
/* study-rng.h: random numbers as a published study drew them, or our own, by the experiment's choice.
 *
 * A split or a damage that a study published can be repeated to the last item only with the study's generator and seed.
 * Such a plugin takes three settings, which are the same everywhere,
 *
 *     rng    philox: the trial's own stream; numpy, python, torch: that library's generator; study: the study's own
 *     base   the generator's seed is base + step * (the trial's seed); -1: the study's seeds, or the trial's seed itself
 *     step   see base
 *
 * and draws from a cru_study_rng without asking which of them it is:
 *
 *     static const cru_study noisygl = {.generator = CRU_STUDY_NUMPY, .base = 3000};
 *     cru_study_rng rng;
 *     cru_status status = cru_study_rng_create(&rng, &(cru_study_draw){&s->rng, &noisygl, d->seed, d->rng}, d->err);
 *     cru_study_rng_shuffle(&rng, ids, n);
 */
#ifndef CRUCIBLE_STUDY_RNG_H
#define CRUCIBLE_STUDY_RNG_H

#include <crucible/mt19937.h>
#include <crucible/params.h>
#include <crucible/random.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cru_study_generator {
    CRU_STUDY_PHILOX, /* our own; the default */
    CRU_STUDY_OWN,    /* the one that the study used */
    CRU_STUDY_NUMPY,  /* numpy.random.RandomState */
    CRU_STUDY_PYTHON, /* random */
    CRU_STUDY_TORCH,  /* torch, on the CPU */
} cru_study_generator;

CRU_API extern const char *const cru_study_generators[]; /* the words of `rng`: philox, study, numpy, python, torch */

typedef struct cru_study_settings {
    int64_t rng; /* cru_study_generator */
    int64_t base, step;
} cru_study_settings;

/* Three lines of a schema: keys rng, base and step of a member of type cru_study_settings, with these defaults. */
#define CRU_STUDY_RNG_SETTINGS(type_, member_, base_, step_)                                                           \
    {.key = "rng",                                                                                                     \
     .type = CRU_PARAM_CHOICE,                                                                                         \
     .offset = offsetof(type_, member_.rng),                                                                           \
     .number = CRU_STUDY_PHILOX,                                                                                       \
     .choices = cru_study_generators,                                                                                  \
     .help = "generator; philox: our own; study: that of the published study, with its seeds"},                        \
        {.key = "base",                                                                                                \
         .type = CRU_PARAM_INT,                                                                                        \
         .offset = offsetof(type_, member_.base),                                                                      \
         .number = (base_),                                                                                            \
         .min = -1,                                                                                                    \
         .max = 4294967295.0,                                                                                          \
         .help = "seed of the generator is base + step * seed; -1: the study's, else the trial's seed"},               \
    {                                                                                                                  \
        .key = "step", .type = CRU_PARAM_INT, .offset = offsetof(type_, member_.step), .number = (step_), .min = 0,    \
        .max = 1e6, .help = "see base"                                                                                 \
    }

#define CRU_STUDY_UNKNOWN (-1) /* its seeds were never published, or are not one for all datasets */
#define CRU_STUDY_HASHED  (-2) /* seed t is cru_study_hash of "(t,)" */

/* What a study drew with: the generator, and the seeds base + step * t, or one of the two above as the base. */
typedef struct cru_study {
    cru_study_generator generator; /* numpy, python or torch */
    int64_t base, step;
} cru_study;

/* A value; a copy continues independently. */
typedef struct cru_study_rng {
    cru_study_generator kind; /* never CRU_STUDY_OWN */
    uint64_t seed;            /* that the generator was started from */
    cru_rng stream;
    cru_mt mt;
} cru_study_rng;

/* What decides the numbers. */
typedef struct cru_study_draw {
    const cru_study_settings *settings;
    const cru_study *study; /* what rng = study means */
    uint64_t number;        /* of the trial: its seed */
    const cru_rng *stream;  /* what rng = philox draws from; it is copied */
} cru_study_draw;

/* Starts a generator. CRU_UNSUPPORTED: the study's seeds are unknown; CRU_BAD_INPUT: the seed has more than 32 bits. */
CRU_API cru_status cru_study_rng_create(cru_study_rng *rng, const cru_study_draw *draw, cru_error *err);

/* A library's generator starts again from its seed, as studies do for every purpose; our own goes on. */
CRU_API void cru_study_rng_restart(cru_study_rng *rng);

/* Likewise from another seed; our own continues with `stream`. */
CRU_API void cru_study_rng_reseed(cru_study_rng *rng, uint64_t seed, cru_rng stream);

/* Whether the numbers are those of a library. */
CRU_API bool cru_study_rng_repeats(const cru_study_rng *rng);

CRU_API void cru_study_rng_shuffle(cru_study_rng *rng, int32_t *ids, int64_t count);
CRU_API double cru_study_rng_uniform(cru_study_rng *rng); /* [0, 1) */
CRU_API double cru_study_rng_normal(cru_study_rng *rng);  /* of mean 0 and deviation 1: NumPy's legacy law */

/* One of `classes` numbers with the probabilities `p`, which sum to 1: NumPy's multinomial(1, p). */
CRU_API int32_t cru_study_rng_class(cru_study_rng *rng, const double *p, int32_t classes);

/* cru_study_rng_class from a single uniform number, by search in the running sums: NumPy's choice(classes, p=p). */
CRU_API int32_t cru_study_rng_choice(cru_study_rng *rng, const double *p, int32_t classes);

/* A seed made of a text, such as that of the Python tuple "(3, 1)": its MD5 as a big-endian number modulo 2^31. */
CRU_API uint32_t cru_study_hash(const char *text);

#ifdef __cplusplus
}
#endif
#endif
