# crucible report and plot as a user runs them, on a store that an earlier version wrote.
. "$(dirname "$0")/lib.sh"

if ! command -v sqlite3 >/dev/null; then
    echo "SKIPPED: sqlite3 is not installed"
    exit 0
fi
cd "$work" || exit 1
sqlite3 results.db <"$SOURCE/tests/fixtures/report/store-v1.sql" || fail "no fixture"

expect 0 "$CRUCIBLE" report
contains "$out" "demo: accuracy in %: mean ± std of 6 runs"
contains "$out" "OOM"
case "$out" in *$'\033'*) fail "escape sequences in a file" ;; esac

# gcn on cora at 0.1: 0.9 - 0.03 + 0.001 mean(0 2 4 1 3 0) = 0.871666...
expect 0 "$CRUCIBLE" report --format csv --metric accuracy --where dataset=cora --where rate=0.1
echo "$out" | python3 -c '
import csv, sys
row = next(r for r in csv.DictReader(sys.stdin) if r["row"] == "gcn")
assert abs(float(row["mean"]) - 87.1666666667) < 1e-6 and row["runs"] == "6", row' || fail "wrong mean: $out"

expect 0 "$CRUCIBLE" report --json --cols dataset
echo "$out" | python3 -c '
import json, sys
tables = json.load(sys.stdin)
assert len(tables) == 2 and len(tables[0]["cells"]) == 8' || fail "bad JSON: $out"

for format in markdown latex html; do
    expect 0 "$CRUCIBLE" report --format $format --out report.$format
    [ -s report.$format ] || fail "empty report.$format"
done
for kind in bars curve box scatter ranks; do
    expect 0 "$CRUCIBLE" plot $kind --out $kind.svg
    python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' $kind.svg || fail "$kind.svg is not XML"
done

expect 2 "$CRUCIBLE" report --format yaml
expect 2 "$CRUCIBLE" report --rows flavour
expect 2 "$CRUCIBLE" report nothing
expect 2 "$CRUCIBLE" plot flower
expect 2 "$CRUCIBLE" plot bars --out bars.png
expect 1 "$CRUCIBLE" plot curve --cols dataset --out refused.svg
[ ! -e refused.svg ] || fail "a plot that was refused left a file"
expect 1 "$CRUCIBLE" report --db missing.db
[ ! -e missing.db ] || fail "a report created a store"
echo "text" >broken.db
expect 1 "$CRUCIBLE" report --db broken.db
contains "$errors" "not a result store"
echo "passed"
