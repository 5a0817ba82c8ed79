# SPDX-License-Identifier: Apache-2.0
# Every kind of picture from the command line, as well-formed SVG and as PNG, and what is said when it cannot be drawn.
. "$(dirname "$0")/lib.sh"

command -v sqlite3 >/dev/null || { echo "SKIPPED: needs sqlite3"; exit 0; }
cd "$work" || exit 1
sqlite3 results.db <"$SOURCE/tests/fixtures/report/store-v1.sql" || fail "no fixture"
printf 'x,y,z,class,predicted a,predicted b\n' >points.csv
for i in 1 2 3 4 5 6 7 8; do printf '%d,%d,0.5,c%d,c0,c%d\n' $i $((i * i % 7)) $((i % 2)) $((i % 2)); done >>points.csv
printf 'name,a,b\nr,0.5,1\ns,0,-1\n' >matrix.csv
printf '{"name":"<d>","classes":[{"name":"one & two","items":3}]}' >counts.json

for kind in bars drop curve box methods histogram scatter ranks heat slope profile improvement; do
    expect 0 "$CRUCIBLE" plot $kind --metric accuracy --out $kind.svg
done
expect 0 "$CRUCIBLE" plot curve --metric accuracy,loss --out two.svg
expect 0 "$CRUCIBLE" plot curve --cols dataset --ordinal --out ordinal.svg
expect 0 "$CRUCIBLE" plot scatter --x peak-mib --size none --out memory.svg
expect 0 "$CRUCIBLE" plot ranks --cliques wilcoxon --alpha 0.1 --out wilcoxon.svg
for kind in map boundary; do expect 0 "$CRUCIBLE" plot $kind --data points.csv --out $kind.svg; done
expect 0 "$CRUCIBLE" plot heat --data matrix.csv --out matrix.svg
expect 2 "$CRUCIBLE" plot heat --vector transition
contains "$errors" "reported a vector 'transition'; there are: none"
# two trials with the matrices 1 0 / 0 1 and 0 1 / 0 1, whose mean is drawn
sqlite3 results.db "INSERT INTO vector VALUES
    (1, 'uniform.transition', x'000000000000F03F00000000000000000000000000000000000000000000F03F'),
    (2, 'uniform.transition', x'0000000000000000000000000000F03F0000000000000000000000000000F03F')" || fail "no vectors"
expect 0 "$CRUCIBLE" plot heat --vector transition --out vector.svg
contains "$(cat vector.svg)" "transition, mean of 2 trials"
[ "$(grep -c '>0.50</text>' vector.svg)" = 2 ] || fail "not the mean of two matrices"
expect 0 "$CRUCIBLE" report --vector transition --format csv
[ "$(grep -cE ',[01],[01],0\.5,' <<<"$out")" = 2 ] || fail "not the mean of two matrices as a table: $out"
expect 2 "$CRUCIBLE" report --vector transitions
expect 2 "$CRUCIBLE" report --vector transition --format html
contains "$errors" "--vector is a table of its own"
expect 0 "$CRUCIBLE" plot counts --data counts.json --out counts.svg
"$CRUCIBLE" plot counts --data - <counts.json >piped.svg || fail "standard input is not drawn"
cmp -s counts.svg piped.svg || fail "a file and standard input differ"
python3 - <<'PY' || fail "a picture is not what it should be"
import glob, xml.dom.minidom
files = sorted(glob.glob("*.svg"))
assert len(files) == 22, files
for name in files:
    text = open(name).read()
    root = xml.dom.minidom.parseString(text).documentElement
    assert root.tagName == "svg" and float(root.getAttribute("width")) > 100, name
    assert "nan" not in text and "inf" not in text and "<script>alert" not in text, name
PY

expect 2 "$CRUCIBLE" plot flower
contains "$errors" "no plot 'flower'; there are bars, drop, curve"
expect 1 "$CRUCIBLE" plot map
contains "$errors" "reported a map; the metric silhouette does with map = yes"
# a map of four places (0 0, 1 0, 0 1, 1 1), true classes 0 0 1 1, of which three are predicted
sqlite3 results.db "INSERT INTO number VALUES(1, 'silhouette.points.rows', 4), (1, 'silhouette', 0.25);
    INSERT INTO vector VALUES(1, 'silhouette.points', x'00000000000000000000000000000000000000000000F03F00000000000000000000000000000000000000000000F03F000000000000F03F000000000000F03F'),
    (1, 'silhouette.truth', x'00000000000000000000000000000000000000000000F03F000000000000F03F'),
    (1, 'silhouette.predicted', x'000000000000000000000000000000000000000000000000000000000000F03F')" || fail "no map"
expect 0 "$CRUCIBLE" plot map --out places.svg
contains "$(cat places.svg)" "silhouette 0.250"
[ "$(grep -c '<circle' places.svg)" -ge 4 ] || fail "not four places"
expect 0 "$CRUCIBLE" plot boundary --out borders.svg
contains "$(cat borders.svg)" "75.0 % of the items right"
expect 2 "$CRUCIBLE" plot counts
contains "$errors" "counts is drawn from a file: --data FILE"
expect 2 "$CRUCIBLE" plot bars --x seconds
contains "$errors" "bars does not show --x"
expect 2 "$CRUCIBLE" plot scatter --x height
contains "$errors" "no metric 'height'"
expect 2 "$CRUCIBLE" plot ranks --cliques tukey
contains "$errors" "there are nemenyi, wilcoxon"
expect 1 "$CRUCIBLE" plot importance --out none.svg
contains "$errors" "trials of a search"
[ ! -e none.svg ] || fail "a picture that cannot be drawn left a file"
expect 1 "$CRUCIBLE" plot map --data nosuch.csv
contains "$errors" "nosuch.csv"
printf 'x,y\n1,2\n3,red\n' >bad.csv
expect 2 "$CRUCIBLE" plot map --data bad.csv
contains "$errors" "bad.csv:3: a number is expected"
expect 2 "$CRUCIBLE" report --data points.csv
contains "$errors" "--data is of --format html"
expect 2 "$CRUCIBLE" report --rope 1
contains "$errors" "--rope is of --compare"
expect 0 "$CRUCIBLE" report --compare --metric accuracy
contains "$out" "Friedman"
contains "$out" "Bayes against gcn"
echo "passed"
