#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Seconds a trial of every method of a study, beside the same loop in PyTorch.

    tools/bench --study FAMILY [--only NAME,...] [--rounds N] [--epochs N] [--threads N] [--python PROGRAM]
               [--build DIR] [--json FILE] [--write FILE]

Ours is `crucible run` of one trial with one job, as a user sees it: processes, data, judge and store are in it. The
peer is the training loop alone, without imports and loading, in a process of its own (tests/bench/peers/FAMILY/methods.py:
sparse CSR tensors, a graph normalised once, no gradients in evaluation). Both have so many threads, and take turns, so that
a busy machine hurts both alike. With one thread processor time is compared, else elapsed time; medians over the rounds.
Methods without a loop in PyTorch are timed alone. --epochs shortens every training, for a first look: then the parts
before the epochs, which are not shortened, weigh more.

The peer's interpreter is --python or CRUCIBLE_BENCH_PYTHON, else python3: name the one with the newest PyTorch.
--write writes the tables, with the limits of this machine, as a page (BENCHMARKS.md). The data must be in the mirror
(CRUCIBLE_MIRROR).
"""
import argparse
import importlib.util
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", "..", ".."))
PEER = os.path.join(ROOT, "tests", "bench", "peers", "peer.py")


def cora_under_noise(folder):
    """Cora with 30 % uniform noise as .npy files that peer.py reads."""
    import numpy
    spec = importlib.util.spec_from_file_location("noise", os.path.join(HERE, "noise.py"))
    noise = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(noise)
    x, pairs, labels = noise.load_cora(os.path.join(os.environ["CRUCIBLE_MIRROR"], "cora"))
    rng, classes = numpy.random.RandomState(3000), int(labels.max()) + 1
    flip, shift = rng.rand(len(labels)) < noise.RATE, rng.randint(1, classes, len(labels))
    parts = {"indptr": x.indptr.astype("int64"), "indices": x.indices.astype("int64"), "data": x.data,
             "shape": numpy.array(x.shape), "pairs": numpy.ascontiguousarray(pairs.T).astype("int64"),
             "labels": numpy.where(flip, (labels + shift) % classes, labels).astype("int64"),
             "train": numpy.arange(140), "val": numpy.arange(140, 640)}
    for name, values in parts.items():
        numpy.save(os.path.join(folder, name + ".npy"), values)


FAMILIES = {"noisygl": {"config": "noisygl/quick-cora.ini", "data": "Cora under 30 % uniform label noise",
                        "task": cora_under_noise, "set": ["experiment.corruptors=uniform"]}}


def methods_of(family, only):
    folder = os.path.join(ROOT, "configs", family, "defaults")
    names = sorted(name[:-4] for name in os.listdir(folder) if name.endswith(".ini"))
    return [name for name in names if not only or name in only]


def loops_of(family, python):
    """The methods that the family has in PyTorch, and its version; none where it cannot be imported."""
    run = subprocess.run([python, PEER, family, "--list"], capture_output=True, text=True)
    if run.returncode:
        reason = run.stderr.strip().splitlines()[-1:] or ["no reason given"]
        print(f"bench: no PyTorch in {python} ({reason[0]}); only our times", file=sys.stderr)
        return [], None
    found = json.loads(run.stdout)
    return found["methods"], "PyTorch " + found["version"]


def time_ours(method, options, folder):
    """Processor and elapsed seconds of one trial."""
    program, db = os.path.join(options.build, "bin", "crucible"), os.path.join(folder, "bench.db")
    if not os.path.exists(program):
        raise RuntimeError(f"there is no {program}; tools/build release makes it")
    if os.path.exists(db):
        os.remove(db)
    family = FAMILIES[options.family]
    settings = family["set"] + [f"experiment.algorithms={method}", "experiment.metrics=accuracy", "experiment.seeds=0"]
    if options.epochs:
        settings.append(f"algorithm.{method}.epochs={options.epochs}")
    command = [program, "run", os.path.join(ROOT, "configs", family["config"]), "--db", db, "--jobs", "1", "--quiet"]
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    run = subprocess.run(command + [word for s in settings for word in ("--set", s)], stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE, text=True, env=dict(os.environ, OMP_NUM_THREADS=str(options.threads)))
    after, elapsed = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - begin
    if run.returncode:
        raise RuntimeError(f"{method}: {run.stderr.strip().splitlines()[-1:] or run.returncode}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, elapsed


def time_theirs(method, options, folder):
    command = [options.python, PEER, options.family, method, folder, "--threads", str(options.threads)]
    if options.epochs:
        command += ["--epochs", str(options.epochs)]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(f"{method} in PyTorch: {run.stderr.strip().splitlines()[-1:]}")
    found = json.loads(run.stdout)
    return found["processor"], found["elapsed"]


def limits(options):
    """GB/s out of memory and GFLOP/s of products, or None without the program that measures them."""
    program = os.path.join(options.build, "tests", "crucible-bench")
    if not os.path.exists(program):
        return None
    clock, threads = (1 if options.threads == 1 else 0), options.threads
    asked = f"triad {threads}\nopen {threads} gemm 1536 x 1536 x 1536\ntime 0.5\nclose\n"
    triad, opened, took = subprocess.run([program], input=asked, capture_output=True, text=True,
                                         check=True).stdout.splitlines()[:3]
    return {"memory GB/s": 1e-9 * float(triad.split()[clock]),
            "GEMM GFLOP/s": float(opened.split()[2]) / float(took.split()[clock])}


def line_of(result):
    theirs = f"{result['theirs']:.2f}" if result["theirs"] else "-"
    faster = f"{result['theirs'] / result['ours']:.1f}" if result["theirs"] else "-"
    return f"| {result['method']} | {result['ours']:.2f} | {theirs} | {faster} |"


def head_of(options, report):
    bounds = report["limits"]
    machine = f"{os.cpu_count()} processors, {platform.machine()}"
    if bounds:
        machine += f"; {bounds['memory GB/s']:.1f} GB/s out of memory, {bounds['GEMM GFLOP/s']:.0f} GFLOP/s in products"
    clock = "processor" if options.threads == 1 else "elapsed"
    shorter = f", {options.epochs} epochs" if options.epochs else ""
    return [f"## {options.family}", "",
            f"{FAMILIES[options.family]['data']}, one trial{shorter}, {options.threads} thread(s), {clock} seconds, "
            f"median of {options.rounds}; peer {report['peer'] or 'none'}.", f"Machine: {machine}.", "",
            "| method | ours | PyTorch | times as fast |", "|---|---:|---:|---:|"]


def page_of(options, report):
    command = f"tools/bench --study {options.family} --write BENCHMARKS.md"
    lines = ["# Benchmarks", "", f"Made by `{command}`. Ours is the whole command, the peer its training loop alone;",
             "`tools/bench --study --help` tells how both are timed.", ""]
    return "\n".join(lines + head_of(options, report) + [line_of(r) for r in report["results"]]) + "\n"


def measure(options):
    loops, version = loops_of(options.family, options.python)
    report = {"family": options.family, "peer": version, "limits": limits(options), "results": []}
    print("\n".join(head_of(options, report)), flush=True)
    clock = 0 if options.threads == 1 else 1
    with tempfile.TemporaryDirectory() as folder:
        if loops:
            FAMILIES[options.family]["task"](folder)
        time_ours("gcn", argparse.Namespace(**{**vars(options), "epochs": 1}), folder)  # caches are made once
        for method in methods_of(options.family, options.only):
            ours, theirs = [], []
            for _ in range(options.rounds):
                ours.append(time_ours(method, options, folder)[clock])
                if method in loops:
                    theirs.append(time_theirs(method, options, folder)[clock])
            report["results"].append({"method": method, "ours": statistics.median(ours),
                                      "theirs": statistics.median(theirs) if theirs else None})
            print(line_of(report["results"][-1]), flush=True)
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("family", choices=sorted(FAMILIES))
    parser.add_argument("--only", type=lambda text: text.split(","), help="these methods")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--epochs", type=int, help="instead of each method's own number")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--python", default=os.environ.get("CRUCIBLE_BENCH_PYTHON", "python3"), metavar="PROGRAM")
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"), metavar="DIR")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--write", metavar="FILE", help="the page, for instance BENCHMARKS.md")
    options = parser.parse_args()
    if not os.environ.get("CRUCIBLE_MIRROR"):
        print("bench: set CRUCIBLE_MIRROR to a folder that has the study's data", file=sys.stderr)
        return 1
    try:
        report = measure(options)
    except (RuntimeError, OSError, ImportError) as problem:
        print(f"bench: {problem}", file=sys.stderr)
        return 1
    for path, text in ((options.json, json.dumps(report, indent=1)), (options.write, page_of(options, report))):
        if path:
            with open(path, "w") as file:
                file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
