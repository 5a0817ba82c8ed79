#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Times a whole partial-label training against the same loop in PyTorch: proden on Lost, 10,000 steps, one setting.

    tools/bench --lost [--steps 10000] [--rounds 3] [--build DIR]

Both train the perceptron with 500 hidden units in batches of 128 by Adam, look at each batch again after the step to
sharpen its targets, and evaluate all rows every 1000 steps. `crucible run` is timed as a user sees it, with reading the
data, the processes and the results store; the peer without reading the data. Processor time on one thread, rounds
alternating, so that a busy machine hurts both alike. Lost must be in CRUCIBLE_MIRROR or fetched.
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", "..", ".."))
CONFIG = """[experiment]
name = bench-lost
[split]
scheme = pll
rng = study
[preprocess]
features = standardise
[monitor]
rule = covering-rate
skip = 1
[dataset lost]
[algorithm proden]
steps = {steps}
"""


def use_fast_blas():
    """Debian's OpenBLAS may not know this processor and fall back to slow code: name a kernel that fits."""
    flags = open("/proc/cpuinfo").read() if os.path.exists("/proc/cpuinfo") else ""
    best = "SkylakeX" if " avx512f " in flags else "Haswell" if " avx2 " in flags else None
    if best and "OPENBLAS_CORETYPE" not in os.environ:
        os.environ["OPENBLAS_CORETYPE"] = best
        os.execv(sys.executable, [sys.executable] + sys.argv)


def children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_ours(program, steps, folder):
    config, store = os.path.join(folder, "bench.ini"), os.path.join(folder, "bench.db")
    with open(config, "w") as file:
        file.write(CONFIG.format(steps=steps))
    if os.path.exists(store):
        os.remove(store)
    begin = children_seconds()
    run = subprocess.run([program, "run", config, "--db", store, "--json", "--set", "run.jobs=1"], check=True,
                         stdout=subprocess.PIPE)
    seconds = children_seconds() - begin
    trial = json.loads(run.stdout.splitlines()[0])
    if trial["outcome"] != "ok":
        sys.exit(f"bench: the trial {trial['outcome']}: {trial.get('message')}")
    return seconds


def run_theirs(steps):
    """The sizes of Lost with random numbers: the arithmetic does not depend on them."""
    import torch
    torch.set_num_threads(1)
    torch.manual_seed(0)
    n, rows, columns, classes, batch = 909, 1122, 108, 16, 128
    x, sets = torch.randn(rows, columns), (torch.rand(n, classes) < 0.1).float()
    sets[torch.arange(n), torch.randint(classes, (n,))] = 1
    confidence = sets / sets.sum(1, keepdim=True)
    net = torch.nn.Sequential(torch.nn.Linear(columns, 500), torch.nn.ReLU(), torch.nn.Linear(500, classes))
    optimiser = torch.optim.Adam(net.parameters(), lr=1e-3, weight_decay=1e-5)
    begin, order, at = time.process_time(), torch.randperm(n), 0
    for step in range(steps):
        if at + batch > n:
            order, at = torch.randperm(n), 0
        index = order[at:at + batch]
        at += batch
        rows_of_batch = x[index]
        loss = -(confidence[index] * torch.log_softmax(net(rows_of_batch), 1)).sum(1).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        loss.item()
        with torch.no_grad():
            weights = torch.softmax(net(rows_of_batch), 1) * sets[index]
            confidence[index] = weights / weights.sum(1, keepdim=True)
            if step % 1000 == 0:
                net(x)
    return time.process_time() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=10000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"), metavar="DIR")
    options = parser.parse_args()
    use_fast_blas()
    program = os.path.join(options.build, "bin", "crucible")
    if not os.path.exists(program):
        sys.exit(f"bench: there is no {program}; tools/build release makes it")
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.rounds):
            ours.append(run_ours(program, options.steps, folder))
            theirs.append(run_theirs(options.steps))
            print(f"ours {ours[-1]:.2f} s, PyTorch {theirs[-1]:.2f} s", flush=True)
    ratio = statistics.median(theirs) / statistics.median(ours)
    print(f"{options.steps} steps: ours {statistics.median(ours):.2f} s, PyTorch {statistics.median(theirs):.2f} s, "
          f"{ratio:.2f} times faster")
    return 0


if __name__ == "__main__":
    sys.exit(main())
