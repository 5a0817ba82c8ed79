# SPDX-License-Identifier: Apache-2.0
# crucible fetch against a server of our own that breaks off, lies and answers 404. No network.
. "$(dirname "$0")/lib.sh"
unset CRUCIBLE_MIRROR http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
export XDG_DATA_HOME=$work/data NO_PROXY=127.0.0.1
files=$work/data/crucible/datasets

mkdir "$work/www" "$work/cards"
log=$work/requests
exec 3< <(exec python3 "$SOURCE/tests/integration/fetch-server.py" "$work/www" "$log")
server=$!
trap 'kill $server; rm -rf "$work"' EXIT
read -r port <&3 || fail "the server does not start"
url=http://127.0.0.1:$port

# A graph of 500 nodes as two CSV files, large enough to be cut.
python3 - "$work/www" <<'PYTHON'
import sys
with open(sys.argv[1] + "/edges.csv", "w") as f:
    print("source,target", file=f)
    for i in range(500):
        print("n%d,n%d" % (i, (7 * i + 3) % 500), file=f)
with open(sys.argv[1] + "/nodes.csv", "w") as f:
    print("id,kind,size", file=f)
    for i in range(500):
        print("n%d,%s,%d" % (i, "ab"[i % 2], i), file=f)
PYTHON
sum_of() { sha256sum "$1" | cut -d' ' -f1; }
edges_sum=$(sum_of "$work/www/edges.csv")
nodes_sum=$(sum_of "$work/www/nodes.csv")

