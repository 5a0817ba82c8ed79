#include "ini/ini-read.h"

#include <ini.h>
#include <string.h>

/* inih keeps names in buffers of 50 bytes and cuts them silently. */
enum { LONGEST_NAME = 48 };

typedef struct reading {
    const char *rest, *path;
    int line;
    bool continued;
    ini_visitor *visit;
    void *user;
    cru_status status;
    cru_error *err;
} reading;

static cru_status stop(reading *r, const char *what)
{
    if (r->status == CRU_OK) r->status = cru_fail(r->err, CRU_BAD_INPUT, "%s:%d: %s", r->path, r->line, what);
    return r->status;
}

/* An fgets over the text that counts lines. After a failure it plays end of file, so that parsing ends. */
static char *next_line(char *buffer, int size, void *user)
{
    reading *r = user;
    if (r->status != CRU_OK || !*r->rest) return NULL;
    size_t length = strcspn(r->rest, "\n");
    r->line++;
    if (length + 2 > (size_t)size) {
        stop(r, "the line is too long; continue it on a second, indented line");
        return NULL;
    }
    r->continued = *r->rest == ' ' || *r->rest == '\t';
    memcpy(buffer, r->rest, length);
    r->rest += length;
    if (*r->rest) buffer[length++] = *r->rest++;
    buffer[length] = 0;
    return buffer;
}

static int take(void *user, const char *section, const char *key, const char *value)
{
    reading *r = user;
    if (r->status != CRU_OK) return 0;
    if (strlen(section) > LONGEST_NAME || strlen(key) > LONGEST_NAME) {
        stop(r, "the name is too long");
        return 0;
    }
    ini_entry entry = {section, key, value, r->line, r->continued};
    r->status = r->visit(r->user, &entry, r->err);
    return r->status == CRU_OK;
}

cru_status ini_read(const char *text, const char *path, ini_visitor *visit, void *user, cru_error *err)
{
    reading r = {.rest = text, .path = path, .visit = visit, .user = user, .err = err};
    int bad_line = ini_parse_stream(next_line, &r, take, &r);
    if (r.status == CRU_OK && bad_line != 0) {
        r.line = bad_line;
        stop(&r, "expected [section], key = value or a comment");
    }
    return r.status;
}
