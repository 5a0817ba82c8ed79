# SPDX-License-Identifier: Apache-2.0
# crucible show: what a store holds besides its tables.
. "$(dirname "$0")/lib.sh"

mkdir "$work/plugins"
for name in runner-secret runner-accuracy runner-epochs good-algorithm fit-crash fit-fail fit-log; do
    cp "$BUILD/tests/plugins/$name.so" "$work/plugins/"
done
export CRUCIBLE_PLUGIN_PATH=$work/plugins
cd "$work" || exit 1

cat >talk.ini <<'INI'
[experiment]
name    = talk
metrics = runner-accuracy
[run]
curves = yes
predictions = yes
[dataset runner-secret]
[algorithm fit-log]
[algorithm fit-crash]
[algorithm fit-fail]
[algorithm runner-epochs]
INI
cat >plain.ini <<'INI'
[experiment]
name    = plain
metrics = runner-accuracy
[dataset runner-secret]
[algorithm good-algorithm]
INI

expect 1 "$CRUCIBLE" show
contains "$errors" "--db FILE names the results store"
expect 3 "$CRUCIBLE" run talk.ini # two have no result
contains "$errors" "warning: 1 of the results of talk may be worthless (the first: fit-log: the moon is full)"
contains "$errors" "in"
expect 0 "$CRUCIBLE" run plain.ini
case "$errors" in *warning*) fail "a warning for nothing: $errors" ;; esac

# The experiments of a store; report names them, too, where there is none of that name.
expect 0 "$CRUCIBLE" show
contains "$out" "talk                             4 trials, 2 ok, 1 crashed, 1 failed"
contains "$out" "plain                            1 trial, 1 ok"
expect 0 "$CRUCIBLE" show --json
contains "$out" '"experiment":'
for verb in show report; do
    expect 2 "$CRUCIBLE" $verb nosuch
    contains "$errors" "'nosuch'; there are the experiments talk, plain"
done

# The trials of one.
expect 0 "$CRUCIBLE" show talk
contains "$out" "fit-log"
contains "$out" "the method gave up on purpose"
contains "$out" "crashed  fit-crash"

# All of a trial: log, warning, message, backtrace, settings, curve. A log is bounded, and does not steer the terminal.
expect 0 "$CRUCIBLE" show talk:0
contains "$out" "warning     the moon is full"
contains "$out" "the first line"
contains "$out" "bytes left out"
contains "$out" "the last line ?[31mred"
[ ${#out} -lt 20000 ] || fail "a log of ${#out} bytes was kept"
expect 0 "$CRUCIBLE" show talk:1
contains "$out" "message     crashed with SIGSEGV"
contains "$out" "fit-crash.so"
expect 0 "$CRUCIBLE" show talk:2
contains "$out" "outcome     failed"
expect 0 "$CRUCIBLE" show talk:3
contains "$out" "curve       loss: "
contains "$out" "dataset = runner-secret"
contains "$out" "validation = "
key=$(sed -n 's/^key  *//p' <<<"$out")
expect 0 "$CRUCIBLE" show "${key:0:8}"
contains "$out" "trial       talk:3"
expect 0 "$CRUCIBLE" show "${key:0:8}" --json
contains "$out" '"curves":'
expect 2 "$CRUCIBLE" show talk:4
contains "$errors" "talk has 4 trials"

# Files: curves as numbers and as a picture, predictions, the split. What was not kept leaves no file.
expect 0 "$CRUCIBLE" show talk:3 --curve curve.csv --predictions scores.csv --split split.csv
[ "$(head -1 curve.csv)" = "trial,title,epoch,loss,validation" ] || fail "$(head -1 curve.csv)"
points=$(sqlite3 results.db "SELECT length(data) / 8 FROM curve JOIN trial ON trial.id = trial WHERE key = '$key' AND name = 'loss'")
[ "$(wc -l <curve.csv)" = $((points + 1)) ] || fail "$points points are not in: $(cat curve.csv)"
rows=$(sqlite3 results.db "SELECT rows FROM scores JOIN trial ON trial.id = trial WHERE key = '$key'")
[ "$(wc -l <scores.csv)" = $((rows + 1)) ] || fail "not $rows rows: $(head scores.csv)"
[ "$(wc -l <split.csv)" = $((rows + 1)) ] || fail "not $rows rows: $(head split.csv)"
for part in train val test; do grep -q ",$part\$" split.csv || fail "no item to $part: $(cat split.csv)"; done
expect 0 "$CRUCIBLE" show talk --curve curves.svg
grep -q '<polyline[^>]*class="line s[0-9]"' curves.svg || fail "no line is drawn"
expect 1 "$CRUCIBLE" show plain:0 --predictions none.csv
contains "$errors" "run.predictions=yes"
expect 1 "$CRUCIBLE" show plain --curve none.csv
contains "$errors" "run.curves=yes"
[ ! -e none.csv ] || fail "a file of nothing"
expect 2 "$CRUCIBLE" show talk --predictions none.csv
contains "$errors" "talk:NUMBER"
