// SPDX-License-Identifier: Apache-2.0
/* places.h: the folders of cards, mirror, downloads and cache; data.h says which and in which order. */
#ifndef CORE_DATA_PLACES_H
#define CORE_DATA_PLACES_H

#include "data/data.h"

/* The card folders in search order, NULL-terminated; free with places_free. NULL without memory. */
char **places_cards(const data_places *places);
void places_free(char **folders);

/* The folders in which `below` of the shared files may lie: beside the program, installed, in the source tree of a
 * program that was not installed. As above. */
char **places_shared(const char *below);

/* Each is to be freed. NULL: there is none (no mirror named, the cache switched off, no home folder). */
char *places_mirror(const data_places *places);
char *places_files(const data_places *places);
char *places_cache(const data_places *places);

/* CRU_BAD_INPUT when the folder of prepared data, which may not be there, holds anything else: what plugins of a judge may
 * change must be nobody's. Only its name tells what a file is. */
cru_status places_check_cache(const data_places *places, cru_error *err);

/* printf into fresh memory, to be freed; NULL without memory. */
char *places_format(const char *format, ...) CRU_PRINTF(1, 2);

/* Makes the folders above a file; a fault shows when the file is opened. */
void places_make_folders(const char *path);

#endif
