// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "pickle-machine.h"

const uint8_t *machine_bytes(machine *m, uint64_t count)
{
    if (count > (uint64_t)(m->file->size - m->at)) return NULL;
    const uint8_t *bytes = m->file->bytes + m->at;
    m->at += (int64_t)count;
    return bytes;
}

cru_status machine_number(machine *m, int width, uint64_t *out)
{
    const uint8_t *bytes = machine_bytes(m, (uint64_t)width);
    if (!bytes) return machine_fail(m, CRU_BAD_INPUT, "the pickle ends inside an opcode");
    *out = 0;
    memcpy(out, bytes, (size_t)width);
    return CRU_OK;
}

cru_status machine_line(machine *m, const char **text, int64_t *length)
{
    const char *first = (const char *)m->file->bytes + m->at;
    const char *stop = memchr(first, '\n', (size_t)(m->file->size - m->at));
    if (!stop) return machine_fail(m, CRU_BAD_INPUT, "a line without end");
    *text = first;
    *length = stop - first;
    m->at += *length + 1;
    return CRU_OK;
}

cru_status machine_decimal(const machine *m, const char *text, int64_t length, int64_t *out)
{
    int64_t number = 0, i = length > 0 && text[0] == '-';
    bool sound = i < length;
    for (; i < length && sound; i++) {
        sound = text[i] >= '0' && text[i] <= '9' && !__builtin_mul_overflow(number, 10, &number) &&
                !__builtin_add_overflow(number, text[i] - '0', &number);
    }
    if (!sound) return machine_fail(m, CRU_BAD_INPUT, "not a whole number of 64 bits");
    *out = length > 0 && text[0] == '-' ? -number : number;
    return CRU_OK;
}

static cru_status push_integer(machine *m, pickle_kind kind, int64_t integer)
{
    pickle_value *v = machine_push(m, kind);
    if (!v) return CRU_NO_MEMORY;
    v->integer = integer;
    v->real = (double)integer;
    return CRU_OK;
}

static cru_status push_real(machine *m, double real)
{
    pickle_value *v = machine_push(m, PICKLE_FLOAT);
    if (!v) return CRU_NO_MEMORY;
    v->real = real;
    return CRU_OK;
}

static cru_status push_bytes(machine *m, const uint8_t *bytes, int64_t size)
{
    pickle_value *v = machine_push(m, PICKLE_BYTES);
    if (!v) return CRU_NO_MEMORY;
    v->bytes = bytes;
    v->size = size;
    return CRU_OK;
}

/* `width` bytes of length (of 4 signed: Python 2 wrote it so), then that many bytes. */
static cru_status counted_bytes(machine *m, int width)
{
    uint64_t size;
    cru_status status = machine_number(m, width, &size);
    if (status) return status;
    const uint8_t *bytes = machine_bytes(m, size);
    if (!bytes) return machine_fail(m, CRU_BAD_INPUT, "a string that is longer than the file");
    return push_bytes(m, bytes, (int64_t)size);
}

/* A two's complement number of as many bytes as the length says. */
static cru_status counted_long(machine *m, int width)
{
    uint64_t size, bits = 0;
    cru_status status = machine_number(m, width, &size);
    if (status) return status;
    if (size > 8) return machine_fail(m, CRU_UNSUPPORTED, "a whole number of more than 64 bits");
    status = machine_number(m, (int)size, &bits);
    if (status) return status;
    int shift = 64 - 8 * (int)size;
    return push_integer(m, PICKLE_INT, size > 0 ? (int64_t)(bits << shift) >> shift : 0);
}

static cru_status line_integer(machine *m, bool is_long)
{
    const char *text;
    int64_t length, number;
    cru_status status = machine_line(m, &text, &length);
    if (status) return status;
    if (!is_long && length == 2 && text[0] == '0') return push_integer(m, PICKLE_BOOL, text[1] == '1');
    if (is_long && length > 0 && text[length - 1] == 'L') length--;
    status = machine_decimal(m, text, length, &number);
    return status ? status : push_integer(m, PICKLE_INT, number);
}

