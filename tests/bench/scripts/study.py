#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Seconds a trial of every method of a study, beside the same loop in PyTorch.

    tools/bench --study FAMILY|all [--only NAME,...] [--missing] [--minutes N] [--rounds N] [--dear SECONDS] [--threads N]
               [--python PROGRAM] [--build DIR] [--note TEXT] [--json FILE] [--write FILE]
    tools/bench --study page [--json FILE] --write FILE     the page from results that were kept

Ours is `crucible run` of one trial with one job, as a user sees it: processes, data, judge and store are in it. The
peer is the training loop alone, without imports and loading, in a process of its own (tests/bench/peers/: written from the
formulas; frame.py tells what it was given). Both train without stopping early, for a short and a longer number of epochs,
from which follow the seconds of the method's whole number (tests/bench/peers/rule.py). They take turns, so that a busy
machine hurts both alike. With one thread processor time is compared, else elapsed time; medians over the rounds, of which a
method that has taken --dear seconds begins no other. `noise` is half the way from the least ratio to the largest.

`of peak`: the operations in the peer's products, over our seconds and the GEMM speed measured in the same run. Where it is high
nothing but better products would make us faster. Of methods without a loop in PyTorch ours alone is timed; those that learn by
no gradient have scikit-learn's estimator for a peer, where it has one.

The peer's interpreter is --python or CRUCIBLE_BENCH_PYTHON, else python3: name the one with the newest PyTorch.
--json keeps each result as it comes, beside those that the file has of other methods (tests/bench/results.json is behind
BENCHMARKS.md); --missing measures what it has not; --minutes begins no further method after so many. --write makes the page
from all that the file has. Operations are counted once for a version of the loops. The data must be in the mirror
(CRUCIBLE_MIRROR).
"""
import argparse
import hashlib
import importlib.util
import json
import os
import platform
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", "..", ".."))
PEERS = os.path.join(ROOT, "tests", "bench", "peers")
PEER = os.path.join(PEERS, "peer.py")
KEPT = os.path.join(ROOT, "tests", "bench", "results.json")
VIEWS = {"set": ["same_views=true", "batch_size=128"]}  # what the study runs on images: here on rows of a table
BOUND = 0.5  # share of the peak of products from which a method is bound by them
GRAPHS = {"dataset": "ptc-mr", "sparse": False, "ini": "[corruptor graph-class-imbalance]\nlevel = low\nrng = study\n"}

# what all methods of a family share: the data, its text, and an experiment; `for` has the methods that differ
FAMILIES = {
    "noisygl": {"data": "Cora under 30 % uniform label noise", "dataset": "cora", "sparse": True,
                "protocol": "protocol.ini",
                "ini": "[experiment]\ncorruptors = uniform\n[split]\nscheme = official\n"},
    "pll": {"data": "Lost", "dataset": "lost", "protocol": "protocol.ini", "epochs": "steps",
            "ini": "[monitor]\nrule = covering-rate\n",
            "for": {**{name: VIEWS for name in ("able", "alim", "dirk", "pico", "pico-plus")},
                    **{name: {"set": ["batch_size=128"]} for name in ("crdpll", "fredis")}}},
    "heterophily": {"data": "Chameleon, undirected", "dataset": "chameleon", "sparse": True,
                    "protocol": "protocol-bench.ini", "ini": "[preprocess]\ndirection = symmetrise\n"},
    "gad": {"data": "tolokers, fully supervised", "dataset": "tolokers-gad", "protocol": "protocol.ini",
            "metric": "auprc", "ini": "[split]\nscheme = stratified\ntrain = 0.4\nval = 0.2\n"},
    "igl": {"data": "Cora with unequal classes; graphs: PTC-MR", "dataset": "cora", "sparse": True,
            "protocol": "protocol.ini",
            "ini": "[corruptor class-imbalance]\nrho = 20\nschedule = files\ntake = first\n"
                   "[preprocess]\nfeatures = row-sum\n",
            "for": {name: GRAPHS for name in ("gin", "gcn-graphs", "g2gnn", "imgkb", "solt-gnn", "topoimb", "datadec")}},
}


def whole(*arguments):
    spec = importlib.util.spec_from_file_location("rule", os.path.join(PEERS, "rule.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.whole(*arguments)


def methods_of(family, only):
    """Names as the study's files have them, each with its file: `as` gives a plugin another name."""
    folder, found = os.path.join(ROOT, "configs", family, "defaults"), {}
    for file in sorted(name for name in os.listdir(folder) if name.endswith(".ini")):
        with open(os.path.join(folder, file)) as text:
            for words in re.findall(r"^\[algorithm ([^\]]*)\]", text.read(), re.M):
                if " on " not in words:
                    found.setdefault(words.split()[-1], os.path.join(folder, file))
    return {name: file for name, file in found.items() if not only or name in only}


