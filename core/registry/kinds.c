// SPDX-License-Identifier: Apache-2.0
/* Words for kinds of plugins and of problems. */
#include <stdio.h>
#include <string.h>

#include "registry/registry.h"

static const char *const kind_names[] = {
    [CRU_KIND_DATASET] = "dataset", [CRU_KIND_CORRUPTOR] = "corruptor", [CRU_KIND_ALGORITHM] = "algorithm",
    [CRU_KIND_METRIC] = "metric",   [CRU_KIND_BACKEND] = "backend",     [CRU_KIND_SPLIT] = "split",
};

const char *kind_name(cru_kind kind)
{
    return kind >= CRU_KIND_DATASET && kind <= CRU_KIND_SPLIT ? kind_names[kind] : "unknown";
}

cru_kind kind_parse(const char *word)
{
    for (cru_kind kind = CRU_KIND_DATASET; kind <= CRU_KIND_SPLIT; kind++) {
        size_t length = strlen(kind_names[kind]);
        if (strncmp(word, kind_names[kind], length) != 0) continue;
        if (!word[length] || strcmp(word + length, "s") == 0) return kind;
    }
    return 0;
}

const char *problems_text(uint32_t problems, char text[PROBLEMS_TEXT_SIZE])
{
    static const struct {
        uint32_t bit;
        const char *word;
    } words[] = {{CRU_NODES, "nodes"}, {CRU_GRAPHS, "graphs"}, {CRU_ANOMALY, "anomaly"}, {CRU_ROWS, "rows"}};
    int used = 0;
    text[0] = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (problems & words[i].bit)
            used += snprintf(text + used, (size_t)(PROBLEMS_TEXT_SIZE - used), "%s%s", used ? ", " : "", words[i].word);
    return text;
}
