# SPDX-License-Identifier: Apache-2.0
# A plugin written outside the tree: the README's method, compiled with its gcc line against an installed SDK, checked,
# listed and run by name.
. "$(dirname "$0")/lib.sh"

prefix=$work/prefix
DESTDIR='' cmake --install "$BUILD" --prefix "$prefix" >"$work/install.log" 2>&1 || fail "$(cat "$work/install.log")"
crucible=$prefix/bin/crucible
[ -x "$crucible" ] || fail "no program was installed"
libdir=$(dirname "$(find "$prefix" -name 'libcrucible.so' | head -1)")
export PKG_CONFIG_PATH=$libdir/pkgconfig

# The C block of README.md is the source; the gcc line beside it is the build.
mkdir "$work/mine" && cd "$work/mine" || fail "no folder"
sed -n '/^```c$/,/^```$/p' "$SOURCE/README.md" | sed '/^```/d' >logreg.c
line=$(grep -m1 'gcc -shared' "$SOURCE/README.md" | sed 's/^ *//')
expect 0 env bash -c "$line"
expect 0 "$crucible" check ./logreg.so
contains "$out" "passed"

export CRUCIBLE_PLUGIN_PATH=$work/mine
expect 0 "$crucible" list algorithms --json
contains "$out" '"logreg"'
cat >mine.ini <<'INI'
[experiment]
name = mine
seeds = 0..1
[dataset csbm]
nodes = 300
[algorithm logreg]
epochs = 20
INI
expect 0 "$crucible" run mine.ini --db mine.db --quiet
expect 0 "$crucible" report --db mine.db --format csv
contains "$out" "logreg"

# A package that finds the SDK with CMake.
mkdir cmake-user && cd cmake-user || fail "no folder"
cp ../logreg.c .
cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(logreg C)
find_package(crucible REQUIRED)
add_library(logreg MODULE logreg.c)
target_link_libraries(logreg PRIVATE crucible::crucible)
CMAKE
expect 0 cmake -S . -B build -DCMAKE_PREFIX_PATH="$prefix"
expect 0 cmake --build build
[ -f build/liblogreg.so ] || fail "CMake built no plugin"
