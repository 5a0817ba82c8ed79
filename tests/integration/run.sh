# SPDX-License-Identifier: Apache-2.0
# crucible run, as a user runs it.
. "$(dirname "$0")/lib.sh"

mkdir "$work/plugins"
for name in runner-secret runner-accuracy runner-corruptor runner-epochs runner-learner good-algorithm fit-crash fit-sleep; do
    cp "$BUILD/tests/plugins/$name.so" "$work/plugins/"
done
export CRUCIBLE_PLUGIN_PATH=$work/plugins
cd "$work" || exit 1

cat >grid.ini <<'INI'
[experiment]
name    = grid
seeds   = 0..2
metrics = runner-accuracy
[dataset runner-secret]
[corruptor runner-corruptor]
[algorithm runner-epochs]
peak = 2, 4
[algorithm good-algorithm]
[algorithm fit-crash]
INI

# One line per trial, a summary, a table; a crash costs its own cells only.
expect 3 "$CRUCIBLE" run grid.ini
contains "$errors" "12/12 "
contains "$errors" "crashed: crashed with SIGSEGV"
contains "$errors" "grid: 12 of 12 trials run"
contains "$errors" "3 of 12 trials have no result"
contains "$out" "good-algorithm"
contains "$out" "ERR"
[ -f results.db ] || fail "no results.db"

# Nothing is run twice.
expect 3 "$CRUCIBLE" run grid.ini
contains "$errors" "0 of 12 trials run"
expect 3 "$CRUCIBLE" run grid.ini --retry failed
contains "$errors" "3 of 12 trials run"
expect 3 "$CRUCIBLE" run grid.ini --force --quiet
[ -z "$out" ] || fail "--quiet is not quiet: $out"

# JSON: a line per trial and one for the end.
expect 3 "$CRUCIBLE" run grid.ini --db other.db --json --jobs 3
[ "$(grep -c '^{"event":"trial",.*}$' <<<"$out")" = 12 ] || fail "not 12 JSON lines: $out"
contains "$out" '"event":"end"'
contains "$out" '"crashed":3'
contains "$out" '"runner-accuracy":1'

# The same numbers whatever the number of jobs.
numbers()
{
    "$CRUCIBLE" run grid.ini --db "$1" --json --jobs "$2" --force |
        sed -n 's/.*"key":"\([^"]*\)".*\("numbers":.*\)}$/\1 \2/p' | sort
}
[ "$(numbers a.db 1)" = "$(numbers b.db 4)" ] || fail "the numbers depend on the jobs"

# Learning curves, scores of every item and lists by class are kept when asked for.
expect 0 "$CRUCIBLE" run grid.ini --db kept.db --quiet --set run.curves=true --set run.predictions=true \
    --set experiment.metrics=runner-accuracy,per-class-recall --set experiment.algorithms=runner-epochs
sqlite3 kept.db "SELECT count(*), min(length(data)), max(length(epochs)) FROM curve" | grep -qx '12|80|80' ||
    fail "not six pairs of curves of ten epochs: $(sqlite3 kept.db 'SELECT count(*), min(length(data)) FROM curve')"
sqlite3 kept.db "SELECT count(*), min(rows * cols * 4 = length(data)) FROM scores" | grep -qx '6|1' ||
    fail "not the scores of six trials"
sqlite3 kept.db "SELECT count(*) FROM vector WHERE name = 'per-class-recall.recall'" | grep -qx 6 ||
    fail "not the results by class of six trials: $(sqlite3 kept.db 'SELECT name FROM vector')"
sqlite3 kept.db "SELECT min(seconds_total > 0 AND seconds_to_best > 0 AND peak_bytes > 0) FROM trial" | grep -qx 1 ||
    fail "times or memory are missing"
sqlite3 kept.db "SELECT min(construct >= 0 AND train > 0 AND construct + train <= seconds_total)
    FROM trial LEFT JOIN spent ON spent.trial = trial.id" | grep -qx 1 ||
    fail "the parts of the time are missing or longer than the whole"

