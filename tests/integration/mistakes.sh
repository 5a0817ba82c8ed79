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
exit 0
