// SPDX-License-Identifier: Apache-2.0
/* preprocess.h: the steps of data_preprocess. Each makes new arrays in the data's memory: the old ones may be the
 * pages of a cached image. */
#ifndef CORE_DATA_PREPROCESS_H
#define CORE_DATA_PREPROCESS_H

#include "data/data.h"

typedef enum relation_rule { RELATIONS_KEEP, RELATIONS_MERGE } relation_rule;
typedef enum direction_rule { DIRECTION_AS_IS, DIRECTION_SYMMETRISE, DIRECTION_REVERSE } direction_rule;
typedef enum loop_rule { LOOPS_AS_IS, LOOPS_REMOVE, LOOPS_ADD } loop_rule;
typedef enum degree_rule { DEGREE_NONE, DEGREE_EXACT, DEGREE_DOUBLED, DEGREE_CONSTANT } degree_rule;
typedef enum feature_rule {
    FEATURES_NONE,
    FEATURES_ROW_SUM,
    FEATURES_L1,
    FEATURES_STANDARDISE,
    FEATURES_MIN_MAX,
    FEATURES_BINARY
} feature_rule;

/* preprocess-graph.c. Direction and removal of loops act on the relations too; loops are added to the merged graph
 * only. */
void preprocess_direction(cru_data *data, direction_rule rule);
void preprocess_loops(cru_data *data, loop_rule rule);
cru_status preprocess_largest_component(cru_data *data, cru_error *err);
cru_status preprocess_remove_isolated(cru_data *data, cru_error *err);

/* Some rows of the features, in that order. */
cru_features features_rows(const cru_features *x, cru_ids rows, cru_pool pool);

/* preprocess-features.c */
cru_status preprocess_degrees(cru_data *data, degree_rule rule, cru_error *err);

typedef struct scaling {
    feature_rule rule;
    double epsilon;
    int64_t ddof;
} scaling;
cru_status preprocess_scale(cru_data *data, const scaling *s, cru_error *err);

#endif
