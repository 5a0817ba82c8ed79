#include "runner/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 80, MOST_CARD = 4095 };

/* A card's number at `text`; *rest is what follows it. -1: there is none. */
static int32_t card_parse(const char *text, const char **rest)
{
    if (*text < '0' || *text > '9') return -1;
    char *end;
    long number = strtol(text, &end, 10);
    *rest = end;
    return number <= MOST_CARD ? (int32_t)number : -1;
}

static cru_status cards_parse(const char *list, device_choice *out, cru_error *err)
{
    const char *at = list + strspn(list, " ");
    while (out->card_count < DEVICE_MAX_CARDS) {
        int32_t card = card_parse(at, &at);
        if (card < 0) break;
        out->cards[out->card_count++] = card;
        at += strspn(at, " ");
        if (!*at) return CRU_OK;
        if (*at != ',') break;
        at += 1 + strspn(at + 1, " ");
    }
    return cru_fail(err, CRU_BAD_INPUT, "devices = %s: not a list of card numbers such as 0, 1", list);
}

cru_status device_choose(const run_settings *run, const registry *plugins, device_choice *out, cru_error *err)
{
    char name[NAME_SIZE];
    *out = (device_choice){0};
    snprintf(name, sizeof name, "%.*s", (int)strcspn(run->device, ":"), run->device);
    const char *card = run->device + strcspn(run->device, ":"), *rest = "";
    const bool numbered = *card == ':';
    if (numbered) {
        out->cards[out->card_count++] = card_parse(card + 1, &rest);
        if (out->cards[0] < 0 || *rest)
            return cru_fail(err, CRU_BAD_INPUT, "device = %s: the card is not a number", run->device);
        if (*run->devices)
            return cru_fail(err, CRU_BAD_INPUT, "device = %s names a card and devices = %s names others", run->device,
                            run->devices);
    } else if (*run->devices) {
        cru_status status = cards_parse(run->devices, out, err);
        if (status != CRU_OK) return status;
    } else {
        out->card_count = 1;
    }
    if (strcmp(name, "cpu") == 0) {
        if (!numbered && !*run->devices) return CRU_OK;
        return cru_fail(err, CRU_BAD_INPUT, "device = cpu has no cards to choose from");
    }
    out->backend = registry_find(plugins, CRU_KIND_BACKEND, name);
    if (out->backend) return CRU_OK;
    return cru_fail(err, CRU_UNSUPPORTED,
                    "device = %s: there is no backend plugin of that name; 'crucible list backends'", name);
}
