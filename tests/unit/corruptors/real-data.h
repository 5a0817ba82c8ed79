// SPDX-License-Identifier: Apache-2.0
/* real-data.h: published datasets from the mirror (CRUCIBLE_MIRROR), for tests that repeat published damage. */
#ifndef TESTS_REAL_DATA_H
#define TESTS_REAL_DATA_H

#include <stdlib.h>

#include "corruptors/damage.h"
#include "data/data.h"

/* NULL, said aloud, when its files are not there. The caller destroys it. */
static inline cru_data *real_data(const char *name)
{
    static const data_places places = {.cards = TEST_FIXTURES "/../../datasets/cards", .cache = ""};
    const char *folders[] = {TEST_BINARY_DIR "/lib/crucible/plugins/datasets", NULL};
    const loader_options options = {.folders = folders, .no_default_folders = true, .no_cache = true};
    registry *plugins = NULL;
    cru_data *data = NULL;
    cru_error err = {0};
    if (!getenv("CRUCIBLE_MIRROR")) {
        printf("SKIP: CRUCIBLE_MIRROR is not set: no %s\n", name);
        return NULL;
    }
    ck_assert_int_eq(loader_scan(&options, &plugins, NULL, &err), CRU_OK);
    const data_request request = {.name = name, .plugins = plugins, .places = &places};
    const cru_status status = data_open(&request, &data, &err);
    if (status == CRU_IO) printf("SKIP: %s: %s\n", name, err.text);
    ck_assert_msg(status == CRU_OK || status == CRU_IO, "%s: %s", name, err.text);
    registry_destroy(plugins);
    return data;
}

#endif
