# SPDX-License-Identifier: Apache-2.0
# A method in Python is run, its settings are checked, and what it must not reach it does not reach.
. "$SOURCE/tests/integration/lib.sh"

python=
for candidate in "${CRUCIBLE_PYTHON:-python3}" /usr/bin/python3; do
    "$candidate" -c 'import numpy' 2>/dev/null && python=$candidate && break
done
[ -n "$python" ] || { echo "SKIP: no Python with numpy"; exit 0; }
if ! "$python" -c "import ctypes; ctypes.CDLL('$BUILD/lib/crucible/python/libcrucible-python.so')" 2>/dev/null; then
    echo "SKIP: the library cannot be loaded into $python (a build with sanitizers, say)"
    exit 0
fi
cd "$work" || exit 1
cp "$SOURCE/tests/python/centroid.py" .

experiment()
{
    printf '[experiment]\nseeds = 0, 1\n[dataset csbm]\n[algorithm python as mine]\nfile = %s\n%s\n[paths]\npython = %s\n' \
        "$1" "$2" "$python"
}

experiment centroid.py 'scale = 1, 2' >good.ini
expect 0 "$CRUCIBLE" run good.ini
contains "$out$errors" "4 of 4 trials run"

experiment centroid.py 'scael = 1' >typo.ini
expect 2 "$CRUCIBLE" run typo.ini
contains "$errors" "scale"

experiment none.py '' >none.ini
expect 2 "$CRUCIBLE" run none.ini
contains "$errors" "there is no file"

# Attacks: each must fail, and the trial says where.
attack()
{
    sed "s|        train, labels = |        $2\n        train, labels = |; s/\"centroid\"/\"$1\"/" centroid.py >"$1.py"
    experiment "$1.py" '' >"$1.ini"
    "$CRUCIBLE" run "$1.ini" >"$work/stdout" 2>&1
    contains "$(cat "$work/stdout")" "$3"
}
echo secret >"$work/secret"
attack reads "open('$work/secret').read()" PermissionError
attack writes "open('$work/loot', 'w')" PermissionError
attack forks "__import__('os').fork()" PermissionError
attack connects "__import__('socket').socket()" PermissionError
attack executes "__import__('os').execv('/bin/sh', ['sh'])" PermissionError
attack divides "1 / 0" ZeroDivisionError
[ ! -e "$work/loot" ] || fail "a method wrote a file"
echo ok
