// SPDX-License-Identifier: Apache-2.0
#include "mat-file.h"

#include <errno.h>
#include <math.h>
#include <matio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <crucible/csr.h>

#include "mat-check.h"
#include "unpack.h"

struct mat_file {
    const char *path;
    mat_t *mat;
    int unpacked; /* memory file that matio reads instead of a packed one; -1: none */
};

static void be_silent(int level, char *message)
{
    (void)level, (void)message;
}

static bool is_packed(const char *path)
{
    char start[8];
    FILE *file = fopen(path, "rbe");
    size_t size = file ? fread(start, 1, sizeof start, file) : 0;
    if (file) fclose(file);
    return unpack_recognises(start, size);
}

/* matio wants a file, so unpacked bytes become one. */
static cru_status keep_unpacked(mat_file *file, const blob *bytes, cru_error *err)
{
    file->unpacked = memfd_create("mat", MFD_CLOEXEC);
    FILE *out = file->unpacked >= 0 ? fdopen(dup(file->unpacked), "wb") : NULL;
    bool written = out && fwrite(bytes->bytes, 1, (size_t)bytes->size, out) == (size_t)bytes->size;
    if (out && fclose(out) != 0) written = false;
    return written ? CRU_OK : cru_fail(err, CRU_IO, "%s: cannot be unpacked: %s", file->path, strerror(errno));
}

static cru_status check_file(mat_file *file, cru_error *err)
{
    blob bytes;
    cru_arena *arena = cru_arena_create();
    if (!arena) return cru_fail(err, CRU_NO_MEMORY, "%s: no memory", file->path);
    cru_status status = blob_read(arena, file->path, &bytes, err);
    if (!status) status = mat_check(&bytes, arena, err);
    if (!status && is_packed(file->path)) status = keep_unpacked(file, &bytes, err);
    cru_arena_destroy(arena);
    return status;
}

cru_status mat_open(const char *path, mat_file **out, cru_error *err)
{
    *out = NULL;
    mat_file *file = malloc(sizeof *file);
    if (!file) return cru_fail(err, CRU_NO_MEMORY, "%s: no memory", path);
    *file = (mat_file){.path = path, .unpacked = -1};
    cru_status status = check_file(file, err);
    if (!status) {
        char memory[40];
        snprintf(memory, sizeof memory, "/proc/self/fd/%d", file->unpacked);
        Mat_LogInitFunc("crucible", be_silent);
        file->mat = Mat_Open(file->unpacked >= 0 ? memory : path, MAT_ACC_RDONLY);
        if (!file->mat) status = cru_fail(err, CRU_BAD_INPUT, "%s: not a MATLAB file", path);
    }
    if (!status)
        *out = file;
    else
        mat_close(file);
    return status;
}

void mat_close(mat_file *file)
{
    if (!file) return;
    if (file->mat) Mat_Close(file->mat);
    if (file->unpacked >= 0) close(file->unpacked);
    free(file);
}

const char *mat_first(mat_file *file, const char *const *names)
{
    for (; *names; names++) {
        matvar_t *info = Mat_VarReadInfo(file->mat, *names);
        if (!info) continue;
        Mat_VarFree(info);
        return *names;
    }
    return NULL;
}

/* Number i of the stored ones, whatever their type. */
static double stored(const void *data, enum matio_types type, size_t i)
{
    switch (type) {
    case MAT_T_DOUBLE:
        return ((const double *)data)[i];
    case MAT_T_SINGLE:
        return (double)((const float *)data)[i];
    case MAT_T_INT8:
        return ((const mat_int8_t *)data)[i];
    case MAT_T_UINT8:
        return ((const mat_uint8_t *)data)[i];
    case MAT_T_INT16:
        return ((const mat_int16_t *)data)[i];
    case MAT_T_UINT16:
        return ((const mat_uint16_t *)data)[i];
    case MAT_T_INT32:
        return ((const mat_int32_t *)data)[i];
    case MAT_T_UINT32:
        return ((const mat_uint32_t *)data)[i];
    case MAT_T_INT64:
        return (double)((const mat_int64_t *)data)[i];
    case MAT_T_UINT64:
        return (double)((const mat_uint64_t *)data)[i];
    default:
        return NAN;
    }
}

