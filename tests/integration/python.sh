# SPDX-License-Identifier: Apache-2.0
# Methods in Python: found, described, run, searched, checked, limited; what fails is told; results come back as rows.
. "$SOURCE/tests/integration/lib.sh"

python=
for candidate in "${CRUCIBLE_PYTHON:-python3}" /usr/bin/python3; do
    "$candidate" -c 'import numpy' 2>/dev/null && python=$(command -v "$candidate") && break
done
cd "$work" || exit 1
cp "$SOURCE/tests/python/centroid.py" .

experiment() # FILE LINES...
{
    local file=$1
    shift
    printf '[experiment]\nseeds = 0, 1\nmetrics = accuracy\n[dataset csbm]\n[algorithm python as mine]\nfile = %s\n' "$file"
    printf '%s\n' "$@" '[paths]' "python = ${python:-python3}"
}

# ---- without Python everything else goes on, and what is missing is told ----
mkdir plugins
cp centroid.py plugins/
experiment centroid.py | sed 's|^python = .*|python = /nowhere/python|' >nowhere.ini
expect 2 "$CRUCIBLE" run nowhere.ini
contains "$errors" "centroid.py: methods in Python need an interpreter, and '/nowhere/python' is none"
expect 0 env PATH=/nowhere CRUCIBLE_PLUGIN_PATH=plugins "$CRUCIBLE" list algorithms
contains "$out" "need an interpreter"
printf '[experiment]\nmetrics = accuracy\n[dataset csbm]\n[algorithm mlp]\n[paths]\nplugins = plugins\n' >other.ini
expect 0 env PATH=/nowhere "$CRUCIBLE" run other.ini --db other.db

[ -n "$python" ] || { echo "SKIP: no Python with numpy"; exit 0; }
if ! "$python" -c "import ctypes; ctypes.CDLL('$BUILD/lib/crucible/python/libcrucible-python.so')" 2>/dev/null; then
    echo "SKIP: the library cannot be loaded into $python (a build with sanitizers, say)"
    exit 0
fi
export PATH=$(dirname "$python"):$PATH PYTHONPATH=

# ---- run, resume, mistakes in settings and files ----
experiment centroid.py 'scale = 1, 2' >good.ini
expect 0 "$CRUCIBLE" run good.ini
contains "$out$errors" "4 of 4 trials run"
contains "$errors" "python = $python: this program runs the methods in Python"
expect 0 "$CRUCIBLE" run good.ini
contains "$out$errors" "0 of 4 trials run"
expect 1 "$CRUCIBLE" run good.ini --in-process --db inside.db
contains "$errors" "cannot be run in process"

experiment centroid.py 'scael = 1' >typo.ini
expect 2 "$CRUCIBLE" run typo.ini
contains "$errors" "scale"
experiment centroid.py 'scale = 1000' >range.ini
expect 2 "$CRUCIBLE" run range.ini
contains "$errors" "100"
experiment none.py >none.ini
expect 2 "$CRUCIBLE" run none.ini
contains "$errors" "none.ini:6: file: there is no file"
printf 'import crucible\nclass\n' >syntax.py
experiment syntax.py >syntax.ini
expect 2 "$CRUCIBLE" run syntax.ini
contains "$errors" "SyntaxError"
printf 'import crucible, absent_package\n' >absent.py
experiment absent.py >absent.ini
expect 2 "$CRUCIBLE" run absent.ini
contains "$errors" "No module named 'absent_package'"

# ---- found in a folder under its own name ----
export CRUCIBLE_PLUGIN_PATH=$work/plugins
printf 'print("a part of a method, and none itself")\n' >plugins/helper.py
expect 0 "$CRUCIBLE" list algorithms
contains "$out" "the nearest mean of the training items"
lacks "$out" helper
expect 0 "$CRUCIBLE" info centroid
contains "$out" "log-uniform 0.1..10"
printf '[experiment]\nseeds = 0..2\nmetrics = accuracy\n[dataset csbm]\n[algorithm centroid]\n[search]\nmethod = random\ntrials = 3\n' >search.ini
expect 0 "$CRUCIBLE" search search.ini --db search.db --quiet
unset CRUCIBLE_PLUGIN_PATH

