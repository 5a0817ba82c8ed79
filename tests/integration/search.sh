# SPDX-License-Identifier: Apache-2.0
# crucible search, as a user runs it: a method of ours on generated graphs.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

cat >tune.ini <<'INI'
[experiment]
name    = tune
seeds   = 0..1
metrics = accuracy
[dataset csbm]
nodes = 200
[algorithm gcn]
epochs  = 10
layers  = 2
dropout = 0.5
hidden  = search(one-of 8 16)
lr      = search(log 1e-3 1e-1)
weight_decay = 0
[search]
method  = tpe
trials  = 8
startup = 4
INI

# The settings tried are counted, and the table shows the chosen ones only.
expect 0 "$CRUCIBLE" search tune.ini
contains "$errors" "tune: 16 of 16 trials run"
contains "$errors" "2 of 2 searches over, 16 settings tried"
contains "$out" "mean ± std of 2 runs"
contains "$out" "settings chosen on validation data among 8"
table=$out
expect 0 "$CRUCIBLE" report
[ "$out" = "$table" ] || fail "report shows another table:
$out"

# Nothing is run twice, and `run` does the same.
expect 0 "$CRUCIBLE" run tune.ini
contains "$errors" "tune: 0 of 16 trials run"
[ "$out" = "$table" ] || fail "another choice:
$out"

# All that was tried, each with every setting that was searched.
expect 0 "$CRUCIBLE" report --tried --json
python3 -c '
import json, sys
rows = json.load(open(sys.argv[1]))[0]["rows"]
assert len(rows) >= 15 and all(r["algorithm.lr"].startswith("lr=") for r in rows), rows
assert {r["algorithm.hidden"] for r in rows} == {"hidden=64", "hidden=8", "hidden=16"}, rows # the default is tried first
assert all(set(r) == {"label", "algorithm", "algorithm.lr", "algorithm.hidden"} for r in rows), rows
' "$work/stdout" || fail "--tried --json"
expect 0 "$CRUCIBLE" report --tried --format csv
[ "$(grep -cE "gcn hidden=[0-9]+ lr=[0-9]" <<<"$out")" -ge 15 ] || fail "--tried --format csv hides a setting: $out"
expect 0 "$CRUCIBLE" report --tried --json --rows algorithm,lr
[ "$(grep -c '"algorithm.lr"' <<<"$out")" -ge 15 ] || fail "not all settings: $out"
expect 0 "$CRUCIBLE" report --json
contains "$out" '"settings_tried":	8'

# By test scores, as some studies do: said aloud, nothing is run again, and the choice cannot be worse by them.
mean() { sed -n 's/.*"mean":[^0-9]*\([0-9.]*\).*/\1/p' <<<"$1" | head -n 1; }
expect 0 "$CRUCIBLE" search tune.ini --set search.select=test --set search.method=random --set experiment.name=peek
contains "$errors" "settings are chosen by the very scores that tables show"
contains "$out" "settings chosen on TEST data among 8"
expect 0 "$CRUCIBLE" search tune.ini --set search.method=random --set experiment.name=fair
contains "$errors" "fair: 0 of 16 trials run"
fair=$(mean "$("$CRUCIBLE" report fair --json)")
peek=$(mean "$("$CRUCIBLE" report peek --json)")
python3 -c 'import sys; sys.exit(float(sys.argv[1]) < float(sys.argv[2]))' "$peek" "$fair" || fail "test $peek, validation $fair"

# Draws of their own: only the defaults, which come first, are trained with the same ones as before; the report has the same shape.
expect 0 "$CRUCIBLE" search tune.ini --set search.method=random --set search.own_draws=yes --set experiment.name=own
contains "$errors" "own: 14 of 16 trials run"
contains "$out" "mean ± std of 2 runs"
[ "$(grep -c "^gcn " <<<"$out")" = 1 ] || fail "the numbers of the chosen settings split the table: $out"
expect 0 "$CRUCIBLE" show own:2
contains "$out" "search.number"
expect 0 "$CRUCIBLE" export own --format csv
contains "$(head -n 1 <<<"$out")" "search.number"

# An interrupted search goes on and ends with the same choice.
mkfifo lines
set -m # children of a script ignore SIGINT otherwise
"$CRUCIBLE" search tune.ini --db again.db --json --jobs 1 >lines 2>stopped &
pid=$!
exec 3<lines
for _ in 1 2 3; do read -r line <&3; done
kill -INT "$pid"
code=0
wait "$pid" || code=$?
cat <&3 >rest
exec 3<&-
[ "$code" = 1 ] || fail "exit code $code after Ctrl-C: $(cat rest stopped)"
expect 0 "$CRUCIBLE" search tune.ini --db again.db --jobs 3
contains "$errors" "known before"
[ "$out" = "$table" ] || fail "an interrupted search chose otherwise:
$out"

# A grid tries all of its points, once for both seeds.
expect 0 "$CRUCIBLE" search tune.ini --db grid.db --set search.method=grid --set search.trials=0 --set search.points=3 \
    --set search.per=all-seeds --json
contains "$out" '"searches":1,"settings_tried":6'
[ "$(grep -c '"event":"trial"' <<<"$out")" = 12 ] || fail "not 12 trials: $out"

# Mistakes of the user.
expect 2 "$CRUCIBLE" search
expect 2 "$CRUCIBLE" search tune.ini --set search.method=none --set algorithm.gcn.lr=0.1 --set algorithm.gcn.hidden=8
contains "$errors" "[search]"
expect 0 "$CRUCIBLE" search --help
contains "$out" "method = grid, random or tpe"
exit 0