static cru_status fail_variable(const mat_matrix *m, const char *what, cru_error *err)
{
    return cru_fail(err, CRU_BAD_INPUT, "%s: %s", m->name, what);
}

static cru_status take_dense(const matvar_t *v, cru_arena *arena, mat_matrix *m, cru_error *err)
{
    int64_t cells;
    if (__builtin_mul_overflow(m->rows, m->cols, &cells)) return fail_variable(m, "an impossible size", err);
    size_t bytes = v->data_size > 0 ? v->nbytes / (size_t)v->data_size : 0;
    if (cells > 0 && (!v->data || bytes < (size_t)cells)) return fail_variable(m, "holds too few numbers", err);
    double *dense = cru_arena_try(arena, cells, sizeof *dense);
    if (!dense) return cru_fail(err, CRU_NO_MEMORY, "%s: no memory", m->name);
    for (int64_t c = 0; c < m->cols; c++)
        for (int64_t r = 0; r < m->rows; r++) {
            double value = stored(v->data, v->data_type, (size_t)(c * m->rows + r));
            if (!isfinite(value)) return fail_variable(m, "a number that is not finite", err);
            dense[r * m->cols + c] = value;
        }
    m->dense = dense;
    return CRU_OK;
}

/* Columns and entries cost bytes in the file, rows do not: work and memory must not follow what is only claimed of
 * them. Square matrices and ones of moderate size may be as empty as they like. */
static int64_t most_rows(int64_t cols, int64_t entries)
{
    enum { MODERATE = 1 << 16, EMPTY_PER_ENTRY = 100 };
    return MODERATE + cols + EMPTY_PER_ENTRY * entries;
}

/* Checks a compressed-column matrix: jc ascends from 0 to the number of entries, ir is in range, numbers finite. */
static cru_status check_sparse(const mat_matrix *m, const mat_sparse_t *s, enum matio_types type, cru_error *err)
{
    if (m->rows > INT32_MAX || m->cols > INT32_MAX || s->njc < (mat_uint32_t)m->cols + 1 || !s->jc || s->jc[0] != 0)
        return fail_variable(m, "a sparse matrix of impossible shape", err);
    for (int64_t c = 0; c < m->cols; c++)
        if (s->jc[c + 1] < s->jc[c]) return fail_variable(m, "columns of negative length", err);
    mat_uint32_t count = s->jc[m->cols];
    if (m->rows > most_rows(m->cols, count)) return fail_variable(m, "a sparse matrix of nothing but empty rows", err);
    if (count > s->nir || count > s->ndata || (count > 0 && (!s->ir || !s->data)))
        return fail_variable(m, "holds fewer entries than its columns say", err);
    for (mat_uint32_t i = 0; i < count; i++) {
        if ((int64_t)s->ir[i] >= m->rows) return fail_variable(m, "a row number out of range", err);
        if (!isfinite(stored(s->data, type, i))) return fail_variable(m, "a number that is not finite", err);
    }
    return CRU_OK;
}

static bool is_not_zero(void *user, int64_t row, int32_t col, float value)
{
    (void)user, (void)row, (void)col;
    return value != 0;
}

static cru_status take_sparse(const matvar_t *v, cru_arena *arena, mat_matrix *m, cru_error *err)
{
    const mat_sparse_t *s = v->data;
    if (!s) return fail_variable(m, "an empty sparse matrix", err);
    cru_status status = check_sparse(m, s, v->data_type, err);
    if (status) return status;
    int64_t count = s->jc[m->cols];
    int32_t *row = cru_arena_alloc(arena, count, sizeof *row), *col = cru_arena_alloc(arena, count, sizeof *col);
    float *values = cru_arena_alloc(arena, count, sizeof *values);
    bool ones = true, zeros = false;
    for (int64_t c = 0; c < m->cols; c++)
        for (mat_uint32_t i = s->jc[c]; i < s->jc[c + 1]; i++) {
            row[i] = (int32_t)s->ir[i];
            col[i] = (int32_t)c;
            values[i] = (float)stored(s->data, v->data_type, i);
            ones = ones && (values[i] == 1 || values[i] == 0);
            zeros = zeros || values[i] == 0;
        }
    cru_coo entries = {m->rows, m->cols, count, row, col, values};
    cru_pool pool = cru_arena_pool(arena);
    m->sparse = cru_csr_from_coo(pool, &entries, CRU_DUP_SUM);
    if (zeros) m->sparse = cru_csr_filter(pool, &m->sparse, is_not_zero, NULL);
    if (ones) m->sparse = cru_csr_pattern(&m->sparse);
    return CRU_OK;
}

