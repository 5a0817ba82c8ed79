#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mutated configurations, mutated data files and random kills: none may crash, hang, end oddly or be silent.

    tests/hostile/mutate.py --build build/release [--configs 10000] [--data 2500] [--kills 30] [--seed 1]

A mutated configuration is planned or run and must end with exit code 0, 1, 2 or 3, with at least one line on stderr where
it is not 0. A mutated data file (every format of tests/fuzz/corpus) is opened by `crucible stats` through a card, with the
same rule. A run whose processes (host, clean parents, judges, workers) are killed at random must, run again, come to the
results of one that was not."""
import argparse
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
CORPUS = os.path.join(SOURCE, "tests", "fuzz", "corpus")
CUT = b"\n----\n"
LIMIT = 60  # seconds, for what takes milliseconds


def mutate(data, dice):
    data = bytearray(data)
    for _ in range(dice.choice([1, 1, 2, 4, 16])):
        kind, at = dice.randrange(6), dice.randrange(len(data) + 1)
        if kind == 0 and data:
            data[at % len(data)] ^= 1 << dice.randrange(8)
        elif kind == 1:
            del data[at:]
        elif kind == 2:
            data[at:at] = bytes(dice.randrange(256) for _ in range(dice.randrange(1, 9)))
        elif kind == 3:
            del data[at:at + dice.randrange(1, 9)]
        elif kind == 4:
            other = dice.randrange(len(data) + 1)
            data[at:at] = data[other:other + dice.randrange(1, 65)]
        else:
            data[at:at + 4] = dice.choice([b"\xff\xff\xff\xff", b"\0\0\0\0", b"\xff\xff\xff\x7f", b"-1  ", b"1e99"])
    return bytes(data)


class Harness:
    def __init__(self, options, folder):
        self.program = os.path.join(options.build, "bin", "crucible")
        self.folder = folder
        self.plugins = os.path.join(options.build, "tests", "plugins")
        self.dice = random.Random(options.seed)
        self.environment = dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, "cache"),
                                XDG_DATA_HOME=os.path.join(folder, "data"))
        self.environment.pop("CRUCIBLE_PLUGIN_PATH", None)
        self.bad = 0
        self.ends = {}  # of a kind of mutant: exit code -> how often

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def run(self, label, *words):
        """Runs the program and judges how it ended."""
        try:
            done = subprocess.run([self.program, *words], env=self.environment, cwd=self.folder, timeout=LIMIT,
                                  stdin=subprocess.DEVNULL, capture_output=True)
        except subprocess.TimeoutExpired:
            return self.blame(label, "hangs", b"")
        kind = label.split()[0]
        self.ends.setdefault(kind, {}).setdefault(done.returncode, 0)
        self.ends[kind][done.returncode] += 1
        if done.returncode not in (0, 1, 2, 3):
            return self.blame(label, f"exit code {done.returncode}", done.stderr)
        if done.returncode and not done.stderr.strip():
            return self.blame(label, f"exit code {done.returncode} and not a word", b"")
        if re.search(rb"crashed|SIGSEGV|SIGABRT|assert", done.stderr):
            return self.blame(label, "a crash inside", done.stderr)
        if re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", done.stderr + done.stdout):
            return self.blame(label, "control characters", done.stderr)
        return done

    def blame(self, label, what, words):
        self.bad += 1
        print(f"{label}: {what}: {words[-300:]!r}", file=sys.stderr)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def configs(harness, count):
    """Seeds: the corpus, and the configurations that come with the program."""
    folder = os.path.join(CORPUS, "config")
    seeds = [read(os.path.join(folder, name)) for name in sorted(os.listdir(folder))]
    for place, _, names in sorted(os.walk(os.path.join(SOURCE, "configs"))):
        seeds += [read(os.path.join(place, name)) for name in sorted(names) if name.endswith(".ini")]
    seeds.append(b"[experiment]\nname = x\nseeds = 0..2\n[dataset cora]\n[corruptor uniform]\nrate = 0.1, 0.2\n"
                 b"[algorithm gcn]\nhidden = 8 | 16\n[split]\nscheme = percent\n[run]\njobs = 2\n[paths]\ncache = c\n")
    for i in range(count):
        path = harness.path("mutant.ini")
        write(path, mutate(harness.dice.choice(seeds), harness.dice))
        # The store cannot be made, so that nothing is trained, whatever the mutant says.
        harness.run(f"config {i}", "run", path, "--db", harness.path("no", "such", "folder.db"), "--quiet")


def formats():
    """Format, roles of its files, the pieces of a seed: as the fuzz targets have them."""
    for name in sorted(os.listdir(CORPUS)):
        target = os.path.join(SOURCE, "tests", "fuzz", f"fuzz-{name}.c")
        text = read(target).decode() if os.path.exists(target) else ""
        roles = re.search(r"(?:roles|tables)\[\] = \{(.*?)NULL", text, re.S)
        if name == "csv":
            for seed in sorted(os.listdir(os.path.join(CORPUS, name))):
                yield name, ["nodes", "edges"], read(os.path.join(CORPUS, name, seed)).split(b"\0", 1)
        if not roles:
            continue
        plugin = re.search(r'include "[^"]*/([a-z0-9-]+)\.c"', text)
        roles = re.findall(r'"([^"]+)"', roles.group(1))
        for seed in sorted(os.listdir(os.path.join(CORPUS, name))):
            if name == "linkx" and read(os.path.join(CORPUS, name, seed))[:1] == b"M":
                yield name, ["graph", "splits"], read(os.path.join(CORPUS, name, seed)).split(CUT)
                continue
            yield plugin.group(1) if plugin else name, roles, read(os.path.join(CORPUS, name, seed)).split(CUT)


def data(harness, count):
    """The same number of every format, however many seeds it has."""
    seeds = {}
    for seed in formats():
        seeds.setdefault(seed[0], []).append(seed)
    names = sorted(seeds)
    for i in range(count):
        name, roles, pieces = harness.dice.choice(seeds[names[i % len(names)]])
        pieces = list(pieces[:len(roles)])
        victim = harness.dice.randrange(len(pieces))
        pieces[victim] = mutate(pieces[victim], harness.dice)
        card = f"[dataset]\nname = mutant\ntitle = x\nformat = {name}\n[files]\n"
        for k, piece in enumerate(pieces):
            card += f"{roles[k]} = piece-{k}\n"
            write(harness.path(f"piece-{k}"), piece)
        write(harness.path("mutant.ini"), card.encode())
        harness.run(f"{name} {i}", "stats", "./mutant.ini")


KILLED = """[experiment]
name = killed
metrics = runner-accuracy
seeds = 0..7
[dataset runner-secret]
[corruptor runner-corruptor]
[algorithm runner-epochs]
peak = 2, 9
[algorithm good-algorithm]
[run]
jobs = 2
[paths]
plugins = plugins
"""


def descendants(pid):
    found = [pid]
    for parent in found:
        try:
            with open(f"/proc/{parent}/task/{parent}/children") as file:
                found += [int(word) for word in file.read().split()]
        except OSError:
            pass
    return found


def numbers(store):
    import sqlite3
    with sqlite3.connect(store) as db:
        return sorted(db.execute("SELECT trial.key, number.name, number.value FROM trial JOIN number "
                                 "ON number.trial = trial.id"))


def kills(harness, count):
    os.mkdir(harness.path("plugins"))
    for name in ("runner-secret", "runner-accuracy", "runner-corruptor", "runner-epochs", "good-algorithm"):
        os.symlink(os.path.join(os.path.abspath(harness.plugins), name + ".so"), harness.path("plugins", name + ".so"))
    write(harness.path("killed.ini"), KILLED.encode())
    harness.run("undisturbed", "run", "killed.ini", "--db", "whole.db", "--quiet")
    expected = numbers(harness.path("whole.db"))
    for i in range(count):
        store = harness.path(f"killed-{i}.db")
        host = subprocess.Popen([harness.program, "run", "killed.ini", "--db", store, "--quiet"], cwd=harness.folder,
                                env=harness.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(harness.dice.uniform(0, 0.12))
        victims = descendants(host.pid)
        try:
            os.kill(harness.dice.choice(victims), signal.SIGKILL)
        except ProcessLookupError:
            pass
        try:
            code = host.wait(LIMIT)
        except subprocess.TimeoutExpired:
            host.kill()
            harness.blame(f"kill {i}", "hangs", b"")
            continue
        if code not in (0, 1, 3, -signal.SIGKILL):
            harness.blame(f"kill {i}", f"exit code {code}", b"")
        # What a killed worker left as its outcome is the user's to run again.
        harness.run(f"kill {i}, again", "run", "killed.ini", "--db", store, "--quiet", "--retry", "failed")
        if numbers(store) != expected:
            harness.blame(f"kill {i}", "other results than without", b"")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(SOURCE, "build", "release"))
    parser.add_argument("--configs", type=int, default=10000)
    parser.add_argument("--data", type=int, default=2500)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    with tempfile.TemporaryDirectory() as folder:
        harness = Harness(options, folder)
        configs(harness, options.configs)
        data(harness, options.data)
        kills(harness, options.kills)
    for kind, codes in sorted(harness.ends.items()):
        print(f"{kind}: " + ", ".join(f"{number} ended with {code}" for code, number in sorted(codes.items())))
    print(f"{options.configs} configurations, {options.data} data files, {options.kills} kills: {harness.bad} bad")
    return 1 if harness.bad else 0


if __name__ == "__main__":
    sys.exit(main())
