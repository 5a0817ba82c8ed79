# SPDX-License-Identifier: Apache-2.0
# What a method learned beside its scores: run, shown, drawn; and how well it told wrong labels from right ones.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

cat >learned.ini <<'INI'
[experiment]
name    = learned
metrics = accuracy, noise-detection
seeds   = 0..1
[dataset csbm]
nodes   = 300
classes = 3
[split]
scheme = per-class
train_size = 40
val_size = 50
test_size = 0
[corruptor pair]
rate = 0.3
[algorithm forward]
epochs = 30
[algorithm gcn]
epochs = 30
INI
expect 0 "$CRUCIBLE" run learned.ini
expect 0 "$CRUCIBLE" show learned:0
contains "$out" "vector      method.transition: 9 numbers: "
contains "$out" "noise-detection.ap = "
expect 0 "$CRUCIBLE" show learned:0 --json
python3 - "$out" <<'PY' || fail "the transition matrix is none"
import json, sys
trial = json.loads(sys.argv[1])
matrix = trial["vectors"]["method.transition"]
assert len(matrix) == 9 and all(v >= 0 for v in matrix), matrix
for row in range(3):
    assert abs(sum(matrix[3 * row:3 * row + 3]) - 1) < 1e-3, matrix
assert 0 <= trial["numbers"]["noise-detection"] <= 1
assert "method.label-weight" not in trial["vectors"]
PY

# The corruptor has one of that name, too.
expect 2 "$CRUCIBLE" plot heat --vector transition --out any.svg
contains "$errors" "'transition' may be method.transition or pair.transition; say which"
expect 0 "$CRUCIBLE" plot heat --vector method.transition --out learned.svg
contains "$(cat learned.svg)" "method.transition, mean of 2 trials"

# A method without a report of its own has label weights all the same, kept where predictions are.
expect 0 "$CRUCIBLE" run learned.ini --set run.predictions=yes --set experiment.name=kept --force
expect 0 "$CRUCIBLE" show kept:1 --json
python3 - "$out" <<'PY' || fail "no label weights"
import json, sys
trial = json.loads(sys.argv[1])
assert len(trial["vectors"]["method.label-weight"]) == 120, {k: len(v) for k, v in trial["vectors"].items()}
PY
exit 0