# A bar on a terminal: count, rate and time left; the line of a trial that fails.
expect 3 env TERM=xterm script -qec "$CRUCIBLE run grid.ini --db bar.db" /dev/null
contains "$out" "/12"
contains "$out" "/s"
contains "$out" "3 failed"
contains "$out" "crashed with SIGSEGV"

# Several selection rules: lines that tell them apart, and one training for all of them.
expect 0 "$CRUCIBLE" run grid.ini --db rules.db --set experiment.algorithms=runner-learner --set experiment.seeds=0 \
    --set monitor.rule=last,validation
contains "$errors" "seed 0, rule=last: ok"
contains "$errors" "seed 0, rule=validation: ok"
expect 0 "$CRUCIBLE" run grid.ini --db rules.db --set experiment.algorithms=runner-learner --set experiment.seeds=0 \
    --set monitor.rule=last,validation --force --json
contains "$out" '"monitor":{"rule":"validation"}'
contains "$out" '"ok":2'
contains "$out" '"trainings":1'

# For a debugger.
expect 0 "$CRUCIBLE" run grid.ini --db c.db --in-process --set experiment.algorithms=good-algorithm
contains "$errors" "3 of 3 trials run"

# Mistakes of the user.
expect 2 "$CRUCIBLE" run
expect 2 "$CRUCIBLE" run grid.ini --retry everything
expect 2 "$CRUCIBLE" run missing.ini
expect 2 "$CRUCIBLE" run grid.ini --set algorithm.runner-epochs.peek=3
contains "$errors" "peak"
printf '[experiment]\nnam = x\nseeds = a\n[dataset nothing]\n[algorithm gone]\n[run]\njobs = -1\n' >wrong.ini
expect 2 "$CRUCIBLE" run wrong.ini --db never.db
[ "$(grep -c '^wrong.ini:[0-9]*: ' <<<"$errors")" -ge 5 ] || fail "not five errors: $errors"
[ ! -e never.db ] || fail "a wrong config made a store"

# Ctrl-C and SIGTERM: one trial is done, the other sleeps. The run stops, says what remains, leaves no process behind.
mkfifo lines
set -m # children of a script ignore SIGINT otherwise
for signal in INT TERM; do
    "$CRUCIBLE" run grid.ini --db stop.db --force --json --jobs 1 --set experiment.seeds=0 \
        --set experiment.algorithms=good-algorithm,fit-sleep >lines 2>stopped &
    pid=$!
    exec 3<lines
    read -r line <&3
    contains "$line" '"outcome":"ok"'
    kill -$signal "$pid"
    code=0
    wait "$pid" || code=$?
    [ "$code" = 1 ] || fail "exit code $code after SIG$signal"
    rest=$(cat <&3)
    contains "$rest" '"interrupted":true'
    contains "$rest" '"left":1'
    exec 3<&-
    for process in /proc/[0-9]*; do
        [ "$(readlink "$process/exe" 2>/dev/null)" = "$CRUCIBLE" ] && grep -q stop.db "$process/cmdline" 2>/dev/null &&
            fail "a process is left after SIG$signal: $process"
    done
done

# Published values lie beside the file that names them, wherever one stands when the report is made.
mkdir study
printf 'row,col,mean\ngood-algorithm,runner-accuracy,50\n' >study/published.csv
{ sed 's/name    = grid/name = study/' grid.ini; printf '[report]\nreference = published.csv\n'; } >study/study.ini
expect 3 "$CRUCIBLE" run study/study.ini --db study.db
contains "$out" "published value, difference"
cd /
expect 0 "$CRUCIBLE" report --db "$work/study.db"
contains "$out" "published value, difference"
cd "$work" || exit 1

# A file that cannot be written.
mkdir folder.db
expect 1 "$CRUCIBLE" run grid.ini --db folder.db
contains "$errors" "folder.db"
exit 0