/* Before the data is read: matio allocates what the header promises. */
static const char *fault(const matvar_t *info)
{
    if (info->rank != 2 || info->isComplex) return "not a matrix of real numbers";
    bool numeric =
        info->class_type == MAT_C_SPARSE || (info->class_type >= MAT_C_DOUBLE && info->class_type <= MAT_C_UINT64);
    if (!numeric) return "not a matrix of numbers";
    size_t most = (size_t)1 << 31, cells;
    if (info->class_type == MAT_C_SPARSE) return NULL;
    if (__builtin_mul_overflow(info->dims[0], info->dims[1], &cells) || cells > most) return "an impossible size";
    return NULL;
}

cru_status mat_look(mat_file *file, const char *name, mat_shape *out, cru_error *err)
{
    matvar_t *info = Mat_VarReadInfo(file->mat, name);
    const char *what = info ? fault(info) : "there is no such variable";
    if (!what) *out = (mat_shape){(int64_t)info->dims[0], (int64_t)info->dims[1]};
    Mat_VarFree(info);
    return what ? cru_fail(err, CRU_BAD_INPUT, "%s: %s: %s", file->path, name, what) : CRU_OK;
}

cru_status mat_read(mat_file *file, const char *name, cru_arena *arena, mat_matrix *out, cru_error *err)
{
    mat_shape shape = {0};
    *out = (mat_matrix){.name = blob_name(arena, file->path, name)};
    cru_status status = mat_look(file, name, &shape, err);
    if (status) return status;
    matvar_t *v = Mat_VarRead(file->mat, name);
    const bool sound =
        v && v->rank == 2 && v->data && (int64_t)v->dims[0] == shape.rows && (int64_t)v->dims[1] == shape.cols;
    if (!sound) {
        Mat_VarFree(v);
        return fail_variable(out, "damaged", err);
    }
    out->rows = shape.rows;
    out->cols = shape.cols;
    status = v->class_type == MAT_C_SPARSE ? take_sparse(v, arena, out, err) : take_dense(v, arena, out, err);
    Mat_VarFree(v);
    return status;
}

mat_matrix mat_transpose(const mat_matrix *m, cru_arena *arena)
{
    mat_matrix t = {.name = m->name, .rows = m->cols, .cols = m->rows};
    if (!m->dense) {
        t.sparse = cru_csr_transpose(cru_arena_pool(arena), &m->sparse, NULL);
        return t;
    }
    double *dense = cru_arena_alloc(arena, m->rows * m->cols, sizeof *dense);
    for (int64_t r = 0; r < m->rows; r++)
        for (int64_t c = 0; c < m->cols; c++) dense[c * m->rows + r] = m->dense[r * m->cols + c];
    t.dense = dense;
    return t;
}

double mat_at(const mat_matrix *m, int64_t row, int64_t col)
{
    if (m->dense) return m->dense[row * m->cols + col];
    int64_t entry = cru_csr_find(&m->sparse, row, (int32_t)col);
    if (entry < 0) return 0;
    return m->sparse.values ? (double)m->sparse.values[entry] : 1;
}

cru_csr mat_csr(const mat_matrix *m, cru_arena *arena)
{
    if (!m->dense) return m->sparse;
    float *copy = cru_arena_alloc(arena, m->rows * m->cols, sizeof *copy);
    for (int64_t i = 0; i < m->rows * m->cols; i++) copy[i] = (float)m->dense[i];
    return cru_csr_from_dense(cru_arena_pool(arena), copy, m->rows, m->cols);
}
