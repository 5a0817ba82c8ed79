// SPDX-License-Identifier: Apache-2.0
#include "config/sections.h"

#include <string.h>

#include "config/artefact.h"
#include "config/settings.h"
#include "data/data.h"

const host_section host_sections[] = {
    {"experiment", "what is run: seeds, and which of the sections take part", experiment_params, false},
    {"split", "how items become training, validation and test items: a split plugin and its settings", split_params,
     true},
    {"preprocess", "changes of graph and features before the split, in the order of the keys", preprocess_params, true},
    {"monitor", "which epoch of a training counts and when it stops, the same for all methods", monitor_params, true},
    {"search", "how settings that are left open are searched", search_params, false},
    {"run", "how trials are carried out: jobs, limits, store", run_params, false},
    {"report", "what `crucible report` shows unless its options say otherwise", report_params, false},
    {"paths", "where plugins, cards and data are; relative to the file that says it", paths_params, false},
    {"artefact", "a published table or figure: its values, its rows and columns (README.md)", artefact_params, false},
    {0},
};

const host_section *host_section_find(const char *name)
{
    for (const host_section *s = host_sections; s->name; s++)
        if (strcmp(s->name, name) == 0) return s;
    return NULL;
}
