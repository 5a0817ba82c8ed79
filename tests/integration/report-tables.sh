#!/bin/bash
# crucible report and plot as a user runs them, on a store that an earlier version wrote.
set -euo pipefail
if ! command -v sqlite3 >/dev/null; then
    echo "SKIPPED: sqlite3 is not installed"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sqlite3 "$work/results.db" <"$SOURCE/tests/fixtures/report/store-v1.sql"
cd "$work"

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# expect_code CODE WORD... : the exit code, and all output in $work/out
expect_code() {
    local want=$1 got=0
    shift
    "$CRUCIBLE" "$@" >out 2>&1 || got=$?
    [ "$got" = "$want" ] || fail "'crucible $*' ended with $got, not $want: $(cat out)"
}

expect_code 0 report
grep -q "demo: accuracy in %: mean ± std of 6 runs" out || fail "no caption: $(cat out)"
grep -q "OOM" out || fail "no OOM mark"
grep -q $'\033' out && fail "escape sequences in a file"

# gcn on cora at 0.1: 0.9 - 0.03 + 0.001 mean(0 2 4 1 3 0) = 0.871666...
expect_code 0 report --format csv --metric accuracy --where 'dataset=cora' --where 'rate=0.1'
python3 - <<'PY' || fail "wrong mean: $(cat out)"
import csv
row = next(r for r in csv.DictReader(open("out")) if r["row"] == "gcn")
assert abs(float(row["mean"]) - 87.1666666667) < 1e-6 and row["runs"] == "6", row
PY

expect_code 0 report --json --cols dataset
python3 -c 'import json; t = json.load(open("out")); assert len(t) == 2 and len(t[0]["cells"]) == 8' || fail "bad JSON"

for format in markdown latex html; do
    expect_code 0 report --format $format --out "report.$format"
    [ -s "report.$format" ] || fail "empty report.$format"
done
for kind in bars curve box scatter ranks; do
    expect_code 0 plot $kind --out "$kind.svg"
    python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' "$kind.svg" || fail "$kind.svg is not XML"
done

expect_code 2 report --format yaml
expect_code 2 report --rows flavour
expect_code 2 report nothing
expect_code 2 plot flower
expect_code 1 plot curve --cols dataset
expect_code 1 report --db missing.db
[ ! -e missing.db ] || fail "a report created a store"
echo "text" >broken.db
expect_code 1 report --db broken.db
grep -q "not a result store" out || fail "$(cat out)"
echo "passed"