# card NAME EDGES-URL NODES-URL [LINE OF [dataset]]: both checksums known
card()
{
    cat >"$work/cards/$1.ini" <<INI
[dataset]
name   = $1
format = csv
${4:-}
[files]
edges  = edges.csv
nodes  = nodes.csv
[urls]
edges  = $2
nodes  = $3
[sha256]
edges  = $edges_sum
nodes  = $nodes_sum
[settings]
label  = kind
[expect]
nodes  = 500
INI
}
no_sums() { sed -i '/\[sha256\]/,/^nodes/d' "$work/cards/$1.ini"; }
fetch() { "$CRUCIBLE" fetch "$@"; }
complete()
{
    cmp "$work/www/edges.csv" "$files/$1/edges.csv" || fail "$1 has no good edges.csv"
    cmp "$work/www/nodes.csv" "$files/$1/nodes.csv" || fail "$1 has no good nodes.csv"
    if ls "$files/$1"/*.part* 2>/dev/null; then fail "$1 left parts"; fi
}
nothing_named() { [ ! -e "$files/$1/edges.csv" ] || fail "$1 has a file under its final name"; }

# Plain success: both files, one line each, parsed, cached; the second time nothing is asked for.
card good "$url/ok/edges.csv" "$url/moved/nodes.csv"
expect 0 fetch "$work/cards/good.ini"
contains "$out" "good/edges.csv: "
contains "$out" "good/nodes.csv: "
contains "$out" "good: fetched; 500 items, "
complete good
ls "$XDG_CACHE_HOME"/crucible/data/good-*.img >/dev/null || fail "nothing in the cache"
before=$(wc -l <"$log")
expect 0 fetch "$work/cards/good.ini"
contains "$out" "good: present"
[ "$before" = "$(wc -l <"$log")" ] || fail "a present dataset was downloaded again"

# A damaged file in the download folder is replaced.
echo "n1,n2" >>"$files/good/edges.csv"
expect 0 fetch "$work/cards/good.ini"
complete good

# The connection breaks in the middle: the rest is asked for, with the server's mark.
card cut "$url/cut/edges.csv" "$url/ok/nodes.csv"
expect 0 fetch "$work/cards/cut.ini"
complete cut
half=$(($(stat -c %s "$work/www/edges.csv") / 2))
grep -q "^/cut/edges.csv bytes=$half- \"" "$log" || fail "no range asked for after the cut: $(cat "$log")"

# It breaks for good: exit 1, a part but no file; run again when the server is well: the rest only.
card dead "$url/dead/edges.csv" "$url/ok/nodes.csv"
no_sums dead
expect 1 fetch "$work/cards/dead.ini"
contains "$errors" "broke off after 1000 bytes; run the same command again"
nothing_named dead
[ "$(stat -c %s "$files/dead/edges.csv.part")" = 1000 ] || fail "the part was not kept"
touch "$work/www/healed"
expect 0 fetch "$work/cards/dead.ini"
contains "$out" "1 kB of it from before"
complete dead

# The server's file changed meanwhile: If-Range gives the whole, and nothing of the old part stays.
card changed "$url/ok/edges.csv" "$url/ok/nodes.csv"
no_sums changed
mkdir -p "$files/changed"
head -c 700 /dev/zero >"$files/changed/edges.csv.part"
printf '%s\n"an-old-mark"\n' "$url/ok/edges.csv" >"$files/changed/edges.csv.part.from"
expect 0 fetch "$work/cards/changed.ini"
grep -q '^/ok/edges.csv bytes=700- "an-old-mark"' "$log" || fail "no If-Range"
complete changed

# Known checksum: a part that does not fit is noticed at the end and all is downloaded once more; so are a part that is
# too long and a server that answers another range; a part that is complete needs no byte.
for manner in ok plain liar; do
    card "part-$manner" "$url/$manner/edges.csv" "$url/ok/nodes.csv"
    mkdir -p "$files/part-$manner"
    head -c 700 /dev/zero >"$files/part-$manner/edges.csv.part"
    expect 0 fetch "$work/cards/part-$manner.ini"
    complete "part-$manner"
done
card too-long "$url/ok/edges.csv" "$url/ok/nodes.csv"
mkdir -p "$files/too-long"
head -c 70000 /dev/zero >"$files/too-long/edges.csv.part"
cp "$work/www/nodes.csv" "$files/too-long/nodes.csv.part"
expect 0 fetch "$work/cards/too-long.ini"
complete too-long

# Wrong content is never kept.
card wrong "$url/ok/nodes.csv" "$url/ok/nodes.csv"
expect 1 fetch "$work/cards/wrong.ini"
contains "$errors" "has the sha256 $nodes_sum, expected is $edges_sum"
nothing_named wrong
[ ! -e "$files/wrong/edges.csv.part" ] || fail "wrong bytes were kept"

# 404, 500 and no server: one line that names address and place; the others go on.
card missing "$url/missing/edges.csv" "$url/ok/nodes.csv"
card broken "$url/broken/edges.csv" "$url/ok/nodes.csv"
card offline "http://127.0.0.1:1/edges.csv" "$url/ok/nodes.csv"
card slow "$url/slow/edges.csv" "$url/slow/nodes.csv"
expect 1 fetch "$work"/cards/{missing,broken,offline,slow}.ini
[ "$(printf '%s\n' "$errors" | wc -l)" = 3 ] || fail "not one line an error: $errors"
contains "$errors" "missing/edges.csv: $url/missing/edges.csv answered 404; "
contains "$errors" "save it as $files/missing/edges.csv"
contains "$errors" "broken/edges.csv answered 500"
contains "$errors" "offline/edges.csv: cannot download http://127.0.0.1:1/edges.csv"
nothing_named missing
nothing_named offline
complete slow

# file addresses, with a space in the path, resumed as well.
mkdir "$work/a place"
cp "$work"/www/*.csv "$work/a place"
card local "file://$work/a%20place/edges.csv" "file://$work/a%20place/nodes.csv"
mkdir -p "$files/local"
head -c 500 "$work/www/edges.csv" >"$files/local/edges.csv.part"
expect 0 fetch "$work/cards/local.ini"
contains "$out" "500 B of it from before"
complete local

# A mirror before the network: --mirror copies, CRUCIBLE_MIRROR is used in place.
mkdir -p "$work/my mirror/mirrored"
cp "$work"/www/*.csv "$work/my mirror/mirrored"
card mirrored "$url/missing/edges.csv" "$url/missing/nodes.csv" "terms = Ask the authors first"
expect 0 env CRUCIBLE_MIRROR="$work/my mirror" "$CRUCIBLE" fetch "$work/cards/mirrored.ini"
[ ! -e "$files/mirrored" ] || fail "a standing mirror was copied"
expect 0 fetch "$work/cards/mirrored.ini" --mirror "$work/my mirror"
complete mirrored

# Terms and unknown addresses: refused, with what to do.
card terms "$url/ok/edges.csv" "$url/ok/nodes.csv" "terms = Sign the form at https://example.org/form"
expect 1 fetch "$work/cards/terms.ini"
contains "$errors" "terms: Sign the form at https://example.org/form; then get edges.csv from $url/ok/edges.csv"
contains "$errors" "save it as $files/terms/edges.csv"
[ ! -e "$files/terms" ] || fail "something was downloaded without terms"
card nowhere "$url/ok/edges.csv" "$url/ok/nodes.csv" "home = https://example.org"
sed -i '/\[urls\]/,/^nodes/d' "$work/cards/nowhere.ini"
expect 1 fetch "$work/cards/nowhere.ini"
contains "$errors" "no address of edges.csv is known; get it from https://example.org"

# A format that nobody reads: refused before anything is downloaded.
card alien "$url/ok/edges.csv" "$url/ok/nodes.csv"
sed -i 's/^format = csv/format = alien/' "$work/cards/alien.ini"
expect 1 fetch "$work/cards/alien.ini"
contains "$errors" "alien: no plugin reads its format 'alien'"
[ ! -e "$files/alien" ] || fail "something was downloaded that nobody reads"

# Counts that differ from the card.
card counts "$url/ok/edges.csv" "$url/ok/nodes.csv"
sed -i 's/^nodes  = 500/nodes  = 501/' "$work/cards/counts.ini"
expect 1 fetch "$work/cards/counts.ini"
contains "$errors" "expects 501 nodes, the files hold 500"

# Two cards over the same files: each file comes once.
card shared "$url/plain/edges.csv" "$url/plain/nodes.csv"
card sharing "$url/plain/edges.csv" "$url/plain/nodes.csv" "folder = shared"
expect 0 fetch "$work"/cards/{shared,sharing}.ini
complete shared
[ "$(grep -c '^/plain/nodes.csv' "$log")" = 1 ] || fail "a shared file was downloaded twice"

# Members of a zip file, which is downloaded once and does not stay; a wrong one, a missing one, and no zip file.
python3 - "$work/www" <<'PYTHON'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1] + "/pack.zip", "w", zipfile.ZIP_DEFLATED) as z:
    z.write(sys.argv[1] + "/edges.csv", "graph/edges.csv")
    z.write(sys.argv[1] + "/nodes.csv", "graph/nodes.csv")
PYTHON
pack=$url/ok/pack.zip
card packed "$pack!/graph/edges.csv" "$pack!/graph/nodes.csv"
expect 0 fetch "$work/cards/packed.ini"
complete packed
[ "$(grep -c '^/ok/pack.zip' "$log")" = 1 ] || fail "the zip file was downloaded twice"
[ "$(ls "$files/packed")" = "edges.csv
nodes.csv" ] || fail "left behind: $(ls "$files/packed")"
card packed-wrong "$pack!/graph/nodes.csv" "$pack!/graph/nodes.csv"
card packed-missing "$pack!/edges.csv" "$pack!/graph/nodes.csv"
card packed-not "$url/ok/edges.csv!/edges.csv" "$pack!/graph/nodes.csv"
expect 1 fetch "$work"/cards/packed-{wrong,missing,not}.ini
contains "$errors" "packed-wrong/edges.csv: $pack!/graph/nodes.csv has the sha256 $nodes_sum, expected is $edges_sum"
contains "$errors" "packed-missing/edges.csv: $pack!/edges.csv is not in the zip file"
contains "$errors" "packed-not/edges.csv: $url/ok/edges.csv!/edges.csv is no archive"
nothing_named packed-wrong
nothing_named packed-not

# ---- servers that mean harm or know no better --------------------------------------------------------------------

# sizes NAME: the card tells them
sizes()
{
    printf '[bytes]\nedges = %s\nnodes = %s\n' "$(stat -c %s "$work/www/edges.csv")" \
        "$(stat -c %s "$work/www/nodes.csv")" >>"$work/cards/$1.ini"
}
# largest FOLDER: of all that lies there
largest() { find "$1" -type f -printf '%s\n' | sort -n | tail -1; }
size=$(stat -c %s "$work/www/edges.csv")

# A body without an end stops at the size that the card tells, or at --max-size.
card endless "$url/endless/edges.csv" "$url/ok/nodes.csv"
sizes endless
expect 1 fetch "$work/cards/endless.ini"
contains "$errors" "endless/edges.csv is longer than the $size bytes that the card tells"
nothing_named endless
[ ! -e "$files/endless/edges.csv.part" ] || fail "bytes of an endless file were kept"
card endless-unknown "$url/endless/edges.csv" "$url/ok/nodes.csv"
no_sums endless-unknown
expect 1 fetch "$work/cards/endless-unknown.ini" --max-size 3
contains "$errors" "is longer than the 3000000 bytes that are allowed"
nothing_named endless-unknown

# A wrong length is not even begun.
card other-size "$url/ok/nodes.csv" "$url/ok/nodes.csv"
sizes other-size
expect 1 fetch "$work/cards/other-size.ini"
contains "$errors" "ok/nodes.csv has $(stat -c %s "$work/www/nodes.csv") bytes, expected are $size"

# Two bytes a second; a server that is well but for --max-time.
card drip "$url/drip/edges.csv" "$url/ok/nodes.csv"
expect 1 fetch "$work/cards/drip.ini" --min-speed 1000 --patience 1
contains "$errors" "drip/edges.csv is too slow: "
nothing_named drip
card late "$url/drip/edges.csv" "$url/ok/nodes.csv"
expect 1 fetch "$work/cards/late.ini" --min-speed 1 --patience 60 --max-time 1
contains "$errors" "drip/edges.csv was not done after 1 seconds"

# A page to log in is never the data, with a checksum or without; one that is there from before is set aside.
card page "$url/page/edges.csv" "$url/ok/nodes.csv"
expect 1 fetch "$work/cards/page.ini"
contains "$errors" "page/edges.csv is a web page"
nothing_named page
grep -q "log in" "$files/page/edges.csv.bad" || fail "the page was not set aside"
no_sums page
expect 1 fetch "$work/cards/page.ini"
contains "$errors" "page/edges.csv is a web page"
nothing_named page
card page-before "$url/ok/edges.csv" "$url/ok/nodes.csv"
no_sums page-before
mkdir -p "$files/page-before"
printf ' \n<HTML><body>Sign in</body>' >"$files/page-before/edges.csv"
expect 0 fetch "$work/cards/page-before.ini"
complete page-before
[ ! -e "$files/page-before/edges.csv.bad" ] || fail "a bad file stayed beside the good one"

# What the plugin cannot read, and no checksum vouches for, is fetched again the next time.
card unreadable "$url/ok/garbage.csv" "$url/ok/nodes.csv"
no_sums unreadable
printf 'source,target\nn1,no-such-node\n' >"$work/www/garbage.csv"
expect 1 fetch "$work/cards/unreadable.ini"
nothing_named unreadable
[ -e "$files/unreadable/edges.csv.bad" ] || fail "an unreadable file was not set aside"
cp "$work/www/edges.csv" "$work/www/garbage.csv"
expect 0 fetch "$work/cards/unreadable.ini"
complete unreadable

# Half a file that calls itself whole.
card short "$url/short/edges.csv" "$url/ok/nodes.csv"
sizes short
expect 1 fetch "$work/cards/short.ini"
contains "$errors" "has $((size / 2)) bytes, expected are $size"
nothing_named short

# Several addresses: each kind of fault, and then a good one; all bad: the last is told.
for manner in missing page short endless; do
    card "second-$manner" "$url/$manner/edges.csv, $url/ok/edges.csv" "$url/ok/nodes.csv"
    sizes "second-$manner"
    expect 0 fetch "$work/cards/second-$manner.ini"
    complete "second-$manner"
done
card second-sum "$url/ok/nodes.csv,
         $url/ok/edges.csv" "$url/ok/nodes.csv"
expect 0 fetch "$work/cards/second-sum.ini"
complete second-sum
card all-bad "$url/missing/edges.csv, $url/page/edges.csv" "$url/ok/nodes.csv"
expect 1 fetch "$work/cards/all-bad.ini"
contains "$errors" "page/edges.csv is a web page (the last of 2 addresses)"

# 3 MB that unpack to 3 GB: nothing of it is written. One that lies about it stops at the limit.
python3 - "$work/www" <<'PYTHON'
import struct, sys, zlib
unit = zlib.compressobj(9, zlib.DEFLATED, -15)
block = unit.compress(bytes(1 << 20)) + unit.flush(zlib.Z_FULL_FLUSH)
def bomb(path, claimed):
    body = block * 3000 + b"\x03\x00"
    name = b"graph/edges.csv"
    fields = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 33, 0, len(body), claimed, len(name), 0)
    head = b"PK\x03\x04" + fields + name
    entry = b"PK\x01\x02\x14\x00" + fields + struct.pack("<HHHII", 0, 0, 0, 0, 0) + name
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(entry), len(head) + len(body), 0)
    with open(path, "wb") as f:
        f.write(head + body + entry + end)
bomb(sys.argv[1] + "/bomb.zip", 3000 << 20)
bomb(sys.argv[1] + "/lying.zip", 5000)
PYTHON
card bomb "$url/ok/bomb.zip!/graph/edges.csv" "$url/ok/nodes.csv"
card bomb-sized "$url/ok/bomb.zip!/graph/edges.csv" "$url/ok/nodes.csv"
card lying "$url/ok/lying.zip!/graph/edges.csv" "$url/ok/nodes.csv"
sizes bomb-sized
no_sums bomb
no_sums lying
expect 1 fetch "$work"/cards/{bomb,bomb-sized,lying}.ini --max-size 50
contains "$errors" "bomb/edges.csv: $url/ok/bomb.zip!/graph/edges.csv would unpack to 3145728000 bytes, more than"
contains "$errors" "bomb-sized/edges.csv: $url/ok/bomb.zip!/graph/edges.csv has 3145728000 bytes, expected are $size"
contains "$errors" "lying/edges.csv: $url/ok/lying.zip!/graph/edges.csv is "
for name in bomb bomb-sized lying; do
    nothing_named $name
    [ "$(largest "$files/$name")" -lt 4000000 ] || fail "$name left $(largest "$files/$name") bytes"
done

# A reason instead of an address.
card reason "$url/ok/edges.csv" "$url/ok/nodes.csv" "by-hand = its authors give it by post: write to them"
sed -i '/\[urls\]/,/^nodes/d' "$work/cards/reason.ini"
expect 1 fetch "$work/cards/reason.ini"
contains "$errors" "reason: edges.csv must be got by hand, because its authors give it by post: write to them; save it as"
expect 0 "$CRUCIBLE" info "$work/cards/reason.ini"
contains "$out" "by hand   its authors give it by post"
expect 0 "$CRUCIBLE" info "$work/cards/second-sum.ini"
contains "$out" "or from    $url/ok/edges.csv"

# Two at once on one file.
card busy "$url/ok/edges.csv" "$url/ok/nodes.csv"
mkdir -p "$files/busy"
expect 1 flock "$files/busy/edges.csv.part" "$CRUCIBLE" fetch "$work/cards/busy.ini"
contains "$errors" "another process is downloading it"

# JSON, quiet, usage.
card json "$url/ok/edges.csv" "$url/missing/nodes.csv"
expect 1 fetch "$work/cards/json.ini" "$work/cards/good.ini" --json
python3 - "$work/stdout" <<'PYTHON' || fail "fetch --json"
import json, sys
a, b = json.load(open(sys.argv[1]))
assert (a["name"], a["status"], b["name"], b["status"]) == ("json", "failed", "good", "present")
assert "answered 404" in a["message"] and b["message"] is None and b["nodes"] == 500 and b["classes"] == 2
edges, nodes = a["files"]
assert edges["path"].endswith("json/edges.csv") and len(edges["sha256"]) == 64 and edges["bytes"] > 1000
assert nodes["path"] is None and "404" in nodes["message"]
PYTHON
expect 0 fetch "$work/cards/good.ini" --quiet
[ -z "$out$errors" ] || fail "--quiet said: $out$errors"
expect 2 fetch
expect 2 fetch no-such-dataset
contains "$errors" "there is no dataset card 'no-such-dataset'"

# A bar on a terminal.
if command -v script >/dev/null; then
    rm -r "$files/good"
    expect 0 env TERM=xterm script -qec "$CRUCIBLE fetch $work/cards/good.ini" /dev/null
    contains "$out" "/2 files"
    contains "$out" "good: fetched"
fi

# Other verbs do not pay for libcurl.
if ldd "$CRUCIBLE" | grep -qE "libcurl|libzip"; then fail "the program is linked with libcurl or libzip"; fi