def loops_of(family, python):
    """The methods that the family has in PyTorch, and its version; none where it cannot be imported."""
    run = subprocess.run([python, PEER, family, "--list"], capture_output=True, text=True)
    if run.returncode:
        reason = run.stderr.strip().splitlines()[-1:] or ["no reason given"]
        print(f"bench: no PyTorch in {python} ({reason[0]}); nothing to compare with", file=sys.stderr)
        return {}, None
    found = json.loads(run.stdout)
    return found["methods"], "PyTorch " + found["version"]


def version_of(family):
    """A sum over the sources of a family's loops: operations that were counted of others are counted again."""
    found = hashlib.sha256()
    for name in (os.path.join(family, "methods.py"), "frame.py"):
        with open(os.path.join(PEERS, name), "rb") as file:
            found.update(file.read())
    return found.hexdigest()[:12]


def checked(command, what, **more):
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
    if run.returncode:
        raise RuntimeError(f"{what}: {(run.stderr.strip().splitlines() or [run.returncode])[-1]}")
    return run.stdout


class Study:
    """One family, in a folder of its own."""

    def __init__(self, family, options, folder):
        self.name, self.settings, self.options, self.folder = family, FAMILIES[family], options, folder
        self.program = os.path.join(options.build, "bin", "crucible")
        self.clock = 0 if options.threads == 1 else 1
        self.peer = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.peer:
            self.peer.stdin.close()
            self.peer.wait()

    def of(self, method):
        return {**self.settings, **self.settings.get("for", {}).get(method, {})}

    def data_for(self, method):
        """The folder with the arrays that peer.py reads."""
        settings = self.of(method)
        folder = os.path.join(self.folder, settings["dataset"])
        if not os.path.exists(folder):
            os.mkdir(folder)
            sparse = ["sparse"] if settings.get("sparse") else []
            checked([self.program + "-bench-task", settings["dataset"], folder] + sparse, settings["dataset"])
        return folder

    def experiment_of(self, method, file):
        settings, path = self.of(method), os.path.join(self.folder, method + ".ini")
        protocol = os.path.join(ROOT, "configs", self.name, settings["protocol"])
        with open(path, "w") as ini:
            ini.write(f"include = {protocol}, {file}\n{settings['ini']}[dataset {settings['dataset']}]\n")
        return path

    def time_ours(self, method, experiment, epochs):
        """Processor and elapsed seconds of one trial."""
        db, settings = os.path.join(self.folder, "bench.db"), self.of(method)
        if os.path.exists(db):
            os.remove(db)
        said = [f"experiment.algorithms={method}", f"experiment.metrics={settings.get('metric', 'accuracy')}",
                "experiment.seeds=0", "monitor.patience=0"]
        if epochs is None:  # fitted once
            pass
        elif settings.get("epochs"):
            said.append(f"algorithm.{method}.{settings['epochs']}={epochs}")
        else:  # a protocol's own number stands above a method's
            said += [f"monitor.epochs={epochs}", f"algorithm.{method}.epochs={epochs}"]
        said += [f"algorithm.{method}.{more}" for more in settings.get("set", [])]
        command = [self.program, "run", experiment, "--db", db, "--jobs", "1", "--quiet"]
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        checked(command + [word for s in said for word in ("--set", s)], method,
                env=dict(os.environ, OMP_NUM_THREADS=str(self.options.threads)))
        after, elapsed = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - begin
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, elapsed

    def ask_peer(self, method, *more):
        """One process answers for all methods: to import PyTorch takes longer than most trainings."""
        if not self.peer:
            command = [self.options.python, PEER, self.name, "--serve", "--threads", str(self.options.threads)]
            self.peer = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        print(method, self.data_for(method), "--threads", self.options.threads, *more, file=self.peer.stdin, flush=True)
        found = json.loads(self.peer.stdout.readline() or '{"problem": "its process ended"}')
        if "problem" in found:
            raise RuntimeError(f"{method} in PyTorch: {found['problem']}")
        return found

    def measure(self, method, file, loop, known):
        """known: operations that were counted before; a loop of None: the method has none in PyTorch."""
        experiment, epochs = self.experiment_of(method, file), loop and loop["epochs"]
        ours, theirs, begin = [], [], time.monotonic()
        if epochs:
            self.time_ours(method, experiment, 1)  # caches are made once
        time_of = lambda n: self.time_ours(method, experiment, epochs and n)
        while len(ours) < self.options.rounds and (not ours or time.monotonic() - begin < self.options.dear):
            ours.append(whole(time_of, loop["points"] if loop else (1, 1), epochs or 1)[self.clock])
            if loop:
                found = self.ask_peer(method, *(["--count"] if known is None else []))
                known = found["operations"] if known is None else known
                theirs.append((found["processor"], found["elapsed"])[self.clock])
        row = {"method": method, "epochs": epochs, "rounds": len(ours), "ours": statistics.median(ours)}
        if loop:
            ratios = [b / a for a, b in zip(ours, theirs)]
            row.update(theirs=statistics.median(theirs), noise=(max(ratios) - min(ratios)) / 2, operations=known,
                       loop=version_of(self.name))
        return row


