#include "text-matrix.h"

#include "decimal.h"

static int64_t count_columns(cursor c)
{
    int64_t cols = 0;
    for (double value; cursor_more(&c) && c.line == 1 && cursor_real(&c, &value); cols++) cursor_skip(&c, ",");
    return cols;
}

static cru_status read_row(cursor *c, int64_t cols, float *row, cru_error *err)
{
    if (!cursor_more(c)) return cursor_fail(c, "a row is missing", err);
    for (int64_t j = 0; j < cols; j++, cursor_skip(c, ",")) {
        double value;
        if (!cursor_real(c, &value)) return cursor_fail(c, "expected a number", err);
        row[j] = (float)value;
    }
    return cursor_at_line_end(c) ? CRU_OK : cursor_fail(c, "more numbers than in the first line", err);
}

cru_status text_matrix_read(cru_arena *arena, const char *path, int64_t rows, text_matrix *out, cru_error *err)
{
    blob file;
    cru_status status = blob_read(arena, path, &file, err);
    if (status != CRU_OK) return status;
    cursor c = {(const char *)file.bytes, (const char *)file.bytes + file.size, path, 1};
    int64_t cols = count_columns(c), cells;
    if (__builtin_mul_overflow(cols, rows, &cells) || cells > file.size)
        return cru_fail(err, CRU_BAD_INPUT, "%s: too short for %lld rows like its first", path, (long long)rows);
    float *numbers = cru_arena_alloc(arena, cells, sizeof *numbers);
    for (int64_t i = 0; i < rows && status == CRU_OK; i++) status = read_row(&c, cols, numbers + i * cols, err);
    if (status == CRU_OK && cursor_more(&c)) status = cursor_fail(&c, "more rows than expected", err);
    *out = (text_matrix){numbers, rows, cols};
    return status;
}
