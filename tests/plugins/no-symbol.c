// SPDX-License-Identifier: Apache-2.0
/* A shared object that is no plugin. */
extern int just_a_library;
int just_a_library = 1;
