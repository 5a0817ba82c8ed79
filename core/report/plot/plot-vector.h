// SPDX-License-Identifier: Apache-2.0
/* plot-vector.h: a vector or matrix that metrics, corruptors or methods reported, as numbers to draw. */
#ifndef CORE_REPORT_PLOT_VECTOR_H
#define CORE_REPORT_PLOT_VECTOR_H

#include "report/plot/plot-data.h"
#include "report/table/frame.h"

/* The mean over the frame's trials of the vector of that name ("uniform.transition", or its last part alone). One whose
 * length is a square is a matrix. The caller destroys it. CRU_BAD_INPUT: no trial has it (the message names those there
 * are), or their lengths differ. */
cru_status plot_vector_read(store *s, int64_t experiment, const frame *f, const char *name, plot_data **out,
                            cru_error *err);

#endif
