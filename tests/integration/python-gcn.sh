# SPDX-License-Identifier: Apache-2.0
# One GCN in C, in plain PyTorch and in PyTorch Geometric: within a point of each other over ten seeds, in one table; what a
# trial costs besides its method; and a published model that an adapter brings. CRUCIBLE_VENV names a folder where an
# environment with both is made if there is none, which loads packages from an index; CRUCIBLE_GPRGNN the authors' GNN_models.py.
. "$SOURCE/tests/integration/lib.sh"

python=
for candidate in "${CRUCIBLE_PYTHON:-python3}" "${CRUCIBLE_VENV:-/nowhere}/bin/python" /usr/bin/python3; do
    "$candidate" -c 'import torch, torch_geometric' 2>/dev/null && python=$(command -v "$candidate") && break
done
if [ -z "$python" ] && [ -n "${CRUCIBLE_VENV:-}" ]; then
    python3 -m venv "$CRUCIBLE_VENV" && "$CRUCIBLE_VENV/bin/pip" install --quiet torch torch_geometric numpy &&
        python=$CRUCIBLE_VENV/bin/python
fi
if ! "${python:-python3}" -c "import ctypes; ctypes.CDLL('$BUILD/lib/crucible/python/libcrucible-python.so')" 2>/dev/null; then
    echo "SKIP: the library cannot be loaded into ${python:-python3} (a build with sanitizers, say)"
    exit 0
fi
cd "$work" || exit 1
PYTHONPATH=$BUILD/lib/crucible/python expect 0 "${python:-/usr/bin/python3}" "$SOURCE/tests/python/views.py"
[ -n "$python" ] || { echo "SKIP: no Python with PyTorch Geometric; CRUCIBLE_VENV=FOLDER makes one"; exit 0; }

cp "$SOURCE"/sdk/python/examples/* .
expect 0 "$CRUCIBLE" new python my-gnn
expect 0 "$CRUCIBLE" run same-gcn.ini --set experiment.datasets=csbm --set paths.python="$python" --set monitor.epochs=60 \
    --db same.db --quiet
expect 0 "$CRUCIBLE" report same-gcn --db same.db --metric accuracy,seconds,peak-mib
echo "$out"
PYTHONPATH=$BUILD/lib/crucible/python expect 0 "$python" -c '
import crucible
rows = crucible.trials("same.db")
assert len(rows) == 30 and all(r["outcome"] == "ok" for r in rows), rows
mean = {m: sum(r["accuracy"] for r in rows if r["method"] == m) / 10 for m in {r["method"] for r in rows}}
assert len(mean) == 3 and max(mean.values()) - min(mean.values()) <= 0.01, mean
'

# What a trial costs after the first, which pays for the interpreter: all but the epochs of the method.
expect 0 "$CRUCIBLE" run same-gcn.ini --set experiment.datasets=csbm --set paths.python="$python" --set monitor.epochs=1 \
    --set experiment.algorithms=plain-pytorch --jobs 1 --db cost.db --quiet
sqlite3 cost.db "SELECT 'seconds of the clock of trials of one epoch: ' || group_concat(round(seconds_total, 2), ' ') FROM trial"

[ "$(wc -l <gprgnn.py)" -le 40 ] || fail "the adapter has more than 40 lines"
if [ -z "${CRUCIBLE_GPRGNN:-}" ]; then
    echo "SKIP: the authors' GPRGNN: CRUCIBLE_GPRGNN names no GNN_models.py"
    exit 0
fi
cp "$CRUCIBLE_GPRGNN" GNN_models.py
printf '[experiment]\nseeds = 0\nmetrics = accuracy\n[dataset csbm]\n[algorithm python as authors]\nfile = gprgnn.py\n' >authors.ini
printf '[monitor]\nepochs = 20\n[paths]\npython = %s\n' "$python" >>authors.ini
expect 0 "$CRUCIBLE" run authors.ini --db authors.db
contains "$errors" "authors on csbm, seed 0: ok accuracy"
