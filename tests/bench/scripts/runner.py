#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Times what a trial costs besides its method.

    tools/bench --runner [--trials 2000] [--ms 1] [--jobs 2] [--rounds 3] [--set KEY=VALUE] [--build DIR] [--json FILE]

Runs an experiment of four methods on many seeds, each trial of which uses one millisecond, with a new store, and prints trials per second
by the clock on the wall and the processor time per trial of all processes together: host, judge and workers. The first
figure depends on what else the machine does; the second hardly does. Trials a core could finish are a second over it.
"""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", "..", ".."))
PLUGINS = ("runner-secret", "runner-accuracy", "fit-spin")
METHODS = 4  # per seed


def build(folder):
    if not os.path.exists(os.path.join(folder, "CMakeCache.txt")):
        subprocess.run(["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja"], check=True,
                       stdout=subprocess.DEVNULL)
    targets = ["crucible-cli"] + [f"test-plugin-{name}" for name in PLUGINS]
    subprocess.run(["cmake", "--build", folder, "--target"] + targets, check=True, stdout=subprocess.DEVNULL)


def describe(options):
    return f"""[experiment]
name = bench
metrics = runner-accuracy
seeds = 0..{options.trials // METHODS - 1}
[dataset runner-secret]
[algorithm fit-spin]
ms = {options.ms}
copy = 0..{METHODS - 1}
[run]
jobs = {options.jobs}
"""


def prepare(options, folder):
    os.mkdir(os.path.join(folder, "plugins"))
    for name in PLUGINS:
        os.symlink(os.path.abspath(os.path.join(options.build, "tests", "plugins", name + ".so")),
                   os.path.join(folder, "plugins", name + ".so"))
    with open(os.path.join(folder, "bench.ini"), "w") as file:
        file.write(describe(options))


def spent():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime, usage.ru_stime


def run_once(options, folder, store):
    environment = dict(os.environ, CRUCIBLE_PLUGIN_PATH=os.path.join(folder, "plugins"),
                       XDG_CACHE_HOME=os.path.join(folder, "cache"))
    command = [os.path.join(options.build, "bin", "crucible"), "run", os.path.join(folder, "bench.ini"), "--db", store,
               "--json"]
    for setting in options.set:
        command += ["--set", setting]
    before, start = spent(), time.perf_counter()
    lines = subprocess.run(command, check=True, env=environment, stdout=subprocess.PIPE, text=True).stdout
    seconds = time.perf_counter() - start
    user, system = (after - then for after, then in zip(spent(), before))
    end = json.loads(lines.splitlines()[-1])
    if end["ok"] != options.trials:
        raise RuntimeError(f"only {end['ok']} of {options.trials} trials ended well")
    return {"trials_per_second": options.trials / seconds, "user_ms": 1e3 * user / options.trials,
            "system_ms": 1e3 * system / options.trials}


def run(options):
    build(options.build)
    results = []
    with tempfile.TemporaryDirectory() as folder:
        prepare(options, folder)
        for i in range(options.rounds):
            result = run_once(options, folder, os.path.join(folder, f"results-{i}.db"))
            results.append(result)
            print(f"{options.trials} trials of {options.ms:g} ms, {options.jobs} at a time: "
                  f"{result['trials_per_second']:.0f} trials/s, processor time per trial "
                  f"{result['user_ms'] + result['system_ms']:.2f} ms "
                  f"({result['user_ms']:.2f} user, {result['system_ms']:.2f} system)", flush=True)
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"trials": options.trials, "ms": options.ms, "jobs": options.jobs, "results": results}, file,
                      indent=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=2000, help=f"a multiple of {METHODS}")
    parser.add_argument("--ms", type=float, default=1, help="processor time of the method")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="as for crucible run")
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"), metavar="DIR")
    parser.add_argument("--json", metavar="FILE", help="also write the results there")
    options = parser.parse_args()
    if options.trials < METHODS or options.trials % METHODS:
        parser.error(f"--trials must be a multiple of {METHODS}")
    try:
        run(options)
    except (RuntimeError, OSError, subprocess.CalledProcessError) as problem:
        print(f"bench: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
