#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes one protection after the other out of the program and shows that its test then fails.

    tests/hostile/protections.py --check                 the places are still where this file says
    tests/hostile/protections.py --tree COPY [NAME...]   in COPY, a clone that may be changed and built (build/release)

Each protection is a few edits of the source: a text that stands there exactly once, and what takes its place. Before
the edits the test must pass, with them it must fail. A protection without which all tests pass is a fault, of the tests."""
import argparse
import os
import signal
import subprocess
import sys

LIMIT = 300  # seconds of one test, ten times what the longest takes
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

class Protection:
    def __init__(self, name, says, edits, test):
        self.name, self.says, self.edits, self.test = name, says, edits, test


def suite(name, case=None):
    program = f"build/release/tests/{name}"
    return ["env", f"CK_RUN_CASE={case}", program] if case else [program]


def script(name):
    return ["ctest", "--test-dir", "build/release", "--output-on-failure", "-R", f"^integration-{name}$"]


PROTECTIONS = [
    Protection("scan-confined", "C1: a file that is scanned is locked in before its constructors run",
               [("core/loader/scanner.c",
                 "if (job->tools && sandbox_enter(job->tools, ruleset, &err) != CRU_OK) _exit(126);",
                 "(void)ruleset, (void)err;")], suite("test-hostile", "scan")),
    Protection("check-confined", "C1: a plugin that is checked is locked in",
               [("core/check/case.c", "if (work->suite->box && sandbox_enter(", "if (false && sandbox_enter(")],
               suite("test-hostile", "scan")),
    Protection("links", "C2: only regular files, opened without following links, are granted",
               [("core/worker/sandbox-rules.c",
                 "if (entry->d_type != DT_REG && entry->d_type != DT_UNKNOWN) continue;", ""),
                ("core/worker/sandbox-rules.c", "if (!is_elf(dirfd(dir), entry->d_name, O_NOFOLLOW)) continue;", ""),
                ("core/worker/sandbox-rules.c", "O_PATH | O_NOFOLLOW | O_CLOEXEC", "O_PATH | O_CLOEXEC")],
               suite("test-hostile", "worker")),
    Protection("clean-parent", "C3: workers come from a process that was there before any secret",
               [("core/host/runner.c", "    r->nursery = r->options.nursery;\n", "    r->nursery = NULL;\n")],
               suite("test-hostile", "worker")),
    Protection("short-environment", "C3: the clean parent forgets the environment but for a few variables",
               [("core/process/nursery.c", "    forget_environment(options->variables);\n",
                 "    if (!options) forget_environment(options->variables);\n")], suite("test-hostile", "worker")),
    Protection("own-descriptors", "C3: nothing open is inherited, the socket of the parent of workers least of all",
               [("core/process/child.c", "    close_others(keep);\n", "    if (strcmp(keep->name, \"crucible-trial\") != 0) close_others(keep);\n")],
               suite("test-hostile", "worker")),
    Protection("worker-confined", "C2: a worker is locked in before its plugin is opened",
               [("core/worker/worker.c", "if (!status && box) status = sandbox_enter(box, job->ruleset, &err);",
                 "if (!status && box && job->ruleset < -1) status = sandbox_enter(box, job->ruleset, &err);")],
               suite("test-hostile", "worker")),
    Protection("one-process-a-file", "C4: no other plugin is in the process that describes one",
               [("core/loader/scanner.c", "    child_limit(\n        &(child_limits){.cpu_seconds = order->cpu_seconds,",
                 "    {\n        char rival[4096];\n        const cru_plugin *first;\n"
                 "        strcpy(stpcpy(rival, order->path) - strlen(file_name(order->path)), \"a-rival.so\");\n"
                 "        if (plugin_load(rival, &first, &err) == CRU_OK) plugin_check(first, &err);\n"
                 "    }\n    child_limit(\n        &(child_limits){.cpu_seconds = order->cpu_seconds,")],
               suite("test-hostile", "scan")),
    Protection("problems-by-number", "H1: a judge keeps problems by number as well as by size",
               [("core/judge/judge.c", "enum { PROBLEMS_MOST = 512 };", "enum { PROBLEMS_MOST = 1 << 30 };")],
               suite("test-hostile", "load")),
    Protection("a-judge-again", "H1: a judge that is killed while busy costs no trial",
               [("core/protocol/judges.c", "bool again = victim && blameless && !late && ++victim->attempts < ATTEMPTS;",
                 "bool again = victim && blameless && late && ++victim->attempts < ATTEMPTS;")], suite("test-hostile", "judge")),
    Protection("exit-code", "H1: the exit code tells of trials without a result",
               [("core/cli/session.c", "return has_failures(counts) ? CLI_PARTLY : CLI_OK;",
                 "return has_failures(counts) ? CLI_OK : CLI_OK;")], script("run")),
    Protection("fresh-scratch", "H2: a trial gets a folder without a trace of another",
               [("core/host/slots.c",
                 "if (s->parent < 0 || (s->folder >= 0 && scratch_untouched(s->folder))) return;",
                 "if (index >= 0) return;")], suite("test-hostile", "scratch")),
    Protection("scratch-removed", "H2: a folder is removed however deep or closed it is",
               [("core/worker/scratch.c", "moved += renameat(dirfd(list), entry->d_name, top, fresh) == 0;",
                 "(void)fresh;")], suite("test-hostile", "scratch")),
    Protection("closed-slots", "H3: a trial can open no folder but its own",
               [("core/host/slots.c", "status = rules_make(rules, s->folder,", "status = rules_make(rules, s->parent,")],
               suite("test-hostile", "scratch")),
    Protection("own-clock", "M1: parts of a time are within what the host measured",
               [("core/host/jobs.c", "return isfinite(seconds) ? fmin(fmax(seconds, 0), fmax(most, 0)) : NAN;",
                 "return most > -1 ? seconds : NAN;")], suite("test-hostile", "word")),
    Protection("time-until-the-end", "M1: a time lasts until the process is gone, not until its word",
               [("core/host/jobs.c", "    return j->ended_at - j->started;",
                 "    return fmax(j->outcome.seconds_construct, 0) + fmax(j->outcome.seconds_train, 0);")], suite("test-hostile", "word")),
    Protection("judged-validation", "M1: the best epoch is struck out when the scores do not bear it out",
               [("core/host/results.c", "monitor_refutes(&j->rule, &j->gain, reply->ruled);",
                 "!monitor_refutes(&j->rule, &j->gain, reply->ruled) && reply->ruled > 2;")], suite("test-hostile", "word")),
    Protection("few-questions", "M1: oracle-early shows the judge no more checkpoints than there are epochs",
               [("core/host/jobs.c", "if (j->rule.epochs && j->asked++ > j->rule.epochs) {",
                 "if (j->rule.epochs && j->asked++ < 0) {")], suite("test-hostile", "word")),
    Protection("hidden-once", "M1: the judge makes the whole of an inductive task once",
               [("core/host/jobs.c", "    if (j->learned) {", "    if (j->learned && !j->learned) {")],
               suite("test-hostile", "word")),
    Protection("judge-confined", "C1: what a dataset, corruptor or metric does is behind the judge's locks",
               [("core/judge/judge.c", "return status ? status : sandbox_enter(seat->box, ruleset, err);",
                 "return status;")], suite("test-hostile", "judge")),
    Protection("raised-limits-are-said", "M2: nor is a limit raised without one",
               [("core/cli/session.c", "run->memory < 0 || run->memory > share", "run->memory < 0")], script("hostile")),
    Protection("cache-of-its-own", "M2: nor does a file give judges another folder to write to",
               [("core/cli/session.c", "if (places_check_cache(&places, &err) != CRU_OK) return",
                 "if (places_check_cache(&places, &err) == CRU_NO_MEMORY) return")],
               script("hostile")),
    Protection("required", "a sandbox that is required is whole",
               [("core/host/runner.c", "if (options->experiment->run.sandbox != RUN_SANDBOX_REQUIRED || (",
                 "if (options->experiment->run.sandbox == RUN_SANDBOX_REQUIRED || (")], suite("test-hostile", "kernel")),
    Protection("risks-are-said", "M2: sandbox = off is told in a line",
               [("core/cli/session.c",
                 "fputs(\"[run] sandbox = off: plugins can do whatever you can, with your files and over the "
                 "network\\n\", stderr);", "{\n    }")], script("hostile")),
    Protection("watch", "M3: threads and scratch are watched while a worker runs",
               [("core/host/runner.c",
                 "for (int32_t i = 0; i < r->job_count; i++) jobs_watch(&r->jobs[i]);\n        l->ticked", "l->ticked")],
               suite("test-hostile", "greed")),
    Protection("files-have-names", "M3: a million empty files are too many",
               [("core/worker/scratch.c", "return taken > SCRATCH_NAME_BYTES ? taken : SCRATCH_NAME_BYTES;",
                 "return taken;")], suite("test-hostile", "greed")),
    Protection("files-without-names", "M3: what a worker has removed and still holds counts",
               [("core/host/jobs.c", "hidden = scratch_hidden_bytes(folder, j->pid);",
                 "hidden = 0 * scratch_hidden_bytes(folder, j->pid);")], suite("test-hostile", "greed")),
    Protection("words-are-counted", "M3: what a method prints is in memory, too",
               [("core/host/jobs.c", "    if (fills_log(j)) {", "    if (fills_log(j) && !j->log) {")], suite("test-hostile", "greed")),
    Protection("points-on-demand", "M3: curves that nobody asked for fill no store",
               [("core/host/jobs.c", "if (m->type == WORKER_POINT && j && j->runner->run->curves) add_point(j, m);",
                 "if (m->type == WORKER_POINT && j) add_point(j, m);")], suite("test-hostile", "greed")),
    Protection("own-limits", "C3: how large other processes are is not told",
               [("core/worker/sandbox-filter.c", "{{0, SCMP_CMP_MASKED_EQ, ALL, 0}, {2, SCMP_CMP_EQ, 0, 0}}",
                 "{{0, SCMP_CMP_MASKED_EQ, 0, 0}, {2, SCMP_CMP_EQ, 0, 0}}")], suite("test-sandbox")),
    Protection("no-broken-pages", "a privileged worker takes no page of memory from others",
               [("core/worker/sandbox-filter.c", "{SCMP_SYS(madvise), 2, ALL & ~UINT64_C(63), 0},",
                 "{SCMP_SYS(madvise), 2, 0, 0},")], suite("test-sandbox")),
    Protection("descriptors", "M3: open files are limited",
               [("core/worker/worker.c", "if (l->descriptors > 0) limit(", "if (l->descriptors < 0) limit(")],
               suite("test-hostile", "greed")),
    Protection("memory-not-counted", "H3: how much memory is free on a node is not told",
               [("core/worker/sandbox-rules.c", "\"/sys/devices/system/cpu\",",
                 "\"/sys/devices/system/cpu\", \"/sys/devices/system/node\",")], suite("test-sandbox")),
    Protection("memory-by-default", "M3: a trial may have its share of the memory if nothing is said",
               [("core/host/runner.c", "run->memory ? run->memory : runner_memory_share(run, slots)",
                 "run->memory ? run->memory : 0 * runner_memory_share(run, slots)")],
               suite("test-hostile", "greed")),
    Protection("shortage-is-ours", "H1: what is short here is no failure of a method",
               [("core/host/problems.c", "if (reply->no_data || reply->ours) runner_stop",
                 "if (reply->no_data && reply->ours) runner_stop")],
               suite("test-hostile", "judge")),
    Protection("words-of-run", "M4: what a method says reaches no terminal as it is",
               [("core/host/jobs.c", "    printable(j->outcome.text, true);\n", ""),
                ("core/host/results.c", "    printable(text, true);\n", "")], suite("test-hostile", "word")),
    Protection("words-of-list", "M4: nor what a plugin calls itself",
               [("core/registry/codec.c", "return printable((char *)(uintptr_t)text_copy(a, reader_text(r)), false);",
                 "return (char *)(uintptr_t)text_copy(a, reader_text(r));")], suite("test-hostile", "word")),
    Protection("words-of-a-store", "M4: nor what a store says", [("core/store/db.c", "    return *place ? printable(*place, lines) : \"?\";",
                "    return *place ? *place : \"?\";")], script("hostile-store")),
    Protection("programs-of-a-store", "a store with views or triggers is refused",
               [("core/store/schema.c", "    status = refuse_programs(s, err);\n", "")], script("hostile-store")),
    Protection("cells-of-export", "M4: nor does export write formulas",
               [("core/cli/verb-export.c", "        escape_csv(e->out, texts[k]);", "        fputs(texts[k], e->out);")],
               script("hostile-store")),
    Protection("own-times", "H3: a trial sees the processor time of no other process",
               [("core/worker/sandbox-filter.c", "{SCMP_SYS(clock_gettime), 0, FOREIGN_CLOCK, 0}", "{SCMP_SYS(clock_gettime), 0, 0, 0}")],
               suite("test-sandbox")),
    Protection("one-table-of-files", "M3: threads have the process's open files, and no more",
               [("core/worker/sandbox-filter.c", "ALL & ~(uint64_t)THREAD_MAY, THREAD_HAS}",
                 "CLONE_THREAD | CLONE_VM, CLONE_THREAD | CLONE_VM}")], suite("test-sandbox")),
    Protection("spreadsheets", "M4: no cell of a CSV is a formula",
               [("core/report/format/escape.c", "looks_like_formula(text) ? \"'\" : \"\";",
                 "looks_like_formula(text) ? \"\" : \"\";")], suite("test-hostile", "word")),
    Protection("size-of-a-download", "M5: a body ends at the size that the card tells",
               [("core/fetch/part.c", "return goal->bytes > 0 ? goal->bytes : goal->most > 0 ? goal->most : INT64_MAX;",
                 "return goal->bytes >= 0 ? (int64_t)40 << 20 : INT64_MAX;")], script("fetch")),
    Protection("web-pages", "M5: a page to log in is never the data",
               [("core/fetch/part.c", "known ? NULL : content_fault(p->path, g->path);",
                 "known || !g->path ? NULL : NULL;")], script("fetch")),
    Protection("slow-servers", "M5: what is too slow is given up",
               [("core/fetch/transfer.c", "if ((double)came < (double)l->least_speed * passed) {",
                 "if ((double)came < -(double)l->least_speed) {")], script("fetch")),
    Protection("whole-time", "M5: nor does a download take for ever",
               [("core/fetch/transfer.c", "if (now - a->begun_at > l->most_seconds) {",
                 "if (now - a->begun_at > 1e3 * l->most_seconds) {")], script("fetch")),
    Protection("set-aside", "M5: a file that its plugin cannot read, and no checksum vouches for, is set aside",
               [("core/fetch/run.c", "if (f->source_count > 0 && !f->sources[f->at].form->sha256) content_set_aside(",
                 "if (f->source_count < 0 && !f->sources[f->at].form->sha256) content_set_aside(")], script("fetch")),
    Protection("bombs", "M5: what unpacks to more than is believable is not unpacked",
               [("core/fetch/unpack.c", "else if (whole && from->size > limited.most)",
                 "else if (whole && from->size < 0)")], script("fetch")),
]


def misplaced(tree, edit):
    """What is wrong with the place of an edit; None: what is to go stands there once."""
    path, old, _ = edit
    with open(os.path.join(tree, path), encoding="utf-8") as f:
        count = f.read().count(old)
    return None if count == 1 else f"{path} has this {count} times: {old}"


def apply(tree, edits):
    for edit in edits:
        path = os.path.join(tree, edit[0])
        with open(path, encoding="utf-8") as f:
            text = f.read()
        with open(path, "w", encoding="utf-8") as f:
            f.write(text.replace(edit[1], edit[2]))


def build(tree):
    done = subprocess.run(["tools/build", "release", "crucible-cli", "test-hostile", "test-sandbox"], cwd=tree,
                          capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"protections.py: does not build:\n{done.stdout[-3000:]}{done.stderr[-1000:]}")


def run(test, tree):
    """The exit code and what it said. A test that never ends has failed."""
    done = subprocess.Popen(test, cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            start_new_session=True)
    try:
        said, _ = done.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        os.killpg(done.pid, signal.SIGKILL)
        said = f"Failed: not done after {LIMIT} s\n"
        done.wait()
    return done.returncode, said


def try_out(tree, p):
    files = sorted({edit[0] for edit in p.edits})
    apply(tree, p.edits)
    try:
        build(tree)
        code, said = run(p.test, tree)
    finally:
        subprocess.run(["git", "checkout", "--quiet", "--", *files], cwd=tree, check=True)
    lines = [line for line in said.splitlines() if ":F:" in line or "Failed" in line or ":E:" in line]
    print(f"{p.name}: {'fails without it' if code else 'NOBODY NOTICES'}  ({p.says})", flush=True)
    for line in lines[:2]:
        print(f"    {line.split('/')[-1][:160]}", flush=True)
    return code != 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--tree")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    lost = [why for p in PROTECTIONS for edit in p.edits if (why := misplaced(options.tree or SOURCE, edit))]
    if lost:
        sys.exit("\n".join(f"protections.py: {why}" for why in lost))
    if options.check:
        return 0
    if not options.tree:
        parser.error("--tree or --check")
    chosen = [p for p in PROTECTIONS if not options.names or p.name in options.names]
    build(options.tree)
    for test in sorted({tuple(p.test) for p in chosen}):
        if run(test, options.tree)[0]:
            sys.exit(f"protections.py: {' '.join(test)} fails as it is")
    unnoticed = [p.name for p in chosen if not try_out(options.tree, p)]
    build(options.tree)
    print(f"{len(chosen)} protections, {len(unnoticed)} of them without a test that fails")
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main())
