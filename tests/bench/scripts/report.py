#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Times what reads a store of many trials.

    tools/bench --report [--trials 1000000] [--rounds 3] [--build DIR]

Runs one trial of an experiment, enters --trials trials of it into the store, and gives all of them a result like that one,
by SQL. Prints processor seconds and peak memory of `crucible report`, and of a `crucible run` that finds nothing left to do.
"""
import argparse
import os
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", "..", ".."))
METHODS, RATES = 10, 10  # cells of the table
EXPERIMENT = """[experiment]
name = many
metrics = accuracy
seeds = 0..{last}
[dataset csbm]
nodes = 60
[corruptor uniform]
rate = {rates}
[algorithm mlp]
epochs = 3..{epochs}
"""


def write_experiment(options, folder):
    path = os.path.join(folder, "many.ini")
    with open(path, "w") as file:
        rates = ", ".join(f"{i / 20:g}" for i in range(RATES))
        file.write(EXPERIMENT.format(last=options.trials // (METHODS * RATES) - 1, rates=rates, epochs=2 + METHODS))
    return path


def enter(program, ini, db):
    """All trials, and one result."""
    said = [program, "run", ini, "--db", db, "--quiet", "--jobs", "1"]
    subprocess.run(said + ["--set", "experiment.seeds=0", "--set", "corruptor.uniform.rate=0", "--set", "algorithm.mlp.epochs=3"],
                   check=True)
    subprocess.run(said + ["--hours", "1e-9"], stderr=subprocess.DEVNULL)


def finish(db):
    """Every trial gets the first one's result, with a number of its own."""
    store = sqlite3.connect(db)
    store.execute("PRAGMA foreign_keys = off")
    (done,) = store.execute("SELECT id FROM trial WHERE finished_ms IS NOT NULL LIMIT 1").fetchone()
    for table in ("number", "made_by", "spent"):
        names = [row[1] for row in store.execute(f"PRAGMA table_info({table})") if row[1] != "trial"]
        own = ", ".join("0.5 + 0.3 * (trial.id % 997) / 997" if name == "value" else f"{table}.{name}" for name in names)
        store.execute(f"INSERT OR IGNORE INTO {table}(trial, {', '.join(names)}) SELECT trial.id, {own} FROM trial, {table} "
                      f"WHERE {table}.trial = {done} AND trial.id != {done}")
    same = ("outcome", "seconds_total", "seconds_to_best", "peak_bytes", "best_epoch", "finished_ms", "environment")
    values = ", ".join(f"{name} = (SELECT {name} FROM trial AS done WHERE done.id = {done})" for name in same)
    store.execute(f"UPDATE trial SET {values}, pid = NULL WHERE id != {done}")
    (count,) = store.execute("SELECT count(*) FROM trial WHERE finished_ms IS NOT NULL").fetchone()
    store.commit()
    store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()
    return count


def cost(command):
    """Processor seconds and peak bytes of a command."""
    child = os.fork()
    if not child:
        out = os.open(os.devnull, os.O_WRONLY)
        os.dup2(out, 1)
        os.execv(command[0], command)
    _, status, used = os.wait4(child, 0)
    if status:
        raise RuntimeError(f"{' '.join(command[:2])} ended with {os.waitstatus_to_exitcode(status)}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def run(options, folder):
    program = os.path.abspath(os.path.join(options.build, "bin", "crucible"))
    ini, db = write_experiment(options, folder), os.path.join(folder, "many.db")
    enter(program, ini, db)
    count = finish(db)
    for what, command in (("report", [program, "report", "--db", db]),
                          ("resume", [program, "run", ini, "--db", db, "--quiet"])):
        found = [cost(command) for _ in range(options.rounds)]
        seconds, peak = (statistics.median(column) for column in zip(*found))
        print(f"{what} of {count} trials: {seconds:.2f} s of processor time ({min(found)[0]:.2f} to {max(found)[0]:.2f}), "
              f"{peak / 1e6:.0f} MB", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=1000000, help=f"a multiple of {METHODS * RATES}")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"), metavar="DIR")
    options = parser.parse_args()
    if options.trials < METHODS * RATES or options.trials % (METHODS * RATES):
        parser.error(f"--trials must be a multiple of {METHODS * RATES}")
    try:
        with tempfile.TemporaryDirectory() as folder:
            run(options, folder)
    except (RuntimeError, OSError, subprocess.CalledProcessError, sqlite3.Error) as problem:
        print(f"bench: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
