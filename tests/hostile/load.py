#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs very many trials and watches what the program's processes hold meanwhile.

    tests/hostile/load.py [--trials 100000] [--jobs 2] [--every 10] [--build build/release] [--keep FOLDER]

Ten methods on a tenth as many problems, each new; every problem costs a judge mappings and memory, every trial costs the
host descriptors and rows. Every few seconds the memory (RSS), the mappings and the open files of the host, the parents of
workers and the judges are counted. It fails when the run does not end with exit code 0 and a result of every trial, or
when a parent or a judge holds a tenth more in the last fifth of the trials than in the second, or the host more than its
store's cache and a few hundred bytes a trial, which is the list of them."""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
PLUGINS = ("runner-secret", "runner-accuracy", "fit-spin")
METHODS = 10           # per problem: a list has at most 100,000 seeds
HOST_BYTES = 400      # a trial, that the host may keep: its key and what it is
HOST_CACHE = 192 << 20  # the store's 128 MiB, and the program
SLACK = dict(rss=16 << 20, mappings=64, files=16)
WATCHED = dict(crucible="host", **{"crucible-nurse": "parent", "crucible-judge": "judge"})

EXPERIMENT = """[experiment]
name = load
metrics = runner-accuracy
seeds = 0..{last}
[dataset runner-secret]
rows = 70
[algorithm fit-spin]
ms = 0
copy = 0..{copies}
[run]
jobs = {jobs}
"""


def prepare(options, folder):
    os.makedirs(os.path.join(folder, "plugins"))
    for name in PLUGINS:
        os.symlink(os.path.abspath(os.path.join(options.build, "tests", "plugins", name + ".so")),
                   os.path.join(folder, "plugins", name + ".so"))
    with open(os.path.join(folder, "load.ini"), "w", encoding="utf-8") as file:
        file.write(EXPERIMENT.format(last=options.trials // METHODS - 1, copies=METHODS - 1, jobs=options.jobs))


def text(*path):
    with open(os.path.join("/proc", *path), encoding="utf-8", errors="replace") as file:
        return file.read()


def family(pid):
    found = [pid]
    for parent in found:
        try:
            found += [int(word) for word in text(str(parent), "task", str(parent), "children").split()]
        except OSError:
            pass
    return found


def held(pid):
    """(what it is called, what it holds); None: it is gone, or a worker."""
    try:
        kind = WATCHED.get(text(str(pid), "comm").strip())
        if not kind:
            return None
        rss = int(text(str(pid), "statm").split()[1]) * os.sysconf("SC_PAGE_SIZE")
        mappings = text(str(pid), "maps").count("\n")
        return f"{kind} {pid}", dict(rss=rss, mappings=mappings, files=len(os.listdir(f"/proc/{pid}/fd")))
    except (OSError, IndexError):
        return None


class Watch:
    """The most that each process held, in fifths of the run."""

    def __init__(self, trials):
        self.trials, self.most = trials, {}

    def look(self, host, done):
        fifth = min(5 * done // self.trials, 4)
        for name, holds in filter(None, map(held, family(host))):
            best = self.most.setdefault(name, {}).setdefault(fifth, dict(holds))
            for what, count in holds.items():
                best[what] = max(best[what], count)

    def allowed(self, name, what, early):
        if what == "rss" and name.startswith("host"):
            return HOST_CACHE + HOST_BYTES * self.trials
        return early + early // 10 + SLACK[what]

    def judge(self):
        """Prints a table; returns what is wrong. A worker that has not named itself yet looks like its parent: no row."""
        wrong, whole = [], {name: fifths for name, fifths in self.most.items() if len(fifths) == 5}
        print(f"{'process':<16} {'':<10}" + "".join(f"{f'fifth {k + 1}':>13}" for k in range(5)))
        for name, fifths in sorted(whole.items()):
            for what in SLACK:
                counts = [fifths[k][what] for k in range(5)]
                grows = counts[4] > self.allowed(name, what, counts[1])
                cells = [f"{n / 2**20:.1f} MiB" if what == "rss" else str(n) for n in counts]
                print(f"{name:<16} {what:<10}" + "".join(f"{cell:>13}" for cell in cells) + "  GROWS" * grows)
                wrong += [f"{what} of {name}"] * grows
        kinds = [name.split()[0] for name in whole]
        if min(kinds.count("host"), kinds.count("judge"), kinds.count("parent") - 1) < 1:
            wrong.append("the host, its two parents of others and a judge were not there all the time")
        return wrong


def run(options, folder):
    store = os.path.join(folder, "load.db")
    environment = dict(os.environ, CRUCIBLE_PLUGIN_PATH=os.path.join(folder, "plugins"),
                       XDG_CACHE_HOME=os.path.join(folder, "cache"))
    command = [os.path.join(options.build, "bin", "crucible"), "run", os.path.join(folder, "load.ini"), "--db", store,
               "--json"]
    watch, done, last, looked, start = Watch(options.trials), 0, "", 0, time.monotonic()
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as host:
        for line in host.stdout:
            last, done = line, done + 1
            if time.monotonic() - looked >= options.every and done <= options.trials:
                watch.look(host.pid, done)
                looked = time.monotonic()
    seconds = time.monotonic() - start
    end = json.loads(last or "{}")
    print(f"{end.get('ok', 0)} of {options.trials} trials ok in {seconds:.0f} s, exit code {host.returncode}, "
          f"store of {os.path.getsize(store) / 2**20:.0f} MiB")
    wrong = watch.judge() + ["its end"] * (end.get("ok") != options.trials or host.returncode != 0)
    print("wrong: " + "; ".join(wrong) if wrong else "well")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=100000, help=f"a multiple of {METHODS}")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--every", type=float, default=10, metavar="SECONDS")
    parser.add_argument("--build", default=os.path.join(SOURCE, "build", "release"), metavar="DIR")
    parser.add_argument("--keep", metavar="FOLDER", help="works there and leaves the store")
    options = parser.parse_args()
    if options.trials < METHODS or options.trials % METHODS:
        parser.error(f"--trials must be a multiple of {METHODS}")
    if options.keep:
        prepare(options, options.keep)
        return run(options, options.keep)
    with tempfile.TemporaryDirectory() as folder:
        prepare(options, folder)
        return run(options, folder)


if __name__ == "__main__":
    sys.exit(main())
