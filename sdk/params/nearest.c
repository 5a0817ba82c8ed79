// SPDX-License-Identifier: Apache-2.0
#include <ctype.h>
#include <string.h>

#include <crucible/params.h>

enum { LONGEST = 63 };

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Insertions, deletions, substitutions and swaps of neighbours that turn a into b, ignoring case: the optimal string
 * alignment distance. Three rows of the table suffice, since a swap looks back two. */
static size_t distance(const char *a, const char *b)
{
    size_t rows[3][LONGEST + 1], length = strlen(b);
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= length; j++) last[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        now[0] = i;
        for (size_t j = 1; j <= length; j++) {
            int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
            now[j] = least(last[j] + 1, now[j - 1] + 1, last[j - 1] + (x != y));
            bool swapped =
                i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) && y == tolower((unsigned char)a[i - 2]);
            if (swapped) now[j] = least(now[j], before[j - 2] + 1, SIZE_MAX);
        }
        size_t *spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[length];
}

/* Near: at most a third of the shorter word wrong, and always one slip. */
const char *cru_nearest(const char *word, const char *const *names, size_t count)
{
    const char *best = NULL;
    size_t best_distance = SIZE_MAX, length = strlen(word);
    if (length == 0 || length > LONGEST) return NULL;
    for (size_t i = 0; i < count; i++) {
        size_t name_length = strlen(names[i]);
        if (name_length > LONGEST) continue;
        size_t allowed = (length < name_length ? length : name_length) / 3;
        size_t d = distance(word, names[i]);
        if (d > (allowed ? allowed : 1) || d >= name_length || d >= best_distance) continue;
        best = names[i];
        best_distance = d;
    }
    return best;
}
