# SPDX-License-Identifier: Apache-2.0
# Attacks of methods in Python (tests/python/hostile.py): each must reach nothing; without the sandbox some must, or the
# attack would show nothing.
. "$SOURCE/tests/integration/lib.sh"

python=
for candidate in "${CRUCIBLE_PYTHON:-python3}" /usr/bin/python3; do
    "$candidate" -c 'import numpy' 2>/dev/null && python=$(command -v "$candidate") && break
done
[ -n "$python" ] || { echo "SKIP: no Python with numpy"; exit 0; }
if ! "$python" -c "import ctypes; ctypes.CDLL('$BUILD/lib/crucible/python/libcrucible-python.so')" 2>/dev/null; then
    echo "SKIP: the library cannot be loaded into $python (a build with sanitizers, say)"
    exit 0
fi
if "$CRUCIBLE" doctor 2>&1 | grep -q 'no Landlock\|no seccomp'; then
    echo "SKIP: this kernel has no Landlock or no seccomp"
    exit 0
fi

mkdir "$work/method" "$work/beside"
cd "$work" || exit 1
cp "$SOURCE/tests/python/hostile.py" method/
token=$("$python" -c 'print("".join(chr(ord("A") + (i * i * 7 + 3 * i) % 26) for i in range(32)))')
export CRUCIBLE_SECRET=$token PYTHONPATH=$work/beside
printf 'a secret in a folder of PYTHONPATH\n' >beside/truth.csv
printf 'a secret beside the script\n' >method/truth.csv
printf 'hidden = 1\n' >method/.hidden.py
ln -s /etc/hostname method/link.py

run() # SANDBOX ATTACK LINES...
{
    local sandbox=$1 attack=$2
    shift 2
    {
        printf '; %s\n[experiment]\nseeds = 0, 1\nmetrics = accuracy\n[dataset csbm]\n' "$token"
        printf '[algorithm python as mine]\nfile = method/hostile.py\nattack = %s\n' "$attack"
        printf '%s\n' "targets = $work/attack.ini:$work/attack.db:$work/beside/truth.csv:$work/method/truth.csv:$work/method/.hidden.py:$work/method/link.py"
        printf '%s\n' "$@" "[run]" "jobs = 1" "timeout = 120" "sandbox = $sandbox" '[paths]' "python = $python"
    } >attack.ini
    rm -f attack.db
    "$CRUCIBLE" run attack.ini --db attack.db >output 2>&1
    output=$(cat output)
}

for attack in files writes network processes proc descriptors environment lingers memory remains shares truth; do
    run required "$attack" # with two seeds, one trial after the other in one slot
    lacks "$output" REACHED
    [ "$(grep -c ': ok accuracy' output)" = 2 ] || fail "$attack: $output"
done
run required memory 'plant = yes'
contains "$output" "REACHED memory"
for attack in files network proc shares; do
    run off "$attack"
    contains "$output" REACHED
done
[ ! -e /tmp/crucible-loot ] && [ ! -e method/loot ] || fail "a method wrote a file"

# ---- a file that is only looked at ----
mkdir found
cat >found/looked-at.py <<END
import os, socket
for attempt in (lambda: open("$work/loot", "w"), lambda: open("$work/found/loot", "w"), lambda: os.fork(),
                lambda: socket.socket(), lambda: open("$work/beside/truth.csv").read(), lambda: os.listdir("/proc")):
    try:
        attempt()
    except OSError:
        continue
    raise SystemExit("REACHED")
import crucible
@crucible.method(name="looked-at", version="1.0", summary="could do nothing", problems="nodes")
class Method:
    def fit(self, task, monitor): pass
    def predict(self): pass
END
PATH=$(dirname "$python"):$PATH CRUCIBLE_PLUGIN_PATH=$work/found expect 0 "$CRUCIBLE" list algorithms
contains "$out" "could do nothing"
[ ! -e loot ] && [ ! -e found/loot ] || fail "a file that was looked at wrote a file"
echo ok
