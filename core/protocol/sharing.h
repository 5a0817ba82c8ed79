// SPDX-License-Identifier: Apache-2.0
/* sharing.h: which trials one training can serve. */
#ifndef CORE_RUNNER_SHARING_H
#define CORE_RUNNER_SHARING_H

#include "config/config.h"

/* Whether a training under this rule takes its course whatever the rule finds: it never says stop. */
bool rule_only_watches(const monitor_settings *rule);

/* Whether two trials differ in nothing but their selection rules, both only watch the same epochs, and all items are
 * seen from the start. Then both have the same training, and what each would have kept alone can be kept side by
 * side. */
bool trials_share_training(const trial *a, const trial *b);

/* Whether two trials are of one problem: dataset, preprocessing, split, damage and seed. */
bool trials_share_problem(const trial *a, const trial *b);

#endif
