// SPDX-License-Identifier: Apache-2.0
#include "data/preprocess.h"

static const char *const relation_rules[] = {"keep", "merge", NULL};
static const char *const direction_rules[] = {"as-is", "symmetrise", "reverse", NULL};
static const char *const loop_rules[] = {"as-is", "remove", "add", NULL};
static const char *const degree_rules[] = {"none", "exact", "doubled", "constant", NULL};
static const char *const feature_rules[] = {"none", "row-sum", "l1", "standardise", "min-max", "binary", NULL};

const cru_param preprocess_params[] = {
    CRU_CHOICE(preprocess_settings, relations, RELATIONS_KEEP, relation_rules,
               "keep the relations apart, or use their union only"),
    CRU_CHOICE(preprocess_settings, direction, DIRECTION_AS_IS, direction_rules, "what becomes of directed edges"),
    CRU_CHOICE(preprocess_settings, self_loops, LOOPS_AS_IS, loop_rules, "edges from a node to itself"),
    CRU_BOOL(preprocess_settings, largest_component, false, "keep the largest connected component only"),
    CRU_BOOL(preprocess_settings, remove_isolated, false, "drop nodes without neighbours"),
    CRU_CHOICE(preprocess_settings, degree_features, DEGREE_NONE, degree_rules,
               "replace the features by a one-hot code of the degree; doubled: as IGL-Bench codes it; constant: by "
               "a 1 that all nodes share"),
    CRU_CHOICE(preprocess_settings, features, FEATURES_NONE, feature_rules,
               "scaling of the features; binary: positive numbers become 1"),
    CRU_FLOAT(preprocess_settings, epsilon, -1, -1, 1, "added to divisors; -1: 1e-12, for standardise 1e-6"),
    CRU_INT(preprocess_settings, ddof, 0, 0, 1, "standardise divides squared deviations by rows - ddof"),
    CRU_END,
};

static cru_status check_steps(const preprocess_settings *s, const cru_data *data, cru_error *err)
{
    bool graph_step =
        s->direction != DIRECTION_AS_IS || s->self_loops != LOOPS_AS_IS || s->degree_features != DEGREE_NONE;
    bool node_step = s->largest_component || s->remove_isolated;
    if (data->problem == CRU_ROWS && (graph_step || node_step))
        return cru_fail(err, CRU_UNSUPPORTED, "preprocess: a dataset of rows has no graph to change");
    if (data->problem == CRU_GRAPHS && node_step)
        return cru_fail(err, CRU_UNSUPPORTED, "preprocess: nodes are removed only where nodes are the items");
    return CRU_OK;
}

cru_status data_preprocess(const preprocess_settings *s, cru_data *data, cru_error *err)
{
    cru_status status = check_steps(s, data, err);
    if (status) return status;
    if (s->relations == RELATIONS_MERGE) {
        data->relations = NULL;
        data->relation_count = 0;
    }
    preprocess_direction(data, (direction_rule)s->direction);
    preprocess_loops(data, (loop_rule)s->self_loops);
    if (s->largest_component) status = preprocess_largest_component(data, err);
    if (!status && s->remove_isolated) status = preprocess_remove_isolated(data, err);
    if (!status) status = preprocess_degrees(data, (degree_rule)s->degree_features, err);
    scaling how = {(feature_rule)s->features, s->epsilon, s->ddof};
    if (how.epsilon < 0) how.epsilon = how.rule == FEATURES_STANDARDISE ? 1e-6 : 1e-12;
    if (!status) status = preprocess_scale(data, &how, err);
    return status;
}