static cru_status line_real(machine *m)
{
    const char *text;
    int64_t length;
    cru_status status = machine_line(m, &text, &length);
    if (status) return status;
    char *end;
    double real = strtod(text, &end); /* stops at the line's end at the latest */
    if (length == 0 || end != text + length) return machine_fail(m, CRU_BAD_INPUT, "not a number");
    return push_real(m, real);
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Undoes the escapes of Python's repr() of a byte string; the result is never longer. -1: malformed. */
static int64_t unescape(const char *text, int64_t length, uint8_t *out)
{
    static const char codes[] = "n\nt\tr\r\\\\''\"\"";
    int64_t size = 0;
    for (int64_t i = 0; i < length; i++) {
        if (text[i] != '\\') {
            out[size++] = (uint8_t)text[i];
            continue;
        }
        if (++i == length) return -1;
        const char *code = NULL;
        for (const char *c = codes; *c; c += 2)
            if (*c == text[i]) code = c;
        if (code) {
            out[size++] = (uint8_t)code[1];
        } else if (text[i] == 'x' && i + 2 < length && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0) {
            out[size++] = (uint8_t)(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
            i += 2;
        } else {
            return -1;
        }
    }
    return size;
}

static cru_status line_string(machine *m)
{
    const char *text;
    int64_t length;
    cru_status status = machine_line(m, &text, &length);
    if (status) return status;
    if (length < 2 || (text[0] != '\'' && text[0] != '"') || text[length - 1] != text[0])
        return machine_fail(m, CRU_BAD_INPUT, "a string without quotes");
    uint8_t *bytes = cru_arena_try(m->arena, length, 1);
    if (!bytes) return machine_fail(m, CRU_NO_MEMORY, "no memory");
    int64_t size = unescape(text + 1, length - 2, bytes);
    return size < 0 ? machine_fail(m, CRU_BAD_INPUT, "a broken escape") : push_bytes(m, bytes, size);
}

static cru_status line_unicode(machine *m)
{
    const char *text;
    int64_t length;
    cru_status status = machine_line(m, &text, &length);
    if (status) return status;
    if (memchr(text, '\\', (size_t)length)) return machine_fail(m, CRU_UNSUPPORTED, "an escape in a unicode string");
    return push_bytes(m, (const uint8_t *)text, length);
}

static cru_status big_endian_real(machine *m)
{
    const uint8_t *bytes = machine_bytes(m, 8);
    if (!bytes) return machine_fail(m, CRU_BAD_INPUT, "the pickle ends inside an opcode");
    uint64_t bits = 0;
    double real;
    for (int i = 0; i < 8; i++) bits = bits << 8 | bytes[i];
    memcpy(&real, &bits, 8);
    return push_real(m, real);
}

static cru_status binary_integer(machine *m, int width)
{
    uint64_t bits;
    cru_status status = machine_number(m, width, &bits);
    if (status) return status;
    return push_integer(m, PICKLE_INT, width == 4 ? (int32_t)(uint32_t)bits : (int64_t)bits);
}

cru_status machine_scalar(machine *m, uint8_t op, bool *known)
{
    *known = true;
    switch (op) {
    case 'N':
        return machine_push(m, PICKLE_NONE) ? CRU_OK : CRU_NO_MEMORY;
    case 0x88:
        return push_integer(m, PICKLE_BOOL, 1);
    case 0x89:
        return push_integer(m, PICKLE_BOOL, 0);
    case 'I':
        return line_integer(m, false);
    case 'L':
        return line_integer(m, true);
    case 'J':
        return binary_integer(m, 4);
    case 'K':
        return binary_integer(m, 1);
    case 'M':
        return binary_integer(m, 2);
    case 0x8a:
        return counted_long(m, 1);
    case 0x8b:
        return counted_long(m, 4);
    case 'F':
        return line_real(m);
    case 'G':
        return big_endian_real(m);
    case 'S':
        return line_string(m);
    case 'V':
        return line_unicode(m);
    case 'U':
    case 'C':
    case 0x8c:
        return counted_bytes(m, 1);
    case 'T':
    case 'B':
    case 'X':
        return counted_bytes(m, 4);
    case 0x8d:
    case 0x8e:
        return counted_bytes(m, 8);
    default:
        *known = false;
        return CRU_OK;
    }
}
