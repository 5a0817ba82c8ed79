// SPDX-License-Identifier: Apache-2.0
/* What is read from a cluster and its nodes, and what is asked of it. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cluster/submit.h"
#include "host/cores.h"
#include "store/db.h"

START_TEST(memory_is_asked_for_in_powers_of_two)
{
    ck_assert_int_eq(submit_mib(0, 0), 4096);              /* nothing is known */
    ck_assert_int_eq(submit_mib(100LL << 20, 0), 1024);    /* 100 * 3/2 + 512 */
    ck_assert_int_eq(submit_mib(1000LL << 20, 0), 2048);   /* 2012 */
    ck_assert_int_eq(submit_mib(1100LL << 20, -1), 4096);  /* 2162 */
    ck_assert_int_eq(submit_mib(100LL << 20, 6000), 8192); /* the limit of [run] counts */
}
END_TEST

START_TEST(the_largest_array_is_the_sites)
{
    ck_assert_int_eq(submit_array_most("MaxArraySize            = 501\nMaxDBDMsgs = 20008\n"), 501);
    ck_assert_int_eq(submit_array_most("no such line"), 1001);
}
END_TEST

START_TEST(processors_are_what_a_text_or_a_quota_says)
{
    ck_assert_int_eq(cores_of_text("16"), 16);
    ck_assert_int_eq(cores_of_text("0"), 0);
    ck_assert_int_eq(cores_of_text("8x"), 0);
    ck_assert_int_eq(cores_of_text(NULL), 0);
    ck_assert_int_eq(cores_of_quota("200000 100000"), 2);
    ck_assert_int_eq(cores_of_quota("150000 100000\n"), 2);
    ck_assert_int_eq(cores_of_quota("50000 100000"), 1);
    ck_assert_int_eq(cores_of_quota("max 100000"), 0);
    ck_assert_int_eq(cores_of_quota("-1 100000"), 0);
}
END_TEST

START_TEST(slurm_says_how_many_trials_at_a_time)
{
    setenv("SLURM_CPUS_PER_TASK", "3", 1);
    ck_assert_int_eq(cores_usable(), 3);
    unsetenv("SLURM_CPUS_PER_TASK");
    ck_assert_int_ge(cores_usable(), 1);
}
END_TEST

static void put_file(const char *folder, const char *name, const char *text);

