// SPDX-License-Identifier: Apache-2.0
/* base-data.h: the dataset that a generator builds on. A plugin with a string setting `base` gets the dataset of that
 * name from the host, as a memory image in the file of role "base". */
#ifndef FORMATS_BASE_DATA_H
#define FORMATS_BASE_DATA_H

#include <crucible/plugin.h>

/* Maps the base; the caller destroys it. CRU_BAD_INPUT: there is none, or it is not a labelled dataset with
 * features. */
cru_status base_open(const cru_source *source, cru_data **base, cru_error *err);

/* base_open for any dataset: of graphs or rows, with features or without. */
cru_status base_open_any(const cru_source *source, cru_data **base, cru_error *err);

/* Fills `data` with a copy of all that the base has, but for its official splits: items may be about to lose their
 * labels. */
cru_status base_copy(const cru_data *base, cru_data *data, cru_error *err);

/* data->x = the rows rows[0 .. data->nodes-1] of the base's features, dense or sparse as they are. */
cru_status base_copy_rows(const cru_data *base, const int32_t *rows, cru_data *data, cru_error *err);

#endif
