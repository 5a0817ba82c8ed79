// SPDX-License-Identifier: Apache-2.0
/* draw.h: from the coordinates of a search to an algorithm's settings. */
#ifndef CORE_SEARCH_DRAW_H
#define CORE_SEARCH_DRAW_H

#include "search/space.h"

/* Coordinates of the settings that the variant has before anything is drawn, one for each of its axes. */
void draw_defaults(const variant *base, double *coordinates);

/* The variant with the point's values for its axes, or, when `point` is NULL, with those that it has. Belongs to the
 * experiment. Fails as experiment_draw does. */
cru_status draw_variant(experiment *e, const variant *base, const double *point, const variant **out, cru_error *err);

#endif
