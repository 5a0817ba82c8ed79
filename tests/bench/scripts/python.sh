# SPDX-License-Identifier: Apache-2.0
# One GCN three times - in C, in plain PyTorch and with PyTorch Geometric - on the same splits and label noise, ten seeds:
# accuracy, seconds and memory. Fails when the accuracies differ by more than a point.
#     CRUCIBLE=build/release/bin/crucible CRUCIBLE_PYTHON=venv/bin/python bash tests/bench/scripts/python.sh [DATASET] [SEEDS]
set -eu
dataset=${1:-cora} seeds=${2:-0..9}
program=${CRUCIBLE:-build/release/bin/crucible} python=${CRUCIBLE_PYTHON:-python3}
source=$(cd "$(dirname "$0")/../../.." && pwd)
"$python" -c 'import torch, torch_geometric' 2>/dev/null || { echo "SKIP: $python has no torch_geometric"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed 's/@name@/torch-gcn/g' "$source/sdk/template/python/@name@.py" >"$work/torch-gcn.py"
cat >"$work/three.ini" <<END
[experiment]
name    = three
seeds   = $seeds
metrics = accuracy
[dataset $dataset]
[corruptor uniform]
rate = 0.3
[algorithm gcn as c]
[algorithm python as pytorch]
file = torch-gcn.py
[algorithm python as pyg]
file = torch-gcn.py
layers_from = pyg
[paths]
python = $python
END
"$program" run "$work/three.ini" --db "$work/three.db" --jobs 1 >&2
PYTHONPATH=${CRUCIBLE_PYTHONPATH:-$source/sdk/python} "$python" - "$work/three.db" <<'END'
import statistics
import sys

import crucible

rows = {}
for t in crucible.trials(sys.argv[1]):
    rows.setdefault(t["method"], []).append(t)
means = {}
print(f"{'':8} {'runs':>4} {'accuracy':>14} {'seconds':>8} {'MiB':>6}")
for name, trials in rows.items():
    good = [t for t in trials if t["outcome"] == "ok"]
    values = [100 * t["accuracy"] for t in good]
    means[name] = statistics.mean(values)
    print(f"{name:8} {len(good):4} {means[name]:7.2f} ± {statistics.pstdev(values):4.2f} "
          f"{statistics.median(t['seconds'] for t in good):8.2f} {statistics.median(t['peak-mib'] for t in good):6.0f}")
apart = max(means.values()) - min(means.values())
print(f"{apart:.2f} points apart")
sys.exit(apart > 1)
END
