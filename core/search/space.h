// SPDX-License-Identifier: Apache-2.0
/* space.h: the values that one setting may take in a search.
 *
 * A search thinks in *coordinates*, in which every distribution is flat: the number of a listed value, log10 of a value
 * on a logarithmic scale, the exponent of a power of 2, the value itself elsewhere. */
#ifndef CORE_SEARCH_SPACE_H
#define CORE_SEARCH_SPACE_H

#include "config/config.h"

/* What its draws are seeded by. */
const char *axis_name(const search_axis *axis);

/* Values of a list, or of a choice; 0: the axis is an interval. Coordinates of a list are 0 .. levels - 1. */
int64_t axis_levels(const search_axis *axis);

/* Ends of the coordinates of an interval. Whole numbers reach half a step beyond the first and the last one, so that
 * all are equally likely; powers of 2 end before the upper bound. */
typedef struct axis_range {
    double low, high;
} axis_range;
axis_range axis_bounds(const search_axis *axis);

/* Where `share` of the axis (0 <= share < 1) ends. */
double axis_at_share(const search_axis *axis, double share);

/* Points that a grid has on the axis: all values of a list, all powers of 2, `points` equal steps from end to end
 * elsewhere, or all whole numbers when they are fewer; and the coordinate of point `index`. */
int64_t axis_grid_size(const search_axis *axis, int64_t points);
double axis_grid_at(const search_axis *axis, int64_t points, int64_t index);

/* The value as an INI file would have it. */
#define AXIS_TEXT_SIZE 64
void axis_text(const search_axis *axis, double coordinate, char text[AXIS_TEXT_SIZE]);

/* The coordinate of a value, moved to the nearest end when it is outside; NAN: a value that is not in the list. */
double axis_coordinate(const search_axis *axis, const char *text);

#endif
