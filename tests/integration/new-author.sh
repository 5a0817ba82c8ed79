# SPDX-License-Identifier: Apache-2.0
# The way of a new author, with the installed package and the guide alone: a method that is not in the tree is started
# with `crucible new`, written as sdk/README.md writes it, checked, run against GCN under label noise, and reported.
# Then all kinds of `crucible new` as they come, and the examples in other languages.
. "$(dirname "$0")/lib.sh"

prefix=$work/prefix
DESTDIR='' cmake --install "$BUILD" --prefix "$prefix" >"$work/install.log" 2>&1 || fail "$(cat "$work/install.log")"
export PATH=$prefix/bin:$PATH
libdir=$(dirname "$(find "$prefix" -name 'libcrucible.so' | head -1)")
export PKG_CONFIG_PATH=$libdir/pkgconfig
guide=$prefix/share/crucible/sdk/README.md
[ -f "$guide" ] || fail "the guide is not installed"
cd "$work" || fail "no folder"

compile() { # name
    expect 0 bash -c "gcc -O2 -Wall -Wextra -Werror -shared -fPIC $1.c -o $1.so \
        \$(pkg-config --cflags --libs crucible)"
}

# ---- from paper to table ----
expect 0 crucible new algorithm mixhop
contains "$out" "crucible check ./mixhop.so"
cd mixhop || fail "crucible new made no folder"
compile mixhop
expect 0 crucible check ./mixhop.so
expect 0 crucible run mixhop.ini --quiet --db first.db

# The first C block and the first INI block of the guide.
awk '/^```c$/ { n++; inside = n == 1; next } /^```$/ { inside = 0 } inside' "$guide" >mixhop.c
awk '/^```ini$/ { n++; inside = n == 1; next } /^```$/ { inside = 0 } inside' "$guide" >noise.ini
compile mixhop
expect 0 crucible check ./mixhop.so
CRUCIBLE_PLUGIN_PATH=. expect 0 crucible info mixhop --json
cp noise.ini generated.ini
sed -i 's/^\[dataset cora\]/[dataset csbm]/; s/^scheme = official/scheme = auto/' generated.ini
if [ -n "${CRUCIBLE_MIRROR:-}" ] && [ -d "$CRUCIBLE_MIRROR/cora" ]; then
    expect 0 crucible fetch cora
else
    echo "skipped: Cora, because there is no mirror; a generated graph instead"
    cp generated.ini noise.ini
fi
expect 0 crucible run noise.ini --db noise.db
contains "$out" "mixhop"
expect 0 crucible report --db noise.db --format markdown
contains "$out" "mixhop"
contains "$out" "gcn"
expect 0 crucible report --db noise.db --format latex
contains "$out" "tabular"

# ---- debugging aids of the guide ----
expect 0 crucible run generated.ini --db trace.db --trace --set algorithm.mixhop.epochs=1 --set experiment.seeds=0 \
    --set experiment.algorithms=mixhop
contains "$errors" "forward  concat "
contains "$errors" "backward spmm"
expect 0 crucible run generated.ini --db trace.db --force --profile --set algorithm.mixhop.epochs=3 \
    --set experiment.seeds=0 --set experiment.algorithms=mixhop
contains "$errors" "adam"
expect 0 crucible run generated.ini --db trace.db --profile --set algorithm.mixhop.epochs=3 \
    --set experiment.seeds=0 --set experiment.algorithms=mixhop
contains "$errors" "all trials are known; add --force"
expect 2 crucible run generated.ini --trace --profile

# ---- every kind, as it comes, with gcc and with CMake ----
cd "$work" || fail "no folder"
for kind in algorithm corruptor metric dataset split backend; do
    expect 0 crucible new "$kind" "my-$kind"
    cd "my-$kind" || fail "no folder for a $kind"
    compile "my-$kind"
    expect 0 crucible check "./my-$kind.so"
    expect 0 crucible run "my-$kind.ini" --quiet --db results.db
    expect 0 sqlite3 results.db "select count(*) from trial where outcome != 1"
    [ "$out" = 0 ] || fail "the sample experiment of a $kind has trials without a result"
    cd ..
done
rm my-metric/my-metric.so
expect 0 cmake -S my-metric -B my-metric/build -DCMAKE_PREFIX_PATH="$prefix"
expect 0 cmake --build my-metric/build
expect 0 ctest --test-dir my-metric/build --output-on-failure

# ---- mistakes ----
expect 2 crucible new algorithm gcn
contains "$errors" "exists already"
expect 2 crucible new algorithm my-algorithm
contains "$errors" "exists already"
expect 2 crucible new algorithm "My Method"
contains "$errors" "lower-case-with-dashes"
expect 2 crucible new method mine
contains "$errors" "unknown kind"
expect 1 crucible new algorithm mine --in /proc/mine
[ -z "$(find . -maxdepth 1 -name '*.??????')" ] || fail "something half-made was left behind"

# ---- other languages ----
if ! pkg-config --exists lua5.4; then
    echo "skipped: the examples, because liblua5.4-dev is not installed"
    exit 0
fi
expect 0 cmake -S "$prefix/share/crucible/sdk/examples" -B examples -DCMAKE_PREFIX_PATH="$prefix"
expect 0 cmake --build examples
for example in nearest-mean lua-method; do expect 0 crucible check "examples/$example.so"; done
cat >examples.ini <<'INI'
[experiment]
name = examples
[dataset blobs]
[algorithm nearest-mean]
[algorithm lua-method]
[paths]
plugins = examples
INI
expect 0 crucible run examples.ini --db examples.db
expect 0 crucible report --db examples.db --format csv
contains "$out" "nearest-mean"
contains "$out" "lua-method"
