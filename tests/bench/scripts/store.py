#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Times what one does with a store of very many trials.

    tools/bench --store [--trials 100000] [--build DIR]

Enters an experiment of ten methods at a hundred settings of data and damage with as many seeds as make --trials, writes made-up results
into the store, and prints processor seconds, seconds by the clock and peak memory of listing it, going on with it when
all is done, its tables, its page and its export; and, where Chromium is here, the time from opening the page to the end of its
loading. Nothing is trained.
"""
import argparse
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", "..", ".."))
EXPERIMENT = """[experiment]
name       = many
seeds      = 0..{last}
metrics    = accuracy, macro-f1
algorithms = gcn, mlp, sgc, appnp, label-propagation, knn, graphsage, gat, gin, linkx
corruptors = none | uniform
[dataset csbm]
nodes     = 60
homophily = 0.1..0.9 step 0.1, 0.95
[split]
scheme = percent
train  = 0.3
val    = 0.2
[corruptor uniform]
rate = 0.1..0.9 step 0.1
[monitor]
epochs = 5
"""
A_SEED = 10 * 10 * 10  # methods, levels of homophily, damages
PROBE = """<script>addEventListener("load", () => setTimeout(() => {
  const at = performance.getEntriesByType("navigation")[0].loadEventEnd;
  document.body.innerHTML = "";
  document.body.append("LOADED" + at + "END");
}, 0));</script>"""


def fill(path):
    """Every trial has ended well, with numbers by chance."""
    store = sqlite3.connect(path)
    store.execute("PRAGMA synchronous = off")
    store.execute("INSERT INTO environment(description) VALUES('{}')")
    chance = "abs(random() % 1000000) / 1e6"
    store.execute(f"UPDATE trial SET outcome = 1, seconds_total = 0.01 + {chance}, seconds_to_best = 0.01, peak_bytes = 20000000,"
                  " best_epoch = 3, finished_ms = 1, environment = (SELECT max(id) FROM environment)")
    for name in ("accuracy", "macro-f1", "validation"):
        store.execute(f"INSERT INTO number SELECT id, ?, {chance} FROM trial ORDER BY id", (name,))
    store.execute("INSERT INTO spent SELECT id, 0.001, seconds_total - 0.001 FROM trial")
    store.commit()
    store.close()


def timed(what, *words):
    """Prints the time and the peak memory of a command, which must end well; returns what it said on both outputs."""
    start = time.perf_counter()
    child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said = child.stdout.read()
    _, code, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(code)
    if child.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(words)}: exit code {child.returncode}: {said[-500:]}")
    print(f"{what:<24} {used.ru_utime + used.ru_stime:6.1f} s  {time.perf_counter() - start:6.1f} s by the clock  "
          f"{used.ru_maxrss / 1024:6.0f} MiB")
    return said


def opening(page, folder):
    """Milliseconds until the page is loaded in a browser; None: there is none."""
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if not browser:
        return None
    probed = os.path.join(folder, "probed.html")
    with open(page) as file, open(probed, "w") as out:
        out.write(file.read().replace("</body>", PROBE + "</body>"))
    said = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                           f"--user-data-dir={folder}/profile", "--timeout=60000", "--dump-dom", f"file://{probed}"],
                          capture_output=True, text=True, timeout=180).stdout
    found = re.search(r"LOADED([0-9.]+)END", said)
    if not found:
        raise RuntimeError("the browser does not say when the page was loaded")
    return float(found.group(1))


def run(options, folder):
    program = os.path.join(options.build, "bin", "crucible")
    ini, db, page = (os.path.join(folder, name) for name in ("many.ini", "many.db", "many.html"))
    with open(ini, "w") as file:
        file.write(EXPERIMENT.format(last=options.trials // A_SEED - 1))
    said = timed("list", program, "run", ini, "--db", db, "--hours", "1e-9")
    if f"0 of {options.trials} trials run" not in said:
        raise RuntimeError(f"not {options.trials} trials: {said[-300:]}")
    fill(db)
    said = timed("go on", program, "run", ini, "--db", db)
    if f"0 of {options.trials} trials run" not in said:
        raise RuntimeError(f"results are not seen: {said[-300:]}")
    timed("tables", program, "report", "--db", db)
    timed("page", program, "report", "--db", db, "--format", "html", "--out", page)
    timed("export", program, "export", "--db", db, "--out", os.path.join(folder, "many.csv"))
    loaded = opening(page, folder)
    size = os.path.getsize(page) / 2 ** 20
    print(f"page of {size:.1f} MiB" + ("" if loaded is None else f", open in Chromium after {loaded / 1000:.2f} s by the clock"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=100000, help=f"a multiple of {A_SEED}")
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"), metavar="DIR")
    options = parser.parse_args()
    if options.trials < A_SEED or options.trials % A_SEED:
        parser.error(f"--trials must be a multiple of {A_SEED}")
    try:
        with tempfile.TemporaryDirectory() as folder:
            run(options, folder)
    except (RuntimeError, OSError, sqlite3.Error, subprocess.SubprocessError) as problem:
        print(f"bench: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
