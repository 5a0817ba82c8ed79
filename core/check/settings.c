// SPDX-License-Identifier: Apache-2.0
/* Settings of a plugin, one at a time at the limits of its own schema. Failing with a message is fine there, and so is
 * taking too long or too much memory; crashing is not. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "check/suites.h"
#include "check/trial.h"

enum { VALUES_MAX = 64, VALUE_SIZE = 64 };

typedef struct value_set {
    char text[VALUES_MAX][VALUE_SIZE];
    int count;
} value_set;

static void add_number(value_set *values, cru_param_type type, double number)
{
    if (isfinite(number))
        snprintf(values->text[values->count++], VALUE_SIZE, type == CRU_PARAM_INT ? "%.0f" : "%.17g", number);
}

/* Both ends of a range, both truths, all choices. Texts and lists have no limits to try. */
static void list_values(const cru_param *param, value_set *values)
{
    values->count = 0;
    switch (param->type) {
    case CRU_PARAM_INT:
    case CRU_PARAM_FLOAT:
        add_number(values, param->type, param->min);
        if (param->max != param->min) add_number(values, param->type, param->max);
        break;
    case CRU_PARAM_BOOL:
        snprintf(values->text[values->count++], VALUE_SIZE, "%s", param->number != 0 ? "false" : "true");
        break;
    case CRU_PARAM_CHOICE:
        for (int i = 0; param->choices[i] && i < VALUES_MAX; i++)
            if (i != (int)param->number) snprintf(values->text[values->count++], VALUE_SIZE, "%s", param->choices[i]);
        break;
    default:
        break;
    }
}

/* The first kind that the plugin claims, in a form that it is likely to accept. */
static const tiny_problem *typical_problem(uint32_t problems)
{
    const tiny_problem *p = tiny_problems;
    while (!(p->problem & problems)) p++;
    return p;
}

/* One row per setting: the worst of its values. */
static void run_setting(suite *s, const cru_param *param, trial_plan *plan, case_body *body)
{
    value_set values;
    verdict worst = {0};
    char name[100];
    list_values(param, &values);
    if (!values.count) return;
    snprintf(name, sizeof name, "settings, %s", param->key);
    plan->key = param->key;
    for (int i = 0; i < values.count; i++) {
        plan->value = values.text[i];
        verdict v = case_try(s, &(check_case){.name = name, .body = body, .user = plan, .edge = true});
        if (v.state > worst.state) verdict_set(&worst, v.state, "%s = %s: %.300s", param->key, plan->value, v.text);
    }
    suite_add_row(s, name, &worst);
}

void suite_settings(suite *s, case_body *body)
{
    trial_plan plan = {.seed = 1, .threads = 1, .epochs = 1};
    if (s->plugin->problems) plan.problem = typical_problem(s->plugin->problems);
    for (const cru_param *param = s->plugin->params; param && param->type != CRU_PARAM_END; param++)
        run_setting(s, param, &plan, body);
}