/* A task's group lies in that of its job, which may be bound more closely; "max" says nothing. */
START_TEST(a_control_group_is_bound_by_those_above_it)
{
    char root[] = "/tmp/crucible-groups-XXXXXX", folder[80], command[100];
    ck_assert_ptr_nonnull(mkdtemp(root));
    snprintf(folder, sizeof folder, "%s/job/task", root);
    snprintf(command, sizeof command, "mkdir -p %s", folder);
    ck_assert_int_eq(system(command), 0);
    ck_assert_int_eq(cores_of_group(root, "/job/task"), 0);
    ck_assert_int_eq(memory_of_group(root, "/job/task"), 0);
    put_file(folder, "cpu.max", "800000 100000\n");
    put_file(folder, "memory.max", "max\n");
    ck_assert_int_eq(cores_of_group(root, "/job/task"), 8);
    ck_assert_int_eq(memory_of_group(root, "/job/task"), 0);
    snprintf(folder, sizeof folder, "%s/job", root);
    put_file(folder, "cpu.max", "300000 100000\n");
    put_file(folder, "memory.max", "8589934592\n");
    ck_assert_int_eq(cores_of_group(root, "/job/task"), 3);
    ck_assert_int_eq(memory_of_group(root, "/job/task"), INT64_C(8589934592));
    put_file(root, "cpu.max", "max 100000\n"); /* as a container has it */
    ck_assert_int_eq(cores_of_group(root, ""), 0);
    ck_assert_int_eq(cores_of_group(root, "/job"), 3);
    snprintf(command, sizeof command, "rm -r %s", root);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

START_TEST(disks_of_other_machines_are_known)
{
    ck_assert(store_on_network(0x6969));
    ck_assert(store_on_network(0x0bd00bd0));
    ck_assert(store_on_network(0x47504653));
    ck_assert(store_on_network((int64_t)0xff534d42));
    ck_assert(store_on_network((int64_t)(int32_t)0xff534d42)); /* as statfs has it where the member is 32 bits wide */
    ck_assert(!store_on_network(0xef53));                      /* ext4 */
    ck_assert(!store_on_network(0x01021994));                  /* tmpfs */
}
END_TEST

static void put_file(const char *folder, const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    fputs(text, out);
    ck_assert_int_eq(fclose(out), 0);
}

START_TEST(tasks_are_done_run_wait_or_are_lost)
{
    char folder[] = "/tmp/crucible-batch-XXXXXX", path[100];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/1%s", folder, i ? "/shards" : "");
        ck_assert_int_eq(mkdir(path, 0700), 0);
    }
    put_file(folder, "1/tasks", "1 10.5 3 1024\n2 9 3 1024\n3 8 2 4096\n4 7 2 4096\n5 6 1 4096\n");
    put_file(folder, "1/shards/1.db", "");
    batch b;
    cru_error err = {0};
    ck_assert_msg(batch_open(folder, &b, &err) == CRU_OK, "%s", err.text); /* nothing went to Slurm: it is not asked */
    ck_assert_int_eq(b.count, 1);
    ck_assert_int_eq(b.rounds[0].task_count, 5);
    ck_assert_int_eq(b.rounds[0].tasks[0].state, BATCH_DONE);
    ck_assert_int_eq(b.rounds[0].tasks[1].state, BATCH_LOST);
    batch_array arrays[] = {{77, 1, 2}, {78, 3, 3}};
    b.rounds[0].arrays = malloc(sizeof arrays);
    memcpy(b.rounds[0].arrays, arrays, sizeof arrays);
    b.rounds[0].array_count = 2;
    batch_note_queue(&b, "77 0 RUNNING\n77 1 PENDING\n78 1 RUNNING\n78 9 RUNNING\n5 0 RUNNING\n78 N/A PENDING\n");
    static const batch_state wanted[] = {BATCH_DONE, BATCH_WAITING, BATCH_LOST, BATCH_RUNNING, BATCH_LOST};
    for (int i = 0; i < 5; i++) ck_assert_int_eq(b.rounds[0].tasks[i].state, wanted[i]);
    batch_close(&b);
    put_file(folder, "1/tasks", "1 10.5 3 1024\n3 9 3 1024\n");
    ck_assert_int_eq(batch_open(folder, &b, &err), CRU_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "1/tasks:2: "));
    static const char *const left[] = {"1/shards/1.db", "1/shards", "1/tasks", "1", ""};
    for (int i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, left[i]);
        ck_assert_int_eq(remove(path), 0);
    }
}
END_TEST

START_TEST(a_store_that_one_process_has_alone_is_closed_to_others_and_whole_afterwards)
{
    char folder[] = "/tmp/crucible-alone-XXXXXX", path[64], wal[80];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/r.db", folder);
    snprintf(wal, sizeof wal, "%s-wal", path);
    cru_error err = {0};
    store *s, *other;
    int64_t id;
    ck_assert_int_eq(store_open(path, &(store_options){.alone = true}, &s, &err), CRU_OK);
    ck_assert_int_eq(store_add_experiment(s, &(store_experiment){.name = "e"}, &id, &err), CRU_OK);
    ck_assert_int_ne(access(wal, F_OK), 0); /* SQLite's log for several processes is not used */
    ck_assert_int_eq(store_open(path, &(store_options){.busy_ms = 1}, &other, &err), CRU_IO);
    ck_assert_int_eq(store_close(s, &err), CRU_OK);
    err = (cru_error){0};
    ck_assert_int_eq(store_open(path, &(store_options){.read_only = true, .still = true}, &s, &err), CRU_OK);
    ck_assert_int_eq(store_find_experiment(s, "e", &id, &err), CRU_OK);
    ck_assert_int_ne(id, 0);
    ck_assert_int_eq(store_close(s, &err), CRU_OK);
    unlink(path);
    ck_assert_int_eq(rmdir(folder), 0); /* reading left nothing beside it */
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("submit");
    TCase *c = tcase_create("submit");
    tcase_add_test(c, a_control_group_is_bound_by_those_above_it);
    tcase_add_test(c, memory_is_asked_for_in_powers_of_two);
    tcase_add_test(c, the_largest_array_is_the_sites);
    tcase_add_test(c, processors_are_what_a_text_or_a_quota_says);
    tcase_add_test(c, slurm_says_how_many_trials_at_a_time);
    tcase_add_test(c, disks_of_other_machines_are_known);
    tcase_add_test(c, tasks_are_done_run_wait_or_are_lost);
    tcase_add_test(c, a_store_that_one_process_has_alone_is_closed_to_others_and_whole_afterwards);
    suite_add_tcase(s, c);
    return s;
}
