// SPDX-License-Identifier: Apache-2.0
/* The keys of a hundred thousand trials: SHA-256 (FIPS 180-4) of several texts side by side, one a lane of a vector. nettle,
 * which hashes everything else, takes one text at a time. */
#include <stdint.h>
#include <string.h>

#include "base/sha256.h"

typedef uint32_t lanes __attribute__((vector_size(4 * SHA256_LANES)));

enum { BLOCK = 64, ROUNDS = 64 };

static const uint32_t constants[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

/* A text and how it ends: with a one, zeros and its length in bits, big-endian. */
typedef struct message {
    const uint8_t *text;
    uint8_t tail[2 * BLOCK];
    size_t whole, blocks; /* blocks of the text alone, and of all */
} message;

static message message_of(const char *text)
{
    const size_t size = strlen(text), rest = size % BLOCK;
    message m = {.text = (const uint8_t *)text, .whole = size / BLOCK};
    m.blocks = m.whole + (rest + 9 > BLOCK ? 2 : 1);
    memcpy(m.tail, text + size - rest, rest);
    m.tail[rest] = 0x80;
    uint8_t *end = m.tail + (m.blocks - m.whole) * BLOCK;
    for (int i = 0; i < 8; i++) end[-1 - i] = (uint8_t)((uint64_t)size * 8 >> 8 * i);
    return m;
}

/* Block `number`; of a message that has ended its last one, which nobody reads. */
static const uint8_t *block_of(const message *m, size_t number)
{
    if (number >= m->blocks) number = m->blocks - 1;
    return number < m->whole ? m->text + number * BLOCK : m->tail + (number - m->whole) * BLOCK;
}

static uint32_t big_endian(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

#define TURNED(x, n) ((x) >> (n) | (x) << (32 - (n)))

/* One block of every message, whose first 16 words are in w. Inlined into functions for wider vectors. */
static inline __attribute__((always_inline)) void compress(lanes state[8], lanes w[ROUNDS])
{
    for (int i = 16; i < ROUNDS; i++) {
        const lanes a = w[i - 15], b = w[i - 2];
        w[i] =
            w[i - 16] + w[i - 7] + (TURNED(a, 7) ^ TURNED(a, 18) ^ a >> 3) + (TURNED(b, 17) ^ TURNED(b, 19) ^ b >> 10);
    }
    lanes a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6],
          h = state[7];
    for (int i = 0; i < ROUNDS; i++) {
        const lanes first =
            h + (TURNED(e, 6) ^ TURNED(e, 11) ^ TURNED(e, 25)) + ((e & f) ^ (~e & g)) + constants[i] + w[i];
        const lanes second = (TURNED(a, 2) ^ TURNED(a, 13) ^ TURNED(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

typedef void compressor(lanes state[8], lanes w[ROUNDS]);

static void compress_plain(lanes state[8], lanes w[ROUNDS])
{
    compress(state, w);
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static void compress_avx2(lanes state[8], lanes w[ROUNDS])
{
    compress(state, w);
}
#endif

static compressor *best_compressor(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2")) return compress_avx2;
#endif
    return compress_plain;
}

static void write_hex(const lanes state[8], int lane, char hex[SHA256_HEX])
{
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < SHA256_HEX - 1; i++) hex[i] = digits[state[i / 8][lane] >> (28 - 4 * (i % 8)) & 15];
    hex[SHA256_HEX - 1] = '\0';
}

void sha256_texts(const char *const *texts, int count, char (*const *hex)[SHA256_HEX])
{
    compressor *const one_block = best_compressor();
    message m[SHA256_LANES];
    lanes state[8], w[ROUNDS];
    size_t most = 0;
    for (int k = 0; k < SHA256_LANES; k++) {
        m[k] = message_of(k < count ? texts[k] : "");
        if (m[k].blocks > most) most = m[k].blocks;
        for (int i = 0; i < 8; i++) state[i][k] = start[i];
    }
    for (size_t number = 0; number < most; number++) {
        for (int k = 0; k < SHA256_LANES; k++) {
            const uint8_t *block = block_of(&m[k], number);
            for (int i = 0; i < 16; i++) w[i][k] = big_endian(block + 4 * i);
        }
        one_block(state, w);
        for (int k = 0; k < count; k++)
            if (number + 1 == m[k].blocks) write_hex(state, k, *hex[k]);
    }
}
