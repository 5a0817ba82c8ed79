// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"
#include "cli/json.h"
#include "cli/verbs.h"
#include "doctor/doctor.h"

static const char *const state_names[] = {[DOCTOR_OK] = "ok", [DOCTOR_WARN] = "warn", [DOCTOR_MISSING] = "missing"};

static int print_json(const doctor_report *report)
{
    cJSON *array = cJSON_CreateArray();
    for (int i = 0; i < report->count; i++) {
        const doctor_finding *finding = &report->findings[i];
        cJSON *object = cJSON_CreateObject();
        json_add_text(object, "topic", finding->topic);
        json_add_text(object, "status", state_names[finding->state]);
        json_add_text(object, "detail", finding->detail);
        json_add_text(object, "advice", finding->advice);
        cJSON_AddItemToArray(array, object);
    }
    return json_print(array);
}

static int print_text(const doctor_report *report)
{
    static const cli_style styles[] = {[DOCTOR_OK] = CLI_GREEN, [DOCTOR_WARN] = CLI_YELLOW, [DOCTOR_MISSING] = CLI_RED};
    for (int i = 0; i < report->count; i++) {
        const doctor_finding *finding = &report->findings[i];
        printf("%s%-8s%s %-14s %s", cli_paint(stdout, styles[finding->state]), state_names[finding->state],
               cli_paint(stdout, CLI_PLAIN), finding->topic, finding->detail);
        if (finding->advice) printf(" - %s", finding->advice);
        putchar('\n');
    }
    return CLI_OK;
}

int verb_doctor(int argc, char **argv)
{
    bool json = false;
    const cli_option options[] = {
        {.name = "json", .flag = &json, .help = "print a JSON array"},
        {0},
    };
    const cli_syntax syntax = {
        .verb = "doctor",
        .options = options,
        .about = "Looks over the machine and the installation. Every line is ok, warn (works, but not as well as it\n"
                 "could) or missing (something optional is not there), and says what to do.",
    };
    cli_words operands;
    int code = cli_parse(&syntax, argc, argv, &operands);
    if (code != CLI_GO_ON) return code;
    doctor_report report = {.memory = cru_arena_create()};
    if (!report.memory) return cli_fail("out of memory");
    doctor_machine(&report);
    doctor_libraries(&report);
    doctor_sandbox(&report);
    doctor_gpu(&report);
    doctor_plugins(&report);
    code = json ? print_json(&report) : print_text(&report);
    cru_arena_destroy(report.memory);
    return code;
}
