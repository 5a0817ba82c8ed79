// SPDX-License-Identifier: Apache-2.0
#include "worker/device.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/backend.h>

#include "loader/loader.h"
#include "process/child.h"
#include "worker/sandbox-rules.h"
#include "worker/sandbox.h"

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

/* A cluster gives a task its cards in CUDA_VISIBLE_DEVICES, by numbers or names; CUDA counts those from 0 and ends at
 * the first that is none. False: it gives none. */
static bool cards_given(device_choice *out)
{
    const char *at = getenv("CUDA_VISIBLE_DEVICES");
    if (!at) {
        out->card_count = 1;
        return true;
    }
    while (*at && *at != '-' && out->card_count < DEVICE_MAX_CARDS) {
        const size_t length = strcspn(at, ",");
        out->cards[out->card_count] = out->card_count;
        out->card_count += length > 0;
        at += length + (at[length] == ',');
    }
    return out->card_count > 0;
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
        if (status) return status;
    } else if (strcmp(name, "cuda") != 0) {
        out->card_count = 1;
    } else if (!cards_given(out)) {
        return cru_fail(err, CRU_UNSUPPORTED, "device = cuda: CUDA_VISIBLE_DEVICES gives no card");
    }
    if (strcmp(name, "cpu") == 0) {
        if (run->device_memory > 0)
            return cru_fail(err, CRU_BAD_INPUT, "device_memory is of a card; device = cpu is limited by memory");
        if (!numbered && !*run->devices) return CRU_OK;
        return cru_fail(err, CRU_BAD_INPUT, "device = cpu has no cards to choose from");
    }
    out->backend = registry_find(plugins, CRU_KIND_BACKEND, name);
    if (out->backend) return CRU_OK;
    return cru_fail(err, CRU_UNSUPPORTED,
                    "device = %s: there is no backend plugin of that name; 'crucible list backends'", name);
}

/* ---- trying ---------------------------------------------------------------------------------------------- */

typedef struct attempt {
    const device_choice *choice;
    bool locked;
} attempt;

static cru_status lock_in(const device_choice *choice, cru_error *err)
{
    const char *files[] = {choice->backend->path, NULL};
    sandbox_rules *rules = NULL;
    int ruleset = -1;
    sandbox *box = sandbox_prepare(SANDBOX_WORKER);
    if (!box) return CRU_OK; /* the run has said so */
    cru_status status = rules_create(&(sandbox_files){.plugins = files, .libraries = true}, &rules, err);
    if (!status) status = rules_make(rules, -1, &ruleset, err);
    return status ? status : sandbox_enter(box, ruleset, err);
}

/* In the child: the sentence goes to the parent; none means that all cards opened. */
static int try_cards(void *user, int fd)
{
    const attempt *a = user;
    const device_choice *choice = a->choice;
    const cru_plugin *plugin;
    cru_error err = {0};
    cru_status status = a->locked ? lock_in(choice, &err) : CRU_OK;
    if (!status) status = plugin_open(choice->backend->path, CRU_KIND_BACKEND, choice->backend->name, &plugin, &err);
    for (int32_t i = 0; !status && i < choice->card_count; i++) {
        const cru_backend *backend = plugin->vtable;
        cru_device device;
        status = backend->open(&device, choice->cards[i], 1, &err);
        if (!status) backend->close(&device);
    }
    if (status) write_all(fd, err.text, strlen(err.text));
    return !status ? EXIT_SUCCESS : EXIT_FAILURE;
}

cru_status device_probe(const device_choice *choice, bool locked, cru_error *err)
{
    enum { SECONDS = 120 }; /* a driver may have to translate code for the card first */
    child c;
    char text[sizeof err->text] = "";
    size_t used = 0, got;
    if (!choice->backend) return CRU_OK;
    cru_status status = child_start(&c, &(child_limits){0}, try_cards, &(attempt){choice, locked}, err);
    if (status) return status;
    child_event event;
    while ((event = child_read(&c, text + used, sizeof text - 1 - used, &got, SECONDS)) == CHILD_DATA) used += got;
    const int code = child_finish(&c);
    const char *name = choice->backend->name;
    if (event == CHILD_LATE) return cru_fail(err, CRU_UNSUPPORTED, "device = %s: it does not answer", name);
    if (used) return cru_fail(err, CRU_UNSUPPORTED, "device = %s: %.400s", name, text);
    return code == 0 ? CRU_OK
                     : cru_fail(err, CRU_UNSUPPORTED, "device = %s: the backend crashed when it was opened", name);
}

/* ---- in the worker --------------------------------------------------------------------------------------- */

cru_status device_limit(int64_t mib, const cru_backend *backend, cru_ctx *ctx, cru_error *err)
{
    if (mib == 0) return CRU_OK;
    if (!backend || backend->size < offsetof(cru_backend, limit) + sizeof backend->limit || !backend->limit)
        return cru_fail(err, CRU_UNSUPPORTED, "device_memory: the device cannot limit it");
    backend->limit(cru_ctx_device(ctx), (size_t)mib << 20);
    return CRU_OK;
}
