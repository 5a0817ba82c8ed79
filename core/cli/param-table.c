// SPDX-License-Identifier: Apache-2.0
#include "cli/param-table.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "cli/param-text.h"

enum { CELL = 512 };

/* Columns of the table; behind them comes help, which is open-ended. */
enum { COLUMNS = 5 };
static const char *const column_titles[COLUMNS] = {"key", "type", "default", "range", "search"};

typedef struct row {
    char cell[COLUMNS][CELL];
    const char *help;
} row;

static void fill_row(const cru_param *param, row *r)
{
    snprintf(r->cell[0], CELL, "%s", param->key);
    snprintf(r->cell[1], CELL, "%s", param_type_name(param->type));
    param_default(param, r->cell[2], CELL);
    param_range(param, r->cell[3], CELL);
    param_search(param, r->cell[4], CELL);
    r->help = param->help;
}

/* The last column, search, is left out of a table that has no distribution. */
static int columns_of(const cru_param *params)
{
    for (const cru_param *param = params; param->type != CRU_PARAM_END; param++)
        if (param->search.kind) return COLUMNS;
    return COLUMNS - 1;
}

void param_table_text(const cru_param *params)
{
    const int columns = columns_of(params);
    int width[COLUMNS];
    row r;
    for (int c = 0; c < columns; c++) width[c] = (int)strlen(column_titles[c]);
    for (const cru_param *param = params; param->type != CRU_PARAM_END; param++) {
        fill_row(param, &r);
        for (int c = 0; c < columns; c++)
            if ((int)strlen(r.cell[c]) > width[c]) width[c] = (int)strlen(r.cell[c]);
    }
    printf("\n%s", cli_paint(stdout, CLI_BOLD));
    for (int c = 0; c < columns; c++) printf("  %-*s", width[c], column_titles[c]);
    printf("  help%s\n", cli_paint(stdout, CLI_PLAIN));
    for (const cru_param *param = params; param->type != CRU_PARAM_END; param++) {
        fill_row(param, &r);
        for (int c = 0; c < columns; c++) printf("  %-*s", width[c], r.cell[c]);
        printf("  %s\n", r.help);
    }
}

/* A bar would end the cell. */
static void print_cell(const char *text)
{
    putchar(' ');
    for (const char *c = text; *c; c++) {
        if (*c == '|') putchar('\\');
        putchar(*c);
    }
    fputs(" |", stdout);
}

void param_table_markdown(const cru_param *params)
{
    const int columns = columns_of(params);
    row r;
    fputs("\n|", stdout);
    for (int c = 0; c < columns; c++) printf(" %s |", column_titles[c]);
    fputs(" help |\n|", stdout);
    for (int c = 0; c <= columns; c++) fputs("---|", stdout);
    putchar('\n');
    for (const cru_param *param = params; param->type != CRU_PARAM_END; param++) {
        fill_row(param, &r);
        putchar('|');
        for (int c = 0; c < columns; c++) print_cell(r.cell[c]);
        print_cell(r.help);
        putchar('\n');
    }
}

static void add_default(cJSON *object, const cru_param *param)
{
    char text[CELL];
    if (param->type == CRU_PARAM_INT || param->type == CRU_PARAM_FLOAT) {
        json_add_number(object, "default", param->number);
    } else if (param->type == CRU_PARAM_BOOL) {
        cJSON_AddBoolToObject(object, "default", param->number != 0);
    } else {
        json_add_text(object, "default", param_default(param, text, sizeof text));
    }
}

static void add_search(cJSON *object, const cru_param *param)
{
    char text[CELL];
    json_add_text(object, "search", param->search.kind ? param_search(param, text, sizeof text) : NULL);
}

static cJSON *param_json(const cru_param *param)
{
    cJSON *object = cJSON_CreateObject();
    json_add_text(object, "key", param->key);
    json_add_text(object, "type", param_type_name(param->type));
    add_default(object, param);
    if (param->type == CRU_PARAM_INT || param->type == CRU_PARAM_FLOAT || param->type == CRU_PARAM_LIST) {
        json_add_number(object, "min", param->min);
        json_add_number(object, "max", param->max);
    }
    if (param->type == CRU_PARAM_CHOICE) {
        cJSON *choices = cJSON_AddArrayToObject(object, "choices");
        for (size_t i = 0; param->choices[i]; i++) cJSON_AddItemToArray(choices, cJSON_CreateString(param->choices[i]));
    }
    add_search(object, param);
    json_add_text(object, "help", param->help);
    return object;
}

cJSON *param_table_json(const cru_param *params)
{
    cJSON *array = cJSON_CreateArray();
    for (const cru_param *param = params; param && param->type != CRU_PARAM_END; param++)
        cJSON_AddItemToArray(array, param_json(param));
    return array;
}
