/* @name@: TODO one line: what the data is.
 *
 *     x_i = y_i gap + N(0, I)                                                         TODO how it comes about
 *
 * TODO where it was published.
 *
 * As it stands this is a generator: rows from one Gaussian cloud a class. A reader of files fills the same struct from
 * `source->files`; see the comment in load.
 *
 *     gcc -O2 -shared -fPIC @name@.c -o @name@.so $(pkg-config --cflags --libs crucible)
 *     crucible check ./@name@.so && crucible run @name@.ini
 */
#include <crucible/crucible.h>

typedef struct settings {
    int64_t rows, classes, features;
    double gap;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, rows, 600, 1, 1e8, "rows of the table"),
    CRU_INT(settings, classes, 3, 2, 1000, "classes"),
    CRU_INT(settings, features, 4, 1, 100000, "feature columns"),
    CRU_FLOAT(settings, gap, 1.5, 0, 1e6, "distance between the means of neighbouring classes, in every column"),
    /* TODO your own */
    CRU_END,
};

/* Fills `data`, which belongs to the caller, with arrays from cru_data_alloc; the host checks the result. The split is
 * not the dataset's business, unless one was published (data->official).
 *
 * TODO a reader of files: source->files[i].path is the file of the card's [files] key source->files[i].role. Files are
 * hostile: check every size and index, and name file and line in the message:
 *     return cru_fail(err, CRU_BAD_INPUT, "%s:%ld: label %d of %d classes", path, line, label, classes); */
static cru_status load(const cru_loading *l)
{
    cru_data *data = l->data;
    const settings *s = l->settings;
    float *x = cru_data_alloc(data, s->rows * s->features, sizeof *x);
    data->truth = cru_data_alloc(data, s->rows, sizeof *data->truth);
    data->labels = cru_data_alloc(data, s->rows, sizeof *data->labels);
    if (!x || !data->truth || !data->labels) return cru_fail(l->err, CRU_NO_MEMORY, "@name@: no memory");

    cru_rng rng = cru_rng_stream(l->source->seed, "@name@", 0);
    cru_rng_fill_normal(&rng, x, s->rows * s->features, 0, 1);
    for (int64_t i = 0; i < s->rows; i++) {
        data->truth[i] = data->labels[i] = (int32_t)(i % s->classes);
        for (int64_t j = 0; j < s->features; j++) x[i * s->features + j] += (float)(s->gap * data->truth[i]);
    }
    data->problem = CRU_ROWS;
    data->items = data->nodes = s->rows;
    data->classes = (int32_t)s->classes;
    data->x = (cru_features){.rows = s->rows, .cols = s->features, .dense = x};
    return CRU_OK;
}

CRU_PLUGIN = {
    CRU_DATASET(.load = load),
    CRU_SETTINGS(settings, schema),
    .name = "@name@",
    .version = "0.1", /* part of every result's key: change it when results change */
    .summary = "rows from one Gaussian cloud a class",
    .authors = NULL,      /* TODO */
    .citation = NULL,     /* TODO */
    .license = NULL,      /* TODO */
    .problems = CRU_ROWS, /* what it generates; 0 for a reader of files */
};
