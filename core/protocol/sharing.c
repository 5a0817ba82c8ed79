// SPDX-License-Identifier: Apache-2.0
#include "protocol/sharing.h"

#include <string.h>

bool trials_share_problem(const trial *a, const trial *b)
{
    if (a->seed != b->seed || a->dataset != b->dataset || a->preprocess != b->preprocess || a->split != b->split ||
        a->chain_count != b->chain_count)
        return false;
    for (int32_t i = 0; i < a->chain_count; i++)
        if (a->chain[i] != b->chain[i]) return false;
    return true;
}

/* Settings that two searches drew are equal when their texts are. */
static bool same_method(const variant *a, const variant *b)
{
    return a == b || (a->plugin == b->plugin && strcmp(a->text, b->text) == 0);
}

bool rule_only_watches(const monitor_settings *rule)
{
    bool selects = rule->rule == MONITOR_VALIDATION || rule->rule == MONITOR_COVERING_RATE ||
                   rule->rule == MONITOR_APPROXIMATED_ACCURACY;
    return !rule->window && !(rule->patience && selects);
}

static monitor_settings rule_of(const trial *t)
{
    cru_settings *settings = variant_settings(t->monitor);
    monitor_settings rule = *(const monitor_settings *)cru_settings_struct(settings);
    cru_settings_destroy(settings);
    return rule;
}

bool trials_share_training(const trial *a, const trial *b)
{
    if (!trials_share_problem(a, b) || !same_method(a->algorithm, b->algorithm) || a->drawn != b->drawn ||
        trial_inductive(a, NULL))
        return false;
    monitor_settings x = rule_of(a), y = rule_of(b);
    return rule_only_watches(&x) && rule_only_watches(&y) && x.epochs == y.epochs && x.before_step == y.before_step;
}
