// SPDX-License-Identifier: Apache-2.0
/* plot-data.h: numbers of a file for pictures that no store holds the data of: embeddings, predictions, matrices, and
 * what `crucible stats --json` prints.
 *
 * CSV: a line of names, then lines of values. A column "class" (or "label") holds the class of every row, "name" the
 * row's name, "predicted M" the class that the method M gives it; all others are numbers. NPY: a matrix of numbers,
 * version 1 or 2, in C order. JSON: an object as `crucible stats --json` prints it, or an array of them. */
#ifndef CORE_REPORT_PLOT_DATA_H
#define CORE_REPORT_PLOT_DATA_H

#include <stddef.h>

#include <crucible/arena.h>

/* One class a row; ids are numbers of names in the order of first use. */
typedef struct plot_classes {
    const char *name; /* of the method, "" for the truth */
    int32_t *ids;
} plot_classes;

/* Items by class, or nodes by degree, of one dataset. */
typedef struct plot_histogram_data {
    const char *title, *what; /* "cora", "class" */
    int64_t count;
    const char **names;
    double *values;
} plot_histogram_data;

enum { PLOT_PREDICTIONS = 8, PLOT_HISTOGRAMS = 32 };

typedef struct plot_data {
    cru_arena *arena; /* holds all of it */
    const char *path;
    int64_t rows, cols;
    float *values;      /* rows x cols */
    const char **names; /* of the columns; NULL: the file has none */
    const char **row_names;
    plot_classes truth; /* ids NULL: no classes */
    plot_classes predictions[PLOT_PREDICTIONS];
    int32_t prediction_count;
    const char **class_names;
    int32_t class_count;
    plot_histogram_data histograms[PLOT_HISTOGRAMS];
    int32_t histogram_count;
} plot_data;

/* Reads a file by the end of its name; `labels` (may be NULL) names another one whose only column holds the classes.
 * The caller destroys it. CRU_IO, or CRU_BAD_INPUT with file and line. */
cru_status plot_data_read(const char *path, const char *labels, plot_data **out, cru_error *err);
void plot_data_destroy(plot_data *d);

/* plot_data_read of bytes in memory that a file of that name would hold. */
cru_status plot_data_parse(const char *path, const char *bytes, size_t size, plot_data **out, cru_error *err);

#endif
