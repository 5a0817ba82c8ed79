// SPDX-License-Identifier: Apache-2.0
/* info-card.h: what a dataset's card says, without its files. */
#ifndef CORE_CLI_INFO_CARD_H
#define CORE_CLI_INFO_CARD_H

#include "data/data.h"

typedef struct cJSON cJSON;

int info_card_text(const card *c);
cJSON *info_card_json(const card *c);

#endif