def limits(options):
    """GB/s out of memory and GFLOP/s of products, or None without the program that measures them."""
    program = os.path.join(options.build, "tests", "crucible-bench")
    if not os.path.exists(program):
        return None
    clock, threads = (1 if options.threads == 1 else 0), options.threads
    asked = f"triad {threads}\nopen {threads} gemm 1536 x 1536 x 1536\ntime 0.5\nclose\n"
    triad, opened, took = checked([program], program, input=asked).splitlines()[:3]
    return {"memory GB/s": 1e-9 * float(triad.split()[clock]),
            "GEMM GFLOP/s": float(opened.split()[2]) / float(took.split()[clock])}


def share_of(result, bounds):
    """Of the peak of products; None where it was not measured."""
    bounds = result.get("limits") or bounds
    return result["operations"] / result["ours"] / (1e9 * bounds["GEMM GFLOP/s"]) if bounds else None


def line_of(result, bounds):
    if "problem" in result:
        return f"| {result['method']} | {result['problem']} | | | | | |"
    head = f"| {result['method']} | {result['epochs'] or '-'} | {result['ours']:.2f} | "
    if "theirs" not in result:
        return head + "- | - | - | - |"
    share = share_of(result, bounds)
    noise = f"{result['noise']:.1f}" if result.get("rounds", 1) > 1 else "-"
    return (head + f"{result['theirs']:.2f} | {result['theirs'] / result['ours']:.1f} | {noise} | "
            f"{'-' if share is None else f'{100 * share:.0f} %'} |")


def head_of(report):
    bounds, clock = report["limits"], "processor" if report["threads"] == 1 else "elapsed"
    machine = report["machine"]
    if bounds:
        machine += f"; {bounds['memory GB/s']:.1f} GB/s out of memory, {bounds['GEMM GFLOP/s']:.0f} GFLOP/s in products"
    machine += "; " + report["note"] if report.get("note") else ""
    return [f"## {report['family']}", "",
            f"{FAMILIES[report['family']]['data']}; one trial, {report['threads']} thread(s), {clock} seconds, medians of up "
            f"to {report['rounds']} rounds; peer {report['peer'] or 'none'}.", f"Machine: {machine}.", "",
            "| method | epochs | ours | PyTorch | times as fast | noise | of peak |", "|---|---:|---:|---:|---:|---:|---:|"]


def tail_of(report):
    lines = []
    if len({json.dumps(r.get("limits")) for r in report["results"] if "problem" not in r}) > 1:
        lines += ["", "Rows of several runs; `of peak` is by the speed of products in the row's own."]
    if report.get("open"):
        lines += ["", "Not measured yet: " + ", ".join(report["open"]) + "."]
    return lines + (["", "Without a loop in PyTorch: " + ", ".join(report["alone"]) + "."] if report["alone"] else [])


def summary_of(reports):
    """How many of all are how many times as fast, and which of the others a better product alone would help."""
    rows = [(r["theirs"] / r["ours"], f"{report['family']}/{r['method']}", share_of(r, report["limits"]) or 0)
            for report in reports for r in report["results"] if "theirs" in r]
    if not rows:
        return []
    bound = [f"{name} {ratio:.1f} ({100 * share:.0f} %)" for ratio, name, share in sorted(rows) if ratio < 10 and share >= BOUND]
    slow = [f"{name} {ratio:.1f}" for ratio, name, share in sorted(rows) if ratio < 10 and share < BOUND]
    lines = ["", f"{len(rows) - len(bound) - len(slow)} of {len(rows)} methods are at least ten times as fast as their loop; the "
             f"median is {statistics.median(row[0] for row in rows):.1f}."]
    lines += [f"Less, though the peer's products alone would take {100 * BOUND:.0f} % of our time or more at the machine's peak (above "
              f"100 %, ours are fewer): {', '.join(bound)}."] if bound else []
    return lines + ([f"Less: {', '.join(slow)}."] if slow else [])


