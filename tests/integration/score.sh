# SPDX-License-Identifier: Apache-2.0
# Metrics come after the run: kept scores are judged instead of training again, and what is lost in 16 bits is as said.
. "$(dirname "$0")/lib.sh"

cat >"$work/a.ini" <<'INI'
[experiment]
seeds   = 0..2
metrics = accuracy
[dataset csbm]
nodes   = 400
classes = 2
[split]
scheme = percent
train  = 0.3
val    = 0.2
[algorithm gcn]
hidden = 8
[algorithm mlp]
hidden = 8
[monitor]
epochs = 20
INI
cd "$work" || fail "no folder"
more=(--set experiment.metrics=accuracy,macro-f1,auroc,log-loss)

# name -> values of `show --json`, by trial
numbers() # DB
{
    "$CRUCIBLE" show a --db "$1" --json | python3 -c '
import json, sys
for t in json.load(sys.stdin):
    for name, value in sorted(t["numbers"].items()):
        if "seconds" not in name: print(t["number"], name, repr(value))'
}

# Judged later: nothing is trained, accuracy and F1 are the same to the last bit, the others within 1e-3.
expect 0 "$CRUCIBLE" run a.ini --db direct.db -q "${more[@]}"
expect 0 "$CRUCIBLE" run a.ini --db later.db -q
expect 0 "$CRUCIBLE" run a.ini --db later.db "${more[@]}"
contains "$errors" "a: 6 trials judged by metrics they lacked, from kept scores"
contains "$errors" "0 of 6 trials run"
numbers direct.db >direct
numbers later.db >later
python3 - direct later <<'PY' || fail "judged later is not judged directly"
import sys
a, b = ([line.split() for line in open(name)] for name in sys.argv[1:])
assert [x[:2] for x in a] == [x[:2] for x in b] and len(a) == 6 * 5, (len(a), len(b))
for x, y in zip(a, b):
    gap = abs(float(x[2]) - float(y[2]))
    assert gap == 0 if x[1] in ("accuracy", "macro-f1", "validation") else gap <= 1e-3, (x, y)
PY
expect 0 "$CRUCIBLE" run a.ini --db later.db "${more[@]}"
case "$errors" in *"metrics they lacked"*) fail "judged again: $errors" ;; esac
expect 0 "$CRUCIBLE" show a:0 --db later.db
contains "$out" "auroc was judged from kept scores"
case "$out" in *"accuracy was judged"*) fail "accuracy was measured at once: $out" ;; esac

# The verb trains nothing; without a store it says so.
expect 0 "$CRUCIBLE" score a.ini --db later.db --set experiment.metrics=brier
contains "$errors" "a: 6 trials judged by metrics they lacked"
contains "$out" "brier"
expect 3 "$CRUCIBLE" score a.ini --db later.db --set experiment.metrics=brier --set experiment.seeds=0..3
contains "$errors" "nothing to judge"
expect 1 "$CRUCIBLE" score a.ini --db none.db
contains "$errors" "none.db: there is no such store"
[ ! -e none.db ] || fail "a store was made"

# Without kept scores the trials are run again, and numbers of other metrics stay.
expect 0 "$CRUCIBLE" run a.ini --db none.db -q --set run.keep=none
expect 3 "$CRUCIBLE" score a.ini --db none.db -q --set experiment.metrics=brier
contains "$errors" "6 trials lack a metric, and their scores were not kept: crucible run runs them again"
expect 0 "$CRUCIBLE" run a.ini --db none.db --set experiment.metrics=brier --set run.keep=none
contains "$errors" "6 of 6 trials run"
expect 0 "$CRUCIBLE" run a.ini --db none.db --set experiment.metrics=accuracy,brier
contains "$errors" "0 of 6 trials run"

# Exact scores judge exactly; a full store says so in one sentence.
expect 0 "$CRUCIBLE" run a.ini --db exact.db -q --set run.predictions=yes
expect 0 "$CRUCIBLE" run a.ini --db exact.db -q "${more[@]}"
numbers exact.db | grep -v validation >exact
grep -v validation direct | cmp - exact || fail "exact scores are not judged exactly"
expect 0 "$CRUCIBLE" run a.ini --db full.db --set run.keep=embeddings --set run.keep_limit=1 --set dataset.csbm.nodes=40000 \
    --set monitor.epochs=2 --set algorithm.gcn.hidden=64
contains "$errors" "full.db keeps [run] keep_limit = 1 MiB of scores already: those of"

# A metric that cannot judge the data fails no other experiment's trials.
sed 's/classes = 2/classes = 3/' a.ini >three.ini
expect 1 "$CRUCIBLE" run three.ini --db three.db -q --set experiment.metrics=auroc
expect 0 "$CRUCIBLE" run three.ini --db three.db --set experiment.metrics=accuracy
contains "$errors" "6 of 6 trials run"
expect 3 "$CRUCIBLE" run three.ini --db three.db --set experiment.metrics=accuracy,auroc
contains "$errors" "6 trials could not be judged from kept scores (the first: metric auroc"

# The trials of a search, too.
cat >"$work/s.ini" <<'INI'
include = a.ini
[search]
method = random
trials = 3
INI
expect 0 "$CRUCIBLE" run s.ini --db s.db -q
expect 0 "$CRUCIBLE" run s.ini --db s.db "${more[@]}"
contains "$errors" "metrics they lacked, from kept scores"
contains "$errors" "s: 0 of "
contains "$out" "log-loss"
expect 0 "$CRUCIBLE" score s.ini --db s.db --set experiment.metrics=brier
contains "$out" "brier"
