// SPDX-License-Identifier: Apache-2.0
#include "search/draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The value of a key in the variant's text; every axis has one. */
static void text_of(const variant *v, const char *key, char text[AXIS_TEXT_SIZE])
{
    size_t length = strlen(key);
    const char *line = v->text;
    while (*line && (strncmp(line, key, length) != 0 || line[length] != '=')) line += strcspn(line, "\n") + 1;
    const char *value = line + length + 1;
    snprintf(text, AXIS_TEXT_SIZE, "%.*s", (int)strcspn(value, "\n"), value);
}

void draw_defaults(const variant *base, double *coordinates)
{
    char text[AXIS_TEXT_SIZE];
    for (int64_t i = 0; i < base->axis_count; i++) {
        text_of(base, base->axes[i].param->key, text);
        coordinates[i] = axis_coordinate(&base->axes[i], text);
    }
}

cru_status draw_variant(experiment *e, const variant *base, const double *point, const variant **out, cru_error *err)
{
    int64_t count = base->axis_count;
    data_setting *values = calloc((size_t)count + 1, sizeof *values);
    char(*texts)[AXIS_TEXT_SIZE] = calloc((size_t)count + 1, sizeof *texts);
    cru_status status = CRU_OK;
    if (!values || !texts) status = cru_fail(err, CRU_NO_MEMORY, "no memory for the settings of %s", base->label);
    for (int64_t i = 0; !status && i < count; i++) {
        const search_axis *axis = &base->axes[i];
        values[i] = (data_setting){axis->param->key, texts[i]};
        if (point)
            axis_text(axis, point[i], texts[i]);
        else
            text_of(base, axis->param->key, texts[i]);
    }
    if (!status) status = experiment_draw(e, base, (config_draw){values, count}, out, err);
    free(values);
    free(texts);
    return status;
}
