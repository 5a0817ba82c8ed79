// SPDX-License-Identifier: Apache-2.0
/* Numbers as text, the same in every locale. */
#ifndef CRU_PARAMS_NUMBER_H
#define CRU_PARAMS_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whole text, blanks around it allowed. Decimal notation only: no hexadecimal, no "inf", no "nan". */
typedef enum number_fault {
    NUMBER_FINE = 0,
    NUMBER_MALFORMED,
    NUMBER_TOO_LARGE, /* well formed, but not representable */
} number_fault;

number_fault number_read(const char *text, double *value);
number_fault number_read_int(const char *text, int64_t *value);

enum { NUMBER_TEXT = 32 };

/* The shortest text that reads back to the same bits; whole numbers below 10^15 without an exponent. Infinities, which
 * only ranges hold, become "inf" and "-inf". Returns `text`. */
const char *number_text(double value, char text[NUMBER_TEXT]);

#endif
