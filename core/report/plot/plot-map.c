// SPDX-License-Identifier: Apache-2.0
/* plot-map.c: points on a plane, coloured by class, and the plane as methods divide it.
 *
 * Points of more than two dimensions are laid out by t-SNE (van der Maaten and Hinton, JMLR 2008). The silhouette is
 * that of the points as they are given, so that it judges the embedding and not the map. A method's regions are those
 * of the nearest points: every place of the plane has the class that the method gives to most of the five points next
 * to it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/embed.h>

#include "report/plot/panel.h"
#include "report/plot/plot.h"
#include "report/plot/silhouette.h"

/* A square of the picture that shows a plane. */
typedef struct map_place {
    svg_point corner;
    double side;
} map_place;

enum {
    SIDE = 360,
    SIDE_OF_MANY = 220,
    MANY = 4,
    POINTS_MOST = 20000,
    CELLS = 60,
    NEAREST = 5,
    GAP = 30,
    MARGIN = 16,
    TOP = 46
};

static void *need(void *memory)
{
    if (!memory) cru_panic(CRU_NO_MEMORY, "plot: no memory for a map");
    return memory;
}

/* The points in 0..1 each way with equal scales. */
static void fit(float *map, int64_t n)
{
    float low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int64_t i = 0; i < 2 * n; i++) {
        low[i % 2] = fminf(low[i % 2], map[i]);
        high[i % 2] = fmaxf(high[i % 2], map[i]);
    }
    float range = fmaxf(high[0] - low[0], high[1] - low[1]);
    for (int64_t i = 0; i < 2 * n; i++) {
        float middle = (low[i % 2] + high[i % 2]) / 2;
        map[i] = range > 0 ? 0.5f + 0.94f * (map[i] - middle) / range : 0.5f;
    }
}

static cru_status lay_out(const plot_data *d, float **out, cru_error *err)
{
    float *map = need(malloc((size_t)d->rows * 2 * sizeof *map));
    cru_status status = CRU_OK;
    if (d->cols == 2) {
        memcpy(map, d->values, (size_t)d->rows * 2 * sizeof *map);
    } else {
        cru_rng rng = cru_rng_stream(0, "map", 0);
        cru_dense x = {d->rows, d->cols, d->values};
        status = cru_tsne(&x, NULL, &rng, map, err);
    }
    if (status) {
        free(map);
        return status;
    }
    fit(map, d->rows);
    *out = map;
    return CRU_OK;
}

static cru_status check(const plot_data *d, cru_error *err)
{
    if (!d) return cru_fail(err, CRU_UNSUPPORTED, "a map needs points: --data FILE of CSV or NPY");
    if (d->rows < 4 || d->cols < 2 || d->rows > POINTS_MOST)
        return cru_fail(err, CRU_UNSUPPORTED, "%s: a map needs 4 to %d points of at least two numbers, not %lld x %lld",
                        d->path, POINTS_MOST, (long long)d->rows, (long long)d->cols);
    return CRU_OK;
}

static svg_point spot(const float *map, int64_t i, const map_place *at)
{
    return (svg_point){at->corner.x + at->side * (double)map[2 * i],
                       at->corner.y + at->side * (1 - (double)map[2 * i + 1])};
}

/* Coloured by `ids`, if there are any. */
static void draw_points(svg *s, int64_t count, const float *map, const int32_t *ids, const map_place *at)
{
    double radius = count > 2000 ? 1.6 : count > 500 ? 2.4 : 3.2;
    for (int64_t i = 0; i < count; i++) {
        char text[40];
        series_class(ids ? ids[i] : 0, "dot", text, sizeof text);
        svg_circle(s, spot(map, i, at), radius * at->side / SIDE, text);
    }
}

