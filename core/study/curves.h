// SPDX-License-Identifier: Apache-2.0
/* curves.h: tables of distances between curves, as frechet.h defines them. */
#ifndef CORE_STUDY_CURVES_H
#define CORE_STUDY_CURVES_H

#include "study/layout.h"

/* Fills the cells whose metric is "frechet M" with the distance between the curve of M on the cell's dataset and that
 * of the cell's method in the metric `curves`, over the levels of the setting `curve_over` (several with commas: the
 * first that a dataset has; "dataset.beta * 0.1" scales it). CRU_BAD_INPUT: no trial has such a setting or metric. */
cru_status layout_put_curves(const artefact_file *a, frame *f, layout *l, cru_error *err);

#endif