# ---- the suite of check ----
expect 0 "$CRUCIBLE" check centroid.py --python "$python"
contains "$out" "nodes, same seed, same bits"
contains "$out" "graphs, not claimed: refused"
sed 's/np.random.default_rng(self.seed)/np.random.default_rng()/; s/jitter=crucible.Float(0.0/jitter=crucible.Float(0.5/' \
    centroid.py >loose.py
expect 1 "$CRUCIBLE" check loose.py --python "$python"
contains "$out" "two instances with one seed give different scores"

# ---- same seed, same bits; hidden nodes stay hidden while it trains ----
experiment centroid.py 'jitter = 0.5' >bits.ini
expect 0 "$CRUCIBLE" run bits.ini --db first.db --quiet
expect 0 "$CRUCIBLE" run bits.ini --db second.db --quiet
expect 0 "$CRUCIBLE" export --db first.db -o first.csv
expect 0 "$CRUCIBLE" export --db second.db -o second.csv
cut -d, -f3-5,11-13 first.csv >first.txt
cut -d, -f3-5,11-13 second.csv >second.txt
cmp -s first.txt second.txt || fail "two runs differ: $(diff first.txt second.txt)"
sed 's/        train, labels = /        assert len(task.split.test) == 0, "sees the test"\n        train, labels = /' centroid.py >view.py
{ experiment view.py; printf '[split]\nview = inductive\n'; } >view.ini
expect 0 "$CRUCIBLE" run view.ini --db view.db

# ---- what goes wrong costs one trial and says where ----
faulty() # NAME STATEMENT EXPECTED LINES...
{
    local name=$1 statement=$2 wanted=$3
    shift 3
    sed "s|        train, labels = |        $statement\n        train, labels = |; s/\"centroid\"/\"$name\"/" centroid.py >"$name.py"
    experiment "$name.py" "$@" >"$name.ini"
    "$CRUCIBLE" run "$name.ini" --db "$name.db" >"$work/stdout" 2>&1
    contains "$(cat "$work/stdout")" "$wanted"
}
faulty divides "1 / 0" "ZeroDivisionError: division by zero (divides.py:25)"
key=$("$CRUCIBLE" export --db divides.db | sed -n 2p | cut -d, -f3)
expect 0 "$CRUCIBLE" show "$key" --db divides.db
contains "$out" "Traceback (most recent call last)"
faulty hungry "keep = [np.ones(1 << 24) for _ in range(64)]" ": oom" '[run]' 'memory = 600'
faulty endless "exec('while True: pass')" ": timeout" '[run]' 'timeout = 2'
faulty crashing "import ctypes; ctypes.string_at(0)" ": crashed"
faulty leaving "import os; os._exit(0)" ": crashed"
faulty overwriting "task.labels[0] = 1" "ValueError: assignment destination is read-only"
faulty misshapen "monitor.epoch(np.zeros((3, 2)), 0.0)" "ValueError: scores are 3 x 2, not"
faulty refusing "raise crucible.Unsupported('not today')" "not today"

# ---- results as rows ----
export PYTHONPATH=$BUILD/lib/crucible/python
expect 0 "$python" -c '
import crucible
rows = [t for t in crucible.trials("results.db") if t["outcome"] == "ok"]
assert len(rows) == 4 and {r["algorithm.scale"] for r in rows} == {1, 2}, rows
assert all(r["method"] == "mine" and 0 <= r["accuracy"] <= 1 and r["seconds"] > 0 for r in rows), rows
try:
    import pandas
except ImportError:
    print("SKIP: no pandas")
else:
    frame = crucible.open("results.db")
    assert len(frame) == 4 and frame.groupby("algorithm.scale").accuracy.mean().shape == (2,), frame
'
echo "$out"
expect 1 "$python" -c 'import crucible; crucible.trials("good.ini")'
contains "$errors" "is not a results store"
echo ok
