# SPDX-License-Identifier: Apache-2.0
# A short piece of tests/hostile/mutate.py, and the lines that tell of risks.
. "$(dirname "$0")/lib.sh"

expect 0 python3 "$SOURCE/tests/hostile/mutate.py" --build "$BUILD" --configs 60 --data 60 --kills 4

mkdir "$work/plugins"
for name in runner-secret runner-accuracy good-algorithm; do
    ln -s "$BUILD/tests/plugins/$name.so" "$work/plugins"
done
cd "$work" || exit 1
cat >off.ini <<INI
[experiment]
metrics = runner-accuracy
[dataset runner-secret]
[algorithm good-algorithm]
[run]
sandbox = off
timeout = 0
[paths]
plugins = $work/plugins
INI
expect 0 "$CRUCIBLE" run off.ini --db off.db --quiet
contains "$errors" "[run] sandbox = off: plugins can do whatever you can"
contains "$errors" "[run] gives trials more than they usually get: timeout = 0 (usually 86400)"
expect 0 "$CRUCIBLE" run off.ini --db on.db --quiet --set run.sandbox=on --set run.timeout=100
[ -z "$errors" ] || fail "a run that risks nothing says: $errors"

expect 0 "$CRUCIBLE" run off.ini --db raised.db --quiet --set run.sandbox=on --set run.timeout=100 --set run.memory=99999999
contains "$errors" "[run] gives trials more than they usually get: memory = 99999999 (usually "

# Plugins that make data and judge may write to the folder of prepared data: a file from somewhere cannot say that it is another.
mkdir "$work/papers"
echo precious >"$work/papers/thesis.tex"
expect 2 "$CRUCIBLE" run off.ini --db papers.db --quiet --set "paths.cache=$work/papers"
contains "$errors" "holds thesis.tex; give [paths] cache a folder of its own"
mv "$work/papers/thesis.tex" "$work/papers/cora-0123456789abcdef0123456789abcdef.img.stamp"
expect 0 "$CRUCIBLE" run off.ini --db papers.db --quiet --set "paths.cache=$work/papers"

# Many trials, and what the processes hold meanwhile.
expect 0 python3 "$SOURCE/tests/hostile/load.py" --build "$BUILD" --trials 2000 --every 0.1

# The protections that tests/hostile/protections.py takes out are still where it says.
expect 0 python3 "$SOURCE/tests/hostile/protections.py" --check
