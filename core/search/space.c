// SPDX-License-Identifier: Apache-2.0
#include "search/space.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *axis_name(const search_axis *axis)
{
    return axis->name ? axis->name : axis->param->key;
}

int64_t axis_levels(const search_axis *axis)
{
    if (axis->search.kind != CRU_SEARCH_ONE_OF) return 0;
    int64_t count = axis->search.count;
    if (count == 0 && axis->param->type == CRU_PARAM_BOOL) return 2;
    while (axis->search.count == 0 && axis->param->choices && axis->param->choices[count]) count++;
    return count;
}

static bool is_whole(const search_axis *axis)
{
    return axis->param->type == CRU_PARAM_INT;
}

axis_range axis_bounds(const search_axis *axis)
{
    double lo = axis->search.lo, hi = axis->search.hi;
    switch (axis->search.kind) {
    case CRU_SEARCH_LOG_UNIFORM:
        return (axis_range){log10(lo), log10(hi)};
    case CRU_SEARCH_UNIFORM:
        return is_whole(axis) ? (axis_range){ceil(lo) - 0.5, floor(hi) + 0.5} : (axis_range){lo, hi};
    case CRU_SEARCH_ONE_OF:
        return (axis_range){0, (double)axis_levels(axis)};
    default:
        return (axis_range){lo, hi};
    }
}

double axis_at_share(const search_axis *axis, double share)
{
    axis_range range = axis_bounds(axis);
    double at = range.low + (range.high - range.low) * share;
    return axis_levels(axis) ? floor(at) : at;
}

/* ---- grids ----------------------------------------------------------------------------------------------- */

int64_t axis_grid_size(const search_axis *axis, int64_t points)
{
    axis_range range = axis_bounds(axis);
    double span = range.high - range.low;
    if (axis_levels(axis)) return axis_levels(axis);
    if (axis->search.kind == CRU_SEARCH_POWER_OF_2) return (int64_t)fmax(ceil(range.high) - floor(range.low), 1);
    if (axis->search.kind == CRU_SEARCH_UNIFORM && is_whole(axis) && span < (double)points) return llround(span);
    return points;
}

double axis_grid_at(const search_axis *axis, int64_t points, int64_t index)
{
    axis_range range = axis_bounds(axis);
    if (axis_levels(axis)) return (double)index;
    if (axis->search.kind == CRU_SEARCH_POWER_OF_2) return floor(range.low) + (double)index;
    if (axis->search.kind == CRU_SEARCH_UNIFORM && is_whole(axis)) { /* ends at whole numbers */
        range.low += 0.5;
        range.high -= 0.5;
    }
    int64_t last = axis_grid_size(axis, points) - 1;
    return last > 0 ? range.low + (range.high - range.low) * (double)index / (double)last : range.low;
}

/* ---- values ---------------------------------------------------------------------------------------------- */

/* Rounding must not carry a value out of the distribution or of the parameter's range. */
static double clamped(const search_axis *axis, double value)
{
    if (axis->search.kind == CRU_SEARCH_UNIFORM || axis->search.kind == CRU_SEARCH_LOG_UNIFORM)
        value = fmin(fmax(value, axis->search.lo), axis->search.hi);
    if (is_whole(axis)) value = round(value);
    return fmin(fmax(value, axis->param->min), axis->param->max);
}

static double value_at(const search_axis *axis, double coordinate)
{
    switch (axis->search.kind) {
    case CRU_SEARCH_ONE_OF:
        return axis->search.count ? axis->search.values[(int64_t)coordinate] : coordinate;
    case CRU_SEARCH_LOG_UNIFORM:
        return clamped(axis, pow(10, coordinate));
    case CRU_SEARCH_POWER_OF_2:
        return clamped(axis, exp2(floor(coordinate)));
    default:
        return clamped(axis, coordinate);
    }
}

void axis_text(const search_axis *axis, double coordinate, char text[AXIS_TEXT_SIZE])
{
    double value = value_at(axis, coordinate);
    if (axis->param->type == CRU_PARAM_CHOICE)
        snprintf(text, AXIS_TEXT_SIZE, "%s", axis->param->choices[(int64_t)value]);
    else if (is_whole(axis) || axis->param->type == CRU_PARAM_BOOL)
        snprintf(text, AXIS_TEXT_SIZE, "%.0f", value);
    else
        snprintf(text, AXIS_TEXT_SIZE, "%.17g", value);
}

static double read_value(const cru_param *param, const char *text)
{
    if (param->type == CRU_PARAM_BOOL) return strcmp(text, "true") == 0;
    for (int64_t i = 0; param->type == CRU_PARAM_CHOICE && param->choices[i]; i++)
        if (strcmp(param->choices[i], text) == 0) return (double)i;
    return strtod(text, NULL);
}

static double listed(const search_axis *axis, double value)
{
    if (axis->search.count == 0) return value;
    for (int64_t i = 0; i < axis->search.count; i++)
        if (axis->search.values[i] == value) return (double)i;
    return NAN;
}

double axis_coordinate(const search_axis *axis, const char *text)
{
    double value = read_value(axis->param, text);
    axis_range range = axis_bounds(axis);
    if (axis->search.kind == CRU_SEARCH_ONE_OF) return listed(axis, value);
    if (axis->search.kind == CRU_SEARCH_LOG_UNIFORM) value = log10(value);
    if (axis->search.kind == CRU_SEARCH_POWER_OF_2) value = log2(value);
    return fmin(fmax(value, range.low), range.high);
}
