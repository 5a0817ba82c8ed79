// SPDX-License-Identifier: Apache-2.0
#include "fetch/content.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "data/places.h"

typedef struct start {
    char bytes[512];
    size_t size;
} start;

static bool begins(const start *s, const char *with, size_t size)
{
    return s->size >= size && memcmp(s->bytes, with, size) == 0;
}

/* The name of a download that is yet to be unpacked has ".pack" behind it. */
static bool ends(const char *name, const char *with)
{
    static const char packed[] = ".pack";
    size_t length = strlen(name), tail = strlen(with), extra = sizeof packed - 1;
    if (length > extra && strcmp(name + length - extra, packed) == 0) length -= extra;
    return length >= tail && strncasecmp(name + length - tail, with, tail) == 0;
}

/* What files with such a name begin with: one of two. */
typedef struct kind {
    const char *ending, *first, *second;
    size_t first_size, second_size;
    const char *fault;
} kind;

#define MAGIC(a, b) a, b, sizeof(a) - 1, sizeof(b) - 1
static const kind kinds[] = {
    {".zip", MAGIC("PK\3\4", "PK\5\6"), "is no zip file"},
    {".npz", MAGIC("PK\3\4", "PK\5\6"), "is no .npz file"},
    {".gz", MAGIC("\x1f\x8b", "\x1f\x8b"), "is no gzip file"},
    {".xz",
     MAGIC("\xfd"
           "7zXZ",
           "\xfd"
           "7zXZ"),
     "is no xz file"},
    {".7z", MAGIC("7z\xbc\xaf", "7z\xbc\xaf"), "is no 7z file"},
    {".rar", MAGIC("Rar!", "Rar!"), "is no rar file"},
    {".npy", MAGIC("\x93NUMPY", "\x93NUMPY"), "is no .npy file"},
    {".mat", MAGIC("MATLAB", "\x89HDF"), "is no MATLAB file"},
    {".pt", MAGIC("PK\3\4", "\x80"), "is no file of torch.save"},
};
#undef MAGIC

static const char *text_fault(const start *s, const char *name)
{
    static const char *const pages[] = {"<!doctype html", "<html", "<head", "<body", "<script"};
    static const char pointer[] = "version https://git-lfs.github.com/spec/";
    size_t at = begins(s, "\xef\xbb\xbf", 3) ? 3 : 0;
    while (at < s->size && isspace((unsigned char)s->bytes[at])) at++;
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        size_t length = strlen(pages[i]);
        bool page = s->size - at >= length && strncasecmp(s->bytes + at, pages[i], length) == 0;
        if (page && !ends(name, ".html") && !ends(name, ".htm")) return "is a web page";
    }
    return begins(s, pointer, sizeof pointer - 1) ? "is a pointer of git-lfs, not the file itself" : NULL;
}

const char *content_fault(const char *path, const char *name)
{
    start s;
    FILE *in = fopen(path, "re");
    if (!in) return NULL;
    s.size = fread(s.bytes, 1, sizeof s.bytes, in);
    bool read = !ferror(in);
    fclose(in);
    if (!read) return NULL;
    const char *fault = text_fault(&s, name);
    for (size_t i = 0; !fault && i < sizeof kinds / sizeof *kinds; i++) {
        const kind *k = &kinds[i];
        bool so = begins(&s, k->first, k->first_size) || begins(&s, k->second, k->second_size);
        if (ends(name, k->ending) && !so) fault = k->fault;
    }
    return fault;
}

void content_set_aside(const char *path)
{
    char *bad = places_format("%s.bad", path);
    if (!bad || rename(path, bad) != 0) remove(path);
    free(bad);
}
