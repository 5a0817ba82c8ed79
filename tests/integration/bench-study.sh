#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What tools/bench --study rests on, without PyTorch: the data that it hands over, how it extrapolates, the page.
. "$(dirname "$0")/lib.sh"

# A cost that is linear in the epochs is told exactly, by both clocks; what is no longer than the short training is not
# extrapolated; trainings that are too short to be told apart are made longer.
expect 0 python3 - "$SOURCE" <<'END'
import sys
sys.path.insert(0, sys.argv[1] + "/tests/bench/peers")
import rule

asked = []


def linear(n):
    asked.append(n)
    return 2 + 0.25 * n, 4 + 0.5 * n


assert rule.whole(linear, (5, 25), 1000) == [252, 504], asked
assert asked == [5, 25]
assert rule.whole(linear, (5, 25), 4) == (3, 6)
asked.clear()
rule.whole(lambda n: (asked.append(n), (0.001 * n, 0))[1], (10, 60), 500)
assert asked == [10, 60, 240, 500], asked
END

# The page comes from kept results: ratio, share of the measured peak, methods without a loop.
cat >"$work/kept.json" <<'END'
[{"family": "pll", "peer": "PyTorch 0", "threads": 1, "rounds": 3, "machine": "2 processors",
  "limits": {"memory GB/s": 10.0, "GEMM GFLOP/s": 100.0}, "alone": ["rc"],
  "results": [{"method": "cc", "epochs": 10000, "ours": 2.0, "theirs": 11.0, "rounds": 3, "noise": 0.25, "operations": 1e11},
              {"method": "log", "epochs": null, "ours": 3.0},
              {"method": "pc", "problem": "pc: no result"}]}]
END
expect 0 "$SOURCE/tools/bench" --study page --json "$work/kept.json" --write "$work/page.md"
page=$(cat "$work/page.md")
contains "$page" "| cc | 10000 | 2.00 | 11.00 | 5.5 | 0.2 | 50 % |"
contains "$page" "| log | - | 3.00 | - | - | - | - |"
contains "$page" "| pc | pc: no result | | | | | |"
contains "$page" "0 of 1 methods are at least ten times as fast as their loop; the median is 5.5."
contains "$page" "50 % of our time or more at the machine's peak (above 100 %, ours are fewer): pll/cc 5.5 (50 %)."
contains "$page" "Without a loop in PyTorch: rc."
contains "$page" "100 GFLOP/s in products"

# A row goes to its place among those that were kept; what failed is measured again; what has no row is named.
expect 0 python3 - "$SOURCE" <<'END'
import sys
import types
sys.path.insert(0, sys.argv[1] + "/tests/bench/scripts")
import study

loops = {name: {} for name in ("cc", "pc", "rc")}
study.methods_of = lambda family, only: ["cc", "log", "pc", "rc"]
report = {"family": "pll", "results": [{"method": "pc", "ours": 1}, {"method": "cc", "problem": "no memory"}], "alone": []}
asked = lambda missing: study.wanted(report, ["cc", "log", "pc", "rc"], loops, types.SimpleNamespace(missing=missing))
assert asked(False) == ["cc", "log", "pc", "rc"] and asked(True) == ["cc", "log", "rc"]
study.put(report, {"method": "cc", "ours": 2}, loops)
assert [r.get("ours") for r in report["results"]] == [2, 1] and report["open"] == ["log", "rc"], report
assert any("Not measured yet: log, rc." in line for line in study.tail_of(report))
END

# A missing mirror is said in one line.
CRUCIBLE_MIRROR= expect 1 "$SOURCE/tools/bench" --study pll
contains "$errors" "set CRUCIBLE_MIRROR"

# The arrays are those of the card's files: every pair of people both ways, the first row of features, circles by name.
mkdir "$work/arrays"
card=$SOURCE/datasets/examples/own-graph
expect 0 "$BUILD/bin/crucible-bench-task" "$card/own-graph.ini" "$work/arrays"
expect 0 python3 - "$card" "$work/arrays" <<'END'
import array, ast, csv, sys


def read(name, code):
    with open(f"{sys.argv[2]}/{name}.npy", "rb") as file:
        whole = file.read()
    assert whole[:8] == b"\x93NUMPY\x01\x00"
    length = int.from_bytes(whole[8:10], "little")
    head = ast.literal_eval(whole[10:10 + length].decode())
    return head["shape"], array.array(code, whole[10 + length:])


def rows(name):
    with open(f"{sys.argv[1]}/{name}.csv") as file:
        return list(csv.reader(file))[1:]


people = {row[0]: i for i, row in enumerate(rows("nodes"))}
shape, x = read("x", "f")
assert shape == (len(people), 2) and abs(x[0] - 57) < 1e-6 and abs(x[1] - 1.3) < 1e-6
shape, labels = read("labels", "i")
circles = [row[1] for row in rows("nodes")]
assert shape == (len(people),)
assert all((labels[i] == labels[j]) == (circles[i] == circles[j]) for i in range(shape[0]) for j in range(shape[0]))
shape, pairs = read("pairs", "i")
found = set(zip(pairs[:shape[1]], pairs[shape[1]:]))
wanted = {(people[a], people[b]) for a, b in rows("edges")}
assert found == wanted | {(b, a) for a, b in wanted}
END
expect 2 "$BUILD/bin/crucible-bench-task" one-word
