# SPDX-License-Identifier: Apache-2.0
# The program's main paths under valgrind: no invalid access, no definite leak in host, scanner, judge or worker.
. "$(dirname "$0")/lib.sh"
command -v valgrind >/dev/null || { echo "SKIP: valgrind is not installed"; exit 0; }
if ldd "$CRUCIBLE" | grep -q libasan; then echo "SKIP: valgrind does not run on a sanitizer build"; exit 0; fi

check="valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite --trace-children=yes
       --suppressions=$SOURCE/tests/integration/valgrind.supp"
cat >"$work/small.ini" <<'INI'
[experiment]
name = small
seeds = 0
metrics = accuracy
[run]
jobs = 1
[dataset csbm]
nodes = 60
degree = 3
features = 4
[corruptor uniform]
rate = 0.3
[algorithm gcn]
epochs = 3
hidden = 4
[algorithm label-propagation]
INI
expect 0 $check "$CRUCIBLE" list
expect 0 $check "$CRUCIBLE" info gcn
expect 0 $check "$CRUCIBLE" run "$work/small.ini" --db "$work/small.db" --quiet --set run.sandbox=off
expect 0 "$CRUCIBLE" report --db "$work/small.db" --format csv
contains "$out" "gcn"
case "$out" in *ERR* | *OOM* | *OOT*) fail "a trial failed under valgrind: $out" ;; esac
