// SPDX-License-Identifier: Apache-2.0
/* The verbs of the program, and the choice among them. */
#ifndef CORE_CLI_VERBS_H
#define CORE_CLI_VERBS_H

int verb_list(int argc, char **argv);
int verb_info(int argc, char **argv);
int verb_report(int argc, char **argv);
int verb_show(int argc, char **argv);
int verb_serve(int argc, char **argv);
int verb_plot(int argc, char **argv);
int verb_claims(int argc, char **argv);
int verb_export(int argc, char **argv);
int verb_diff(int argc, char **argv);
int verb_merge(int argc, char **argv);
int verb_submit(int argc, char **argv);
int verb_status(int argc, char **argv);
int verb_check(int argc, char **argv);
int verb_doctor(int argc, char **argv);
int verb_run(int argc, char **argv);
int verb_search(int argc, char **argv);
int verb_score(int argc, char **argv);
int verb_clean(int argc, char **argv);
int verb_pick(int argc, char **argv);
int verb_fetch(int argc, char **argv);
int verb_stats(int argc, char **argv);
int verb_new(int argc, char **argv);
int verb_version(int argc, char **argv);
int verb_complete(int argc, char **argv);

/* The names that help lists, one a line. */
void verbs_print_names(void);

/* Runs the verb that argv[1] names and returns the exit code; without one, or for --help, prints the list of verbs. */
int verbs_run(int argc, char **argv);

#endif