static void draw_border(svg *s, const map_place *at)
{
    const svg_point corner = at->corner;
    const svg_point edges[] = {{corner.x, corner.y},
                               {corner.x + at->side, corner.y},
                               {corner.x + at->side, corner.y + at->side},
                               {corner.x, corner.y + at->side},
                               {corner.x, corner.y}};
    svg_polyline(s, edges, 5, "grid axis");
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- maps of a store ------------------------------------------------------------------------------------- */

/* Many planes in rows. */
typedef struct sheet {
    int64_t across;
    double side, width, height;
    const char *title, *description;
    bool more; /* maps than these */
    legend_names classes;
} sheet;

static sheet sheet_make(const plot_maps *maps, const char *title, const char *description)
{
    const int64_t across = maps->count < MANY ? maps->count : MANY;
    sheet h = {.across = across, .side = maps->count > 2 ? SIDE_OF_MANY : SIDE, .title = title};
    const int64_t lines = (maps->count + across - 1) / across;
    h.description = description;
    h.more = maps->more;
    h.classes = (legend_names){maps->class_names, maps->class_count};
    h.width = 2 * MARGIN + h.side * (double)across + GAP * (double)(across - 1);
    h.width = fmax(h.width, 2 * MARGIN + 1.08 * svg_text_width(title));
    h.height = TOP + (TOP + h.side) * (double)lines + legend_names_height(&h.classes, h.width) + 6;
    return h;
}

static map_place sheet_place(const sheet *h, int64_t i)
{
    return (map_place){.corner = {MARGIN + (h->side + GAP) * (double)(i % h->across),
                                  2 * TOP + (TOP + h->side) * (double)(i / h->across)},
                       .side = h->side};
}

static void sheet_begin(const sheet *h, svg *s, bool alone)
{
    svg_begin(s, alone, h->title, h->description);
    svg_text(s, (svg_point){MARGIN, 18}, SVG_START, "title", h->title);
    svg_text(s, (svg_point){MARGIN, 36}, SVG_START, "label", h->description);
    if (h->more) svg_text(s, (svg_point){MARGIN, 54}, SVG_START, "label", "The first of them; --where takes others.");
}

static void sheet_end(const sheet *h, svg *s)
{
    legend_names_draw(s, &h->classes, h->height - legend_names_height(&h->classes, h->width));
    svg_end(s);
}

/* What stands above a plane: its title, cut to its width, and a line. */
static void put_heads(svg *s, const map_place *at, const char *title, const char *line)
{
    char cut[300];
    const int64_t most = (int64_t)(at->side / 7.5);
    svg_text(s, (svg_point){at->corner.x, at->corner.y - 24}, SVG_START, "label",
             svg_short(title, most, cut, sizeof cut));
    svg_text(s, (svg_point){at->corner.x, at->corner.y - 8}, SVG_START, "label", line);
}

/* Draws map number i of the store into its place, and says below its title what `line` then holds. */
typedef void draw_plane(svg *s, const plot_maps *maps, int64_t i, const float *map, const map_place *at, char line[80]);

/* One plane beside the other, with the title and the description of words. */
static cru_status draw_sheet(const plot_input *in, FILE *out, const char *const words[2], draw_plane *draw,
                             cru_error *err)
{
    const plot_maps *maps = in->maps;
    const sheet h = sheet_make(maps, words[0], words[1]);
    svg s = {.out = out, .width = h.width, .height = h.height};
    sheet_begin(&h, &s, in->alone);
    cru_status status = CRU_OK;
    for (int64_t i = 0; !status && i < maps->count; i++) {
        const map_place at = sheet_place(&h, i);
        float *map;
        char line[80] = "";
        status = lay_out(&maps->items[i], &map, err);
        if (status) break;
        draw(&s, maps, i, map, &at, line);
        put_heads(&s, &at, maps->items[i].path, line);
        free(map);
    }
    sheet_end(&h, &s);
    return status;
}

static void draw_map(svg *s, const plot_maps *maps, int64_t i, const float *map, const map_place *at, char line[80])
{
    const plot_data *d = &maps->items[i];
    if (!isnan(maps->silhouettes[i])) snprintf(line, 80, "silhouette %.3f", maps->silhouettes[i]);
    draw_border(s, at);
    draw_points(s, d->rows, map, d->predictions[0].ids, at);
}

static cru_status map_of_store(const plot_input *in, FILE *out, cru_error *err)
{
    static const char *const words[] = {
        "What methods learned, by t-SNE",
        "Dots: judged items in the colour of the class that the method gives them.",
    };
    return draw_sheet(in, out, words, draw_map, err);
}

static cru_status map_of_file(const plot_input *in, FILE *out, cru_error *err)
{
    const plot_data *d = in->data;
    const map_place at = {.corner = {MARGIN, TOP}, .side = SIDE};
    float *map;
    cru_status status = check(d, err);
    if (!status) status = lay_out(d, &map, err);
    if (status) return status;
    char title[300], line[200] = "";
    double value = d->truth.ids ? silhouette_of(d->values, d->rows, d->cols, d->truth.ids) : NAN;
    legend_names classes = {d->class_names, d->truth.ids ? d->class_count : 0};
    double width = SIDE + 2 * MARGIN, legend = classes.count ? legend_names_height(&classes, width) : 0;
    snprintf(title, sizeof title, "%s: %lld points%s", base_name(d->path), (long long)d->rows,
             d->cols > 2 ? " by t-SNE" : "");
    if (!isnan(value)) snprintf(line, sizeof line, "silhouette %.3f in %lld dimensions", value, (long long)d->cols);
    svg s = {.out = out, .width = fmax(width, 30 + 1.08 * svg_text_width(title)), .height = TOP + SIDE + legend + 16};
    svg_begin(&s, in->alone, title, line);
    svg_text(&s, (svg_point){MARGIN, 18}, SVG_START, "title", title);
    svg_text(&s, (svg_point){MARGIN, 36}, SVG_START, "label", line);
    draw_border(&s, &at);
    draw_points(&s, d->rows, map, d->truth.ids, &at);
    if (classes.count) legend_names_draw(&s, &classes, TOP + SIDE);
    svg_end(&s);
    free(map);
    return CRU_OK;
}

cru_status plot_map(const plot_input *in, FILE *out, cru_error *err)
{
    return in->maps && !in->data ? map_of_store(in, out, err) : map_of_file(in, out, err);
}

/* ---- boundaries ------------------------------------------------------------------------------------------ */

/* The points next to a place, nearest first. */
typedef struct near {
    float distance;
    int32_t point;
} near;

static void find_near(const float *map, int64_t n, const float at[2], near found[NEAREST])
{
    for (int i = 0; i < NEAREST; i++) found[i] = (near){INFINITY, -1};
    for (int64_t i = 0; i < n; i++) {
        float x = map[2 * i] - at[0], y = map[2 * i + 1] - at[1], distance = x * x + y * y;
        int k = NEAREST;
        while (k > 0 && distance < found[k - 1].distance) k--;
        if (k == NEAREST) continue;
        memmove(found + k + 1, found + k, (size_t)(NEAREST - 1 - k) * sizeof *found);
        found[k] = (near){distance, (int32_t)i};
    }
}

/* The class of most of them; of equally many that of the nearest. */
static int32_t vote(const near found[NEAREST], const int32_t *ids)
{
    int best = 0, most = 0;
    for (int i = 0; i < NEAREST && found[i].point >= 0; i++) {
        int count = 0;
        for (int k = 0; k < NEAREST && found[k].point >= 0; k++) count += ids[found[k].point] == ids[found[i].point];
        if (count > most) {
            most = count;
            best = i;
        }
    }
    return ids[found[best].point];
}

/* Rows of equal cells are one rectangle. */
static void draw_regions(svg *s, int64_t count, const float *map, const int32_t *ids, const map_place *at_place)
{
    const svg_point corner = at_place->corner;
    double wide = at_place->side / CELLS;
    for (int row = 0; row < CELLS; row++) {
        int32_t classes[CELLS];
        for (int col = 0; col < CELLS; col++) {
            near found[NEAREST];
            const float at[2] = {((float)col + 0.5f) / CELLS, 1 - ((float)row + 0.5f) / CELLS};
            find_near(map, count, at, found);
            classes[col] = vote(found, ids);
        }
        for (int col = 0, end; col < CELLS; col = end) {
            char text[40];
            for (end = col + 1; end < CELLS && classes[end] == classes[col];) end++;
            svg_rect(s, (svg_point){corner.x + wide * col, corner.y + wide * row},
                     (svg_point){wide * (end - col), wide}, series_class(classes[col], "band", text, sizeof text));
        }
    }
}

static double right_share(const plot_data *d, const int32_t *ids)
{
    int64_t right = 0;
    for (int64_t i = 0; i < d->rows; i++) right += ids[i] == d->truth.ids[i];
    return 100 * (double)right / (double)d->rows;
}

static void draw_boundary(svg *s, const plot_maps *maps, int64_t i, const float *map, const map_place *at,
                          char line[80])
{
    const plot_data *d = &maps->items[i];
    snprintf(line, 80, "%.1f %% of the items right", right_share(d, d->predictions[0].ids));
    draw_regions(s, d->rows, map, d->predictions[0].ids, at);
    draw_points(s, d->rows, map, d->truth.ids, at);
    draw_border(s, at);
}

static cru_status boundary_of_store(const plot_input *in, FILE *out, cru_error *err)
{
    static const char *const words[] = {
        "The plane as methods divide it",
        "Ground: the class that most of the five nearest items are given. Dots: the true class.",
    };
    return draw_sheet(in, out, words, draw_boundary, err);
}

static cru_status boundary_of_file(const plot_input *in, FILE *out, cru_error *err)
{
    const plot_data *d = in->data;
    float *map;
    cru_status status = check(d, err);
    if (!status && (d->prediction_count == 0 || !d->truth.ids))
        status =
            cru_fail(err, CRU_UNSUPPORTED,
                     "%s: boundaries need a column 'class' and a column 'predicted M' for every method M", d->path);
    if (!status) status = lay_out(d, &map, err);
    if (status) return status;
    char title[300];
    legend_names classes = {d->class_names, d->class_count};
    int64_t across = d->prediction_count < 2 ? 1 : 2, lines = (d->prediction_count + across - 1) / across;
    double width = 2 * MARGIN + SIDE * (double)across + GAP * (double)(across - 1);
    svg s = {.out = out, .width = width};
    s.height = (TOP + SIDE) * (double)lines + legend_names_height(&classes, width) + 6;
    snprintf(title, sizeof title, "%s: the plane as methods divide it", base_name(d->path));
    svg_begin(&s, in->alone, title,
              "Ground: the class a method gives to most of the five nearest points. Dots: the truth.");
    for (int32_t i = 0; i < d->prediction_count; i++) {
        svg_point corner = {MARGIN + (SIDE + GAP) * (double)(i % across), TOP + (TOP + SIDE) * (double)(i / across)};
        const map_place at = {.corner = corner, .side = SIDE};
        draw_regions(&s, d->rows, map, d->predictions[i].ids, &at);
        draw_points(&s, d->rows, map, d->truth.ids, &at);
        draw_border(&s, &at);
        svg_text(&s, (svg_point){corner.x, corner.y - 26}, SVG_START, "title", d->predictions[i].name);
        snprintf(title, sizeof title, "%.1f %% right; ground: predicted, dots: true class",
                 right_share(d, d->predictions[i].ids));
        svg_text(&s, (svg_point){corner.x, corner.y - 10}, SVG_START, "label", title);
    }
    legend_names_draw(&s, &classes, s.height - legend_names_height(&classes, width));
    svg_end(&s);
    free(map);
    return CRU_OK;
}

cru_status plot_boundary(const plot_input *in, FILE *out, cru_error *err)
{
    return in->maps && !in->data ? boundary_of_store(in, out, err) : boundary_of_file(in, out, err);
}