def page_of(reports):
    lines = ["# Benchmarks", "", "Made by `tools/bench --study all --json tests/bench/results.json --write BENCHMARKS.md`. Ours is the whole",
             "command, the peer its training loop alone; `tools/bench --study --help` tells how both are timed. Processor seconds of one",
             "thread count no time that other programs used, but a busy machine shares its caches and memory, which slows both sides."]
    lines += summary_of(reports)
    for report in reports:
        lines += [""] + head_of(report) + [line_of(r, report["limits"]) for r in report["results"]] + tail_of(report)
    return "\n".join(lines) + "\n"


def wanted(report, methods, loops, options):
    """The methods to measure, in the order of the study's files."""
    there = {r["method"] for r in report["results"] if "problem" not in r}
    return [name for name in methods if not (options.missing and name in there)]


def begin(family, before, loops, version, options):
    """A report that has the rows of an earlier one."""
    every = methods_of(family, None)
    keeps = before and before["threads"] == options.threads
    return {"family": family, "peer": version or (before and before["peer"]), "threads": options.threads, "rounds": options.rounds,
            "machine": f"{os.cpu_count()} processors, {platform.machine()}", "limits": limits(options),
            "note": options.note or (before or {}).get("note"), "results": before["results"] if keeps else [], "alone": [name for name in every if name not in loops]}


def put(report, found, loops):
    """The row in its place, and what has none yet."""
    order = list(methods_of(report["family"], None))
    rows = {r["method"]: r for r in report["results"]}
    if found:
        rows[found["method"]] = found
    report["results"] = [rows[name] for name in order if name in rows]
    report["open"] = [name for name in order if name not in rows]


def measure(family, before, options, save):
    loops, version = loops_of(family, options.python)
    methods = methods_of(family, options.only)
    report = begin(family, before, loops, version, options)
    put(report, None, loops)
    print("\n".join(head_of(report)), flush=True)
    loop, rows = version_of(family), {r["method"]: r for r in report["results"]}
    with tempfile.TemporaryDirectory() as folder, Study(family, options, folder) as study:
        for method in wanted(report, methods, loops, options):
            if options.minutes and time.monotonic() > options.until:
                break
            try:
                row = rows.get(method, {})
                known = row.get("operations") if row.get("loop") == loop else None
                found = study.measure(method, methods[method], loops.get(method), known)
                found["limits"] = report["limits"]
            except RuntimeError as problem:  # the others are of use without it
                found = {"method": method, "problem": str(problem)}
            put(report, found, loops)
            save(report)
            print(line_of(found, report["limits"]), flush=True)
    print("\n".join(tail_of(report)), flush=True)
    return report


def kept(path):
    if not path or not os.path.exists(path):
        return []
    with open(path) as file:
        return json.load(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("family", choices=sorted(FAMILIES) + ["all", "page"])
    parser.add_argument("--only", type=lambda text: text.split(","), help="these methods")
    parser.add_argument("--missing", action="store_true", help="those that the file of --json has no row of")
    parser.add_argument("--minutes", type=float, help="begin no method after so many")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--dear", type=float, default=60, metavar="SECONDS", help="begin no other round of a method after them")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--python", default=os.environ.get("CRUCIBLE_BENCH_PYTHON", "python3"), metavar="PROGRAM")
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"), metavar="DIR")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--note", metavar="TEXT", help="what the page says of the machine, for instance what else it did")
    parser.add_argument("--write", metavar="FILE", help="the page, for instance BENCHMARKS.md")
    options = parser.parse_args()
    options.json = options.json or (KEPT if options.family == "page" else None)
    options.until = time.monotonic() + 60 * (options.minutes or 0)
    families = {"all": sorted(FAMILIES), "page": []}.get(options.family, [options.family])
    if families and not os.environ.get("CRUCIBLE_MIRROR"):
        print("bench: set CRUCIBLE_MIRROR to a folder that has the study's data", file=sys.stderr)
        return 1
    try:
        reports = {report["family"]: report for report in kept(options.json)}
        if families and not os.path.exists(os.path.join(options.build, "bin", "crucible-bench-task")):
            raise RuntimeError(f"there is no crucible-bench-task in {options.build}/bin; tools/build release makes it")

        def save(report):
            reports[report["family"]] = report
            if options.json:
                with open(options.json, "w") as file:
                    json.dump([reports[name] for name in sorted(reports)], file, indent=1)

        for family in families:
            save(measure(family, reports.get(family), options, save))
        if options.write:
            with open(options.write, "w") as file:
                file.write(page_of([reports[name] for name in sorted(reports)]))
    except (RuntimeError, OSError, ValueError) as problem:
        print(f"bench: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
