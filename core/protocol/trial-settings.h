// SPDX-License-Identifier: Apache-2.0
/* trial-settings.h: a trial's settings under the names that reports pivot on (store.h). */
#ifndef CORE_RUNNER_TRIAL_SETTINGS_H
#define CORE_RUNNER_TRIAL_SETTINGS_H

#include "config/config.h"
#include "store/store.h"

typedef struct trial_settings {
    store_setting *items;
    int64_t count, space;
    char **owned; /* texts made for the list */
    int64_t owned_count, owned_space;
} trial_settings;

/* What the config says, not every default: algorithm, dataset, corruptor, seed, split, "<kind>.<key>" for each
 * given setting, and search.number where a setting of a search has draws of its own. Memory running out is a panic. */
void trial_settings_make(const trial *t, trial_settings *list);
void trial_settings_clear(trial_settings *list);

#endif
