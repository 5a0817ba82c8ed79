# SPDX-License-Identifier: Apache-2.0
# Mistakes of the user: one true line each, the right exit code, and nothing left behind.
. "$(dirname "$0")/lib.sh"

mkdir "$work/plugins"
cp "$BUILD"/tests/plugins/{runner-secret,runner-accuracy,good-algorithm,load-segv}.so "$work/plugins/"
export CRUCIBLE_PLUGIN_PATH=$work/plugins
cd "$work" || exit 1

# refused CODE TEXT COMMAND...: ends with that code and one line that holds the text, and makes no store.
refused()
{
    local code=$1 text=$2
    shift 2
    rm -f results.db
    expect "$code" "$@"
    [ "$(wc -l <<<"$errors")" = 1 ] || fail "not one line: $* said
$errors"
    contains "$errors" "$text"
    [ ! -e results.db ] || fail "a store is left behind by: $*"
}

printf '[experiment]\nmetrics = runner-accuracy\n[dataset runner-secret]\n[algorithm good-algorithm]\n' >good.ini

# Files that cannot be read say nothing of what might have stood in them.
mkdir folder
printf '[dataset runner-secret\n' >open.ini
printf 'include = circle.ini\n' >circle.ini
refused 2 "nope.ini: cannot be read: No such file or directory" "$CRUCIBLE" run nope.ini
refused 2 "folder: cannot be read: Is a directory" "$CRUCIBLE" run folder
refused 2 "open.ini:1: [dataset runner-secret: a section needs a closing ]" "$CRUCIBLE" run open.ini
refused 2 "circle.ini:1: include: files include each other" "$CRUCIBLE" run circle.ini

# A store must have a name.
refused 2 "--db: the path of the results store is empty" "$CRUCIBLE" run good.ini --db ''
refused 2 "--db: the path of the results store is empty" "$CRUCIBLE" report --db ''
refused 2 "--db: the path of the results store is empty" "$CRUCIBLE" plot ranks --db ''
refused 2 "db: the path of the results store is empty" "$CRUCIBLE" run good.ini --set run.db=
refused 1 "':memory:' names no file for the results" "$CRUCIBLE" run good.ini --db :memory:

# Text that no page, picture or JSON could hold.
printf '[algorithm good-algorithm as caf\xe9]\n' >latin.ini
refused 2 "latin.ini:1: the line is not UTF-8 text" "$CRUCIBLE" run good.ini latin.ini

# Why a plugin is unknown, where that is known.
refused 2 "load-segv: unknown algorithm; $work/plugins/load-segv.so is broken: " \
    "$CRUCIBLE" run good.ini --set experiment.algorithms=load-segv
refused 2 "plugins: there is no folder $work/gone" "$CRUCIBLE" run good.ini --set "paths.plugins=$work/gone"
printf '[paths]\nplugins = gone\n' >gone.ini
refused 2 "gone.ini:2: plugins: there is no folder gone" "$CRUCIBLE" run good.ini gone.ini
expect 0 "$CRUCIBLE" run good.ini --quiet --set "paths.plugins=$work/gone:$work/plugins"
expect 0 env CRUCIBLE_PLUGIN_PATH="$work/gone:$work/plugins" "$CRUCIBLE" run good.ini --quiet
expect 0 env CRUCIBLE_PLUGIN_PATH="$work/gone" "$CRUCIBLE" doctor
contains "$out" "$work/gone"

# What this machine cannot do is known before a store is made.
refused 1 "device = tpu: there is no backend plugin of that name" "$CRUCIBLE" run good.ini --set run.device=tpu
refused 1 "device_memory is of a card" "$CRUCIBLE" run good.ini --set run.device_memory=64
refused 1 "$work/gone" env TMPDIR="$work/gone" "$CRUCIBLE" run good.ini

# Names and settings that nobody knows are wrong usage, whichever verb meets them.
refused 2 "did you mean 'cora'?" "$CRUCIBLE" stats coar
refused 2 "did you mean 'cora'?" "$CRUCIBLE" fetch coar
refused 2 "no plugin 'good-algorith'; did you mean 'good-algorithm'?" "$CRUCIBLE" info good-algorith
refused 2 "nothing" "$CRUCIBLE" stats runner-secret --set nothing=1
refused 2 "nothing" "$CRUCIBLE" run good.ini --set dataset.runner-secret.nothing=1

# A store that is not there, and one that cannot be told of.
refused 1 "results.db: No such file or directory; --db FILE names the results store" "$CRUCIBLE" report
refused 1 "results.db: No such file or directory; --db FILE names the results store" "$CRUCIBLE" plot ranks
expect 0 "$CRUCIBLE" run good.ini --quiet --db kept.db
full()
{
    "$@" >/dev/full
}
refused 1 "No space left on device" full "$CRUCIBLE" report --db kept.db
refused 1 "No space left on device" full "$CRUCIBLE" report --db kept.db --json
refused 1 "cannot write to standard output" full "$CRUCIBLE" list

# What is wrong with [report] is told before anything is run.
early()
{
    rm -f early.db
    refused 2 "$1" "$CRUCIBLE" run good.ini --db early.db --set "report.$2"
    [ ! -e early.db ] || [ "$(sqlite3 early.db 'SELECT count(*) FROM trial WHERE outcome <> 0')" = 0 ] ||
        fail "trials were run before: $errors"
}
early "[report]: " "rows=nothing"
early "[report]: " "cols=nothing"
early "[report]: " "where=nothing=1"
early "[report]: early.db: holds no experiment 'nothing'" "against=nothing"
early "[report]: baselines: the table has no row 'nothing'" "baselines=nothing"
early "reference: $work/gone.csv: No such file or directory" "reference=$work/gone.csv"
printf 'nonsense\n' >wrong.csv
early "wrong.csv:1: the header must name row, col and mean" "reference=$work/wrong.csv"
[ -e early.db ] || fail "the last one is known only with the trials" # and without the reference it goes on
expect 0 "$CRUCIBLE" run good.ini --db early.db --set report.rows=algorithm
contains "$errors" "1 of 1 trials run"
exit 0
