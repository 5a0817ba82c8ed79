# SPDX-License-Identifier: Apache-2.0
# What a run leaves behind when something is wrong with the data, a method or the machine, and what the next one makes of
# it.
. "$(dirname "$0")/lib.sh"
unset CRUCIBLE_MIRROR
export XDG_DATA_HOME=$work/data

mkdir "$work/plugins"
cp "$BUILD"/tests/plugins/{runner-secret,runner-accuracy,good-algorithm,fit-crash,fit-fail,fit-sleep}.so "$work/plugins/"
export CRUCIBLE_PLUGIN_PATH=$work/plugins
cp -r "$SOURCE/datasets/examples/own-graph" "$work/own"
cd "$work" || exit 1

# lines COUNT: so many lines of errors.
lines()
{
    [ "$(wc -l <<<"$errors")" = "$1" ] || fail "not $1 lines of errors: $errors"
}

# ---- data that is not there -----------------------------------------------------------------------------------

cat >own.ini <<'INI'
[experiment]
seeds = 0, 1
metrics = accuracy
[dataset own/own-graph.ini]
[split]
scheme = percent
train = 0.5
val = 0.25
[monitor]
epochs = 2
[algorithm mlp]
INI

# ends TEXT: the run ends with that one line, and no trial has an outcome.
ends()
{
    expect 1 "$CRUCIBLE" run own.ini --db own.db
    lines 1
    contains "$errors" "$1"
    [ -z "$out" ] || fail "a table without results: $out"
    [ "$(sqlite3 own.db 'SELECT count(*) FROM trial WHERE outcome <> 0')" = 0 ] || fail "missing data is a result"
    [ "$(sqlite3 own.db 'SELECT count(*) FROM trial WHERE pid IS NOT NULL')" = 0 ] || fail "a trial stays claimed"
}

right=$(sha256sum <own/nodes.csv | cut -d' ' -f1)
printf '[sha256]\nnodes = %s\n' "$right" >>own/own-graph.ini
mv own/nodes.csv aside.csv
ends "nodes.csv is not here"
sed 's/,/,9/' aside.csv >own/nodes.csv
ends "nodes.csv: sha256 is"
expect 1 "$CRUCIBLE" run own.ini --db own.db --quiet
lines 1
expect 1 "$CRUCIBLE" run own.ini --db own.db --in-process
lines 1
expect 1 "$CRUCIBLE" search own.ini --db searched.db --set search.method=random --set search.trials=2
lines 1
[ "$(sqlite3 searched.db 'SELECT count(*) FROM trial WHERE outcome <> 0')" = 0 ] || fail "missing data is a result"

# What other data gave is kept, and the rest is run when the file is there.
cat >two.ini <<'INI'
[experiment]
metrics = runner-accuracy
[dataset runner-secret]
[dataset own/own-graph.ini]
[algorithm good-algorithm]
INI
expect 1 "$CRUCIBLE" run two.ini --db two.db --jobs 1
contains "$errors" "sha256 is"
[ "$(sqlite3 two.db 'SELECT count(*) FROM trial WHERE outcome > 1')" = 0 ] || fail "missing data is a result"
mv aside.csv own/nodes.csv
expect 0 "$CRUCIBLE" run own.ini --db own.db
contains "$errors" "own: 2 of 2 trials run"

# ---- trials without a result ----------------------------------------------------------------------------------

cat >some.ini <<'INI'
[experiment]
metrics = runner-accuracy
[dataset runner-secret]
[algorithm good-algorithm]
[algorithm fit-crash]
[algorithm fit-fail]
INI
expect 3 "$CRUCIBLE" run some.ini --db some.db
contains "$errors" "some: 2 of 3 trials have no result (1 crashed, 1 failed, the first: crashed with SIGSEGV"
contains "$(tail -n 1 <<<"$errors")" "; --retry failed runs them again"
expect 3 "$CRUCIBLE" run some.ini --db some.db
contains "$errors" "0 of 3 trials run"
contains "$errors" "2 of 3 trials have no result"
expect 3 "$CRUCIBLE" run some.ini --db some.db --quiet
lines 1
contains "$errors" "2 of 3 trials have no result"
expect 0 "$CRUCIBLE" run some.ini --db some.db --quiet --set experiment.algorithms=good-algorithm
[ -z "$out$errors" ] || fail "--quiet is not quiet: $out$errors"

# One that was too slow for a limit is run again under another one when asked.
slow=(run some.ini --db slow.db --set experiment.name=slow --set experiment.algorithms=fit-sleep)
expect 1 "$CRUCIBLE" "${slow[@]}" --set run.timeout=0.2
contains "$errors" "1 of 1 trials have no result (1 timeout, the first: no result after 0.2 s); --retry failed runs them"
expect 1 "$CRUCIBLE" "${slow[@]}" --set run.timeout=0.3
contains "$errors" "0 of 1 trials run"
contains "$errors" "1 timeout, the first: no result after 0.2 s"
expect 1 "$CRUCIBLE" "${slow[@]}" --set run.timeout=0.3 --retry failed
contains "$errors" "1 timeout, the first: no result after 0.3 s"

# No result at all is a failure, told even where nothing else is.
none=(--set experiment.name=none --set experiment.algorithms=fit-crash)
expect 1 "$CRUCIBLE" run some.ini --db none.db "${none[@]}"
contains "$errors" "crucible: none: 1 of 1 trials have no result (1 crashed, the first: crashed with SIGSEGV"
expect 1 "$CRUCIBLE" run some.ini --db none.db "${none[@]}" --quiet
lines 1
[ -z "$out" ] || fail "--quiet is not quiet: $out"
expect 1 "$CRUCIBLE" run some.ini --db none.db "${none[@]}" --json
contains "$out" '"event":"end"'

# ---- a plugin that was built again ----------------------------------------------------------------------------

rebuilt="was built again since these results; --force or a new version runs it"
built=(run some.ini --db built.db --set experiment.algorithms=good-algorithm --quiet)
silent()
{
    expect 0 "$CRUCIBLE" "${built[@]}" "$@"
    [ -z "$out$errors" ] || fail "nothing to tell, but: $out$errors"
}
silent
touch plugins/good-algorithm.so
cp --remove-destination "$BUILD/tests/plugins/good-algorithm.so" plugins/ # the same bytes again
silent
printf 'one byte more' >>plugins/good-algorithm.so
expect 0 "$CRUCIBLE" "${built[@]}"
lines 1
version=$("$CRUCIBLE" info good-algorithm --json | sed -n 's/.*"version":[[:space:]]*"\([^"]*\)".*/\1/p')
[ -n "$version" ] || fail "no version"
[ "$errors" = "good-algorithm $version $rebuilt" ] || fail "not the warning: $errors"
printf 'and others' | tee -a plugins/runner-accuracy.so >>plugins/runner-secret.so
expect 0 "$CRUCIBLE" "${built[@]}"
lines 1
contains "$errors" "were built again since these results; --force or a new version runs them"
silent --force
silent

# A store of a program that did not note this: nothing is known, nothing is told, and the next result is noted.
sqlite3 built.db "DROP TABLE made_by; DROP TABLE build"
expect 0 "$CRUCIBLE" report --db built.db
silent
silent --force
printf 'again' >>plugins/good-algorithm.so
expect 0 "$CRUCIBLE" "${built[@]}"
[ "$errors" = "good-algorithm $version $rebuilt" ] || fail "not the warning: $errors"
exit 0
