#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Times `crucible merge`.

    tools/bench --merge [--shards 100] [--trials 1000] [--build DIR]

Runs a small experiment of --trials trials, with learning curves, and copies its store to --shards shards, each with keys and
seeds of its own. Prints the seconds of merging all of them, by the clock on the wall and of processor time: the first depends on
what else the machine does.
"""
import argparse
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", "..", ".."))
EXPERIMENT = """[experiment]
name = e
metrics = accuracy, macro-f1
seeds = 0..{last}
[dataset csbm]
nodes = 60
[algorithm mlp]
[monitor]
epochs = 5
[run]
curves = yes
"""


def make_shard(first, path, number, trials):
    """The same store with other keys, whose trials stand behind those of the shards before it."""
    shutil.copy(first, path)
    store = sqlite3.connect(path)
    store.execute("PRAGMA foreign_keys = off")
    store.execute("UPDATE trial SET key = printf('%04x', ?) || substr(key, 5), canonical = canonical || ?",
                  (number, f"shard={number}\n"))
    store.execute("UPDATE setting SET value = value + ? WHERE name = 'seed'", (number * trials,))
    store.execute("UPDATE member SET position = position + ?", (number * trials + 10 ** 7,))
    store.execute(f"UPDATE member SET position = position - {10 ** 7}")
    store.commit()
    store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()


def run(options, folder):
    program = os.path.join(options.build, "bin", "crucible")
    with open(os.path.join(folder, "e.ini"), "w") as file:
        file.write(EXPERIMENT.format(last=options.trials - 1))
    first = os.path.join(folder, "first.db")
    subprocess.run([program, "run", os.path.join(folder, "e.ini"), "--db", first, "--quiet"], check=True)
    shards = [os.path.join(folder, f"e.{i + 1}-of-{options.shards}.db") for i in range(options.shards)]
    for number, path in enumerate(shards):
        make_shard(first, path, number, options.trials)
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    said = subprocess.run([program, "merge", os.path.join(folder, "all.db"), *shards], check=True, text=True,
                          capture_output=True).stdout
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    whole = options.shards * options.trials
    if f"{whole} trials, {whole} of them new, {whole} results taken over" not in said:
        raise RuntimeError(f"not all were merged: {said}")
    print(f"{options.shards} shards of {options.trials} trials: {seconds:.1f} s, processor time {spent:.1f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shards", type=int, default=100)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"), metavar="DIR")
    options = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory() as folder:
            run(options, folder)
    except (RuntimeError, OSError, subprocess.CalledProcessError) as problem:
        print(f"bench: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
