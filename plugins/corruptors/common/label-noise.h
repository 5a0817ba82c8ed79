// SPDX-License-Identifier: Apache-2.0
/* label-noise.h: labels redrawn by a transition matrix.
 *
 *     P(label = j | label before = i) = P_ij      rows sum to 1
 *
 * The corruptors uniform, pair, asymmetric and transition-matrix differ only in how they fill P; in instance and
 * structural every item has a distribution of its own. */
#ifndef CORRUPTORS_LABEL_NOISE_H
#define CORRUPTORS_LABEL_NOISE_H

#include <crucible/plugin.h>
#include <crucible/study-rng.h>

/* Which labels are redrawn. */
typedef enum noise_where { NOISE_TRAIN = 0, NOISE_TRAIN_VAL, NOISE_ALL } noise_where;
extern const char *const noise_where_names[]; /* "train", "train+val", "all", NULL */

typedef struct label_noise {
    int64_t where;
    cru_study_settings rng;
} label_noise;

extern const cru_param label_noise_params[]; /* keys where, rng, base, step; for CRU_GROUP */

enum { LABEL_NOISE_PROBLEMS = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS };

/* The settings of noise that is told by its rate alone. */
typedef struct rate_noise {
    label_noise noise; /* first */
    double rate;
} rate_noise;

extern const cru_param rate_noise_params[];

typedef struct noise_matrix {
    const cru_damage *damage;
    cru_study_rng source;
    int32_t classes;
    double *p; /* classes x classes */
} noise_matrix;

/* A matrix of zeros to be filled, with numbers from `source` where it is drawn. The corruptor's settings begin with a
 * label_noise. Refuses candidate sets and single classes. */
cru_status noise_matrix_start(noise_matrix *m, const cru_damage *d);

/* Draws a label for every item in order, and keeps it where the settings say, so that an item's new label does not
 * depend on who else is in the training part. Reports `noise_rate`, the share of those items whose label now differs
 * from the truth, `confusion`, the counts of truth x label among them, and `transition`, the matrix (both up to 100
 * classes). */
cru_status noise_matrix_apply(noise_matrix *m);

/* ---- for noise that no matrix describes -------------------------------------------------------------------------- */

/* Checks the data and starts the generator, as noise_matrix_start does. */
cru_status label_noise_start(const label_noise *s, const cru_damage *d, cru_study_rng *source);

/* The new label of an item. Called for every labelled item in order. */
typedef int32_t noise_draw(void *user, cru_study_rng *source, int64_t item, int32_t label);

typedef struct noise_drawing {
    cru_study_rng *source;
    noise_draw *draw;
    void *user;
} noise_drawing;

/* Redraws, keeps and reports as noise_matrix_apply does. */
void label_noise_redraw(const label_noise *s, const cru_damage *d, const noise_drawing *by);

/* A mark for every item that `where` names; in memory of the data. */
uint8_t *noise_chosen_items(cru_data *data, noise_where where);

/* The two numbers above, for corruptors that choose labels in another way. */
void noise_report_labels(const cru_data *data, const uint8_t *chosen, cru_report *report);

#endif
