// SPDX-License-Identifier: Apache-2.0
#include "noise-source.h"

static const char *const generators[] = {"philox", "numpy", NULL};

const cru_param noise_rng_params[] = {
    {.key = "rng",
     .type = CRU_PARAM_CHOICE,
     .offset = offsetof(noise_rng, generator),
     .number = 0,
     .choices = generators,
     .help = "philox: the trial's own stream; numpy: the legacy generator of the published study"},
    CRU_INT(noise_rng, base, 3000, 0, UINT32_MAX, "numpy is seeded with base + the trial's seed"),
    CRU_END,
};

cru_status noise_source_create(noise_source *source, const noise_rng *settings, const cru_data *data,
                               const cru_rng *rng, cru_error *err)
{
    *source = (noise_source){.numpy = settings->generator == 1, .philox = *rng};
    if (!source->numpy) return CRU_OK;
    if (data->seed > UINT32_MAX - (uint64_t)settings->base)
        return cru_fail(err, CRU_BAD_INPUT, "numpy takes seeds up to 4294967295; base %lld and seed %llu exceed it",
                        (long long)settings->base, (unsigned long long)data->seed);
    source->seed = (uint32_t)((uint64_t)settings->base + data->seed);
    noise_source_restart(source);
    return CRU_OK;
}

void noise_source_restart(noise_source *source)
{
    if (source->numpy) cru_mt_seed(&source->mt, source->seed);
}

double noise_source_uniform(noise_source *source)
{
    return source->numpy ? cru_mt_uniform(&source->mt) : cru_rng_uniform(&source->philox);
}

double noise_source_normal(noise_source *source)
{
    return source->numpy ? cru_mt_normal(&source->mt) : cru_rng_normal(&source->philox);
}

int32_t noise_source_class(noise_source *source, const double *p, int32_t classes)
{
    if (source->numpy) return cru_mt_multinomial(&source->mt, p, classes);
    return (int32_t)cru_rng_categorical(&source->philox, p, classes);
}

int32_t noise_source_choice(noise_source *source, const double *p, int32_t classes)
{
    if (source->numpy) return cru_mt_categorical(&source->mt, p, classes);
    return (int32_t)cru_rng_categorical(&source->philox, p, classes);
}
