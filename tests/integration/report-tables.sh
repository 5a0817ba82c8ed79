# SPDX-License-Identifier: Apache-2.0
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

expect 0 "$CRUCIBLE" report --curves accuracy --format csv
contains "$out" "frechet-distance,loss,gcn cora,"
expect 2 "$CRUCIBLE" report --curves nothing
expect 0 "$CRUCIBLE" report --average --format markdown --metric accuracy
contains "$out" "| Ave. | rank |"
expect 0 "$CRUCIBLE" report --metric seconds,seconds-construct,seconds-train,seconds-to-best,peak-mib
contains "$out" "seconds-train"
contains "$out" "peak-mib"

for format in markdown latex html; do
    expect 0 "$CRUCIBLE" report --format $format --out report.$format
    [ -s report.$format ] || fail "empty report.$format"
done
for kind in bars curve box scatter ranks; do
    expect 0 "$CRUCIBLE" plot $kind --out $kind.svg
    python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' $kind.svg || fail "$kind.svg is not XML"
done

# The same pictures as pixels: size and colours, decoded by hand.
cat >look.py <<'PYTHON'
import re, struct, sys, zlib
svg, png, scale = open(sys.argv[1]).read(), open(sys.argv[2], "rb").read(), float(sys.argv[3])
assert png[:8] == b"\x89PNG\r\n\x1a\n", "no PNG"
at, data = 8, b""
while at < len(png):
    size, kind = struct.unpack(">I4s", png[at:at + 8])
    if kind == b"IHDR": width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", png[at + 8:at + 21])
    if kind == b"IDAT": data += png[at + 8:at + 8 + size]
    at += size + 12
wide, high = (float(re.search(f' {k}="([0-9]+)"', svg).group(1)) for k in ("width", "height"))
assert (width, height) == (wide * scale, high * scale), (width, height)
assert (depth, interlaced) == (8, 0) and colour in (2, 6) and data
if sys.argv[4:]: sys.exit()
step = 3 if colour == 2 else 4
raw, line, seen = zlib.decompress(data), bytearray(width * step), {}
for y in range(height):
    filter, row = raw[y * (width * step + 1)], bytearray(raw[y * (width * step + 1) + 1:(y + 1) * (width * step + 1)])
    for i in range(len(row)):
        a, b, c = row[i - step] if i >= step else 0, line[i], line[i - step] if i >= step else 0
        p = a + b - c
        near = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
        row[i] = (row[i] + (0, a, b, (a + b) // 2, near)[filter]) & 255
    line = row
    for x in range(0, len(row), step): seen[bytes(row[x:x + 3])] = seen.get(bytes(row[x:x + 3]), 0) + 1
assert seen[b"\xff\xff\xff"] > width * height // 3, "no white ground"
assert any(seen.get(bytes.fromhex(c), 0) > 20 for c in ("0072b2", "1f2328")), "nothing is drawn in a colour of the plot"
PYTHON
if ldconfig -p | grep -q librsvg-2.so.2; then
    for kind in bars curve box scatter ranks; do
        expect 0 "$CRUCIBLE" plot $kind --out $kind.png --scale 1
        python3 look.py $kind.svg $kind.png 1 size || fail "$kind.png is not the picture"
    done
    for kind in bars ranks; do
        python3 look.py $kind.svg $kind.png 1 || fail "$kind.png does not show the picture"
    done
    expect 0 "$CRUCIBLE" plot ranks --format png --out twice
    python3 look.py ranks.svg twice 2 size || fail "the scale is not 2 by itself"
else
    echo "SKIP png: librsvg is not installed"
fi
mkdir broken
: >broken/librsvg-2.so.2
expect 1 env LD_LIBRARY_PATH=broken "$CRUCIBLE" plot bars --out absent.png
contains "$errors" "absent.png: librsvg-2.so.2 is not installed (package librsvg2-2); PNG pictures need it"
[ ! -e absent.png ] || fail "a picture that could not be drawn left a file"
expect 2 "$CRUCIBLE" plot bars --format gif
expect 2 "$CRUCIBLE" plot bars --scale 0 --out bars.png

# Nothing that is asked for is silently left out.
refused()
{
    local says=$1
    shift
    expect 2 "$CRUCIBLE" "$@"
    contains "$errors" "$says"
    [ "$(wc -l <stderr)" = 1 ] || fail "more than a line: $errors"
}
refused "a.jpg: a picture is .svg or .png" plot bars --out a.jpg
[ ! -e a.jpg ] || fail "a picture that was refused left a file"
refused "one metric" plot bars --metric accuracy,loss --out bars.svg
refused "ranks does not show --spread" plot ranks --spread sem
refused "ranks does not show --digits" plot ranks --digits 1
refused "bars does not show --alpha" plot bars --alpha 0.1
refused "--curve-scale is of --curves" report --curve-scale both
refused "is called 'b'" report --groups "a: b"
refused "was searched" report --tried
expect 0 "$CRUCIBLE" plot ranks --alpha 0.1 --format svg --out picture
expect 0 "$CRUCIBLE" plot bars --spread sem --digits 1 --out ./some.folder.svg

expect 2 "$CRUCIBLE" report --format yaml
expect 2 "$CRUCIBLE" report --rows flavour
expect 2 "$CRUCIBLE" report nothing
expect 2 "$CRUCIBLE" plot flower
expect 1 "$CRUCIBLE" plot curve --cols dataset --out refused.svg
[ ! -e refused.svg ] || fail "a plot that was refused left a file"
expect 1 "$CRUCIBLE" report --db missing.db
[ ! -e missing.db ] || fail "a report created a store"
echo "text" >broken.db
expect 1 "$CRUCIBLE" report --db broken.db
contains "$errors" "not a result store"
echo "passed"
