# SPDX-License-Identifier: Apache-2.0
# A method around another: settings of both, faults with their lines, keys, search, and the sandbox of both files.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

head()
{
    cat <<'INI'
[experiment]
name    = wrapped
metrics = accuracy
seeds   = 0
[dataset csbm]
nodes   = 200
classes = 2
[split]
scheme = per-class
train_size = 10
val_size = 30
test_size = 0
INI
}

{ head; cat <<'INI'
[algorithm gcn]
epochs = 5
[algorithm na]
of           = gcn
inner.epochs = 5
[algorithm na as wide]
of           = gcn
inner.epochs = 5
inner.hidden = 7
[algorithm correct-and-smooth]
of           = mlp
inner.epochs = 5
[algorithm ensemble]
of           = gcn
members      = 2
inner.epochs = 5
[algorithm self-training]
of           = gcn
inner.epochs = 5
[run]
sandbox = on
INI
} >all.ini
expect 0 "$CRUCIBLE" run all.ini
expect 0 "$CRUCIBLE" show wrapped
contains "$out" "na algorithm.inner.epochs=5"
expect 0 "$CRUCIBLE" show wrapped --json
python3 - "$out" <<'PY' || fail "trials are not what they should be"
import json, sys
trials = json.loads(sys.argv[1])
assert [t["outcome"] for t in trials] == ["ok"] * 6, trials
assert len({t["key"] for t in trials}) == 6
PY

# Another value on the command line is another trial; the others are known.
expect 0 "$CRUCIBLE" run all.ini --set algorithm.na.inner.hidden=9 --set experiment.name=other
contains "$errors" "1 of 6 trials run"

# Faults.
fault()
{
    { head; printf '%s\n' "$1"; } >bad.ini
    expect 2 "$CRUCIBLE" run bad.ini
    contains "$errors" "$2"
}
fault '[algorithm na]
of = gnc' "bad.ini:14: gnc: unknown algorithm to wrap; did you mean gcn?"
fault '[algorithm na]
of = gcn
inner.hiden = 3' "bad.ini:15: inner.hiden: unknown setting of algorithm na; did you mean inner.hidden?"
fault '[algorithm na]
of = gcn
inner.dropout = 2' "bad.ini:15: inner.dropout"
fault '[algorithm na]
of = ensemble' "bad.ini:14: ensemble: is a wrapper itself, and a wrapper takes a method"
fault '[algorithm na]
of = gcn, mlp' "bad.ini:14: of: takes one method; write [algorithm na as NAME] for another"
fault '[algorithm na]
of = gcn
[algorithm na on csbm]
of = mlp' "bad.ini:16: of: is the same on all datasets: set it in [algorithm na]"

# Values for one dataset reach inside; a search knows the keys of both.
{ head; cat <<'INI'
[algorithm na]
of           = gcn
inner.epochs = 5
[algorithm na on csbm]
inner.hidden = 5
[search]
method = random
trials = 2
INI
} >search.ini
expect 0 "$CRUCIBLE" search search.ini
expect 0 "$CRUCIBLE" info na
contains "$out" "whose settings are inner.KEY"

# A method that cannot do the task is refused by its name.
{ head; cat <<'INI'
[algorithm ensemble]
of = proden
INI
} >refused.ini
expect 1 "$CRUCIBLE" run refused.ini
contains "$out$errors" "proden handles rows, and this is nodes"

for name in na correct-and-smooth ensemble self-training; do
    expect 0 "$CRUCIBLE" check "$BUILD/lib/crucible/plugins/algorithms/$name.so"
done
exit 0
