// SPDX-License-Identifier: Apache-2.0
/* The suites, one per kind; check.c chooses. Each adds its rows to the report. */
#ifndef CORE_CHECK_SUITES_H
#define CORE_CHECK_SUITES_H

#include "check/case.h"

void suite_algorithm(suite *s);
void suite_settings(suite *s); /* an algorithm's settings at their limits */
void suite_dataset(suite *s);
void suite_corruptor(suite *s);
void suite_metric(suite *s);
void suite_split(suite *s);

#endif
