# SPDX-License-Identifier: Apache-2.0
# sdk/python/README.md: its method, experiment and lines on results run as they stand there; and what `crucible new python`
# makes. Where there is no torch, a method in numpy takes the place of the one in torch.
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
cd "$work" || exit 1
block() { awk -v mark="\`\`\`$1" '$0 == mark { inside = 1; next } /^```$/ { inside = 0 } inside' "$SOURCE/sdk/python/README.md"; }
block python >my-model.py
block ini >table.ini
block results >results.py
printf '[paths]\npython = %s\n' "$python" >>table.ini
"$python" -m py_compile my-model.py || fail "the guide's method is no Python"

expect 0 "$CRUCIBLE" new python my-gnn
contains "$out" "crucible check my-gnn.py"
"$python" -m py_compile my-gnn/my-gnn.py || fail "the template is no Python"
expect 2 "$CRUCIBLE" new python my-gnn
expect 2 "$CRUCIBLE" new python gcn

torch=$("$python" -c 'import torch' 2>/dev/null && echo yes)
if [ -n "$torch" ]; then
    expect 0 "$CRUCIBLE" check my-model.py --python "$python" --seconds 120
    sed "s|^python = .*|python = $python|; s/^seeds .*/seeds = 0/" my-gnn/my-gnn.ini >my-gnn/one.ini
    expect 0 "$CRUCIBLE" run my-gnn/one.ini --db template.db
    contains "$out" my-gnn
else
    echo "SKIP: no torch: the guide's model and the template are compiled, not run"
    cp "$SOURCE/tests/python/centroid.py" my-model.py
    sed "s|^python = .*|python = $python|" my-gnn/my-gnn.ini >my-gnn/one.ini
    expect 2 "$CRUCIBLE" run my-gnn/one.ini --db template.db
    contains "$errors" "No module named 'torch'"
fi
expect 0 "$CRUCIBLE" run table.ini
contains "$out" mine
PYTHONPATH=$BUILD/lib/crucible/python expect 0 "$python" results.py
contains "$out" "mine 0.3 2 ok 0."
echo ok
