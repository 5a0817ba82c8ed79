# SPDX-License-Identifier: Apache-2.0
# stats and list datasets as a user meets them, with the user's own data.
. "$(dirname "$0")/lib.sh"
unset CRUCIBLE_MIRROR
export XDG_DATA_HOME=$work/data

expect 0 "$CRUCIBLE" list datasets
contains "$out" "csbm"
contains "$out" "cards"
expect 0 "$CRUCIBLE" list datasets --json
python3 - "$work/stdout" <<'PYTHON' || fail "list datasets --json"
import json, sys
entries = json.load(open(sys.argv[1]))
roles = {e["role"] for e in entries}
assert roles >= {"card", "generator", "format"}, roles
for e in entries:
    assert {"name", "kind", "version", "summary", "path", "status"} <= e.keys()
states = {e["name"]: e["status"] for e in entries if e["role"] == "card"}
assert states["cora"] == "fetchable" and states["pokec"] == "needs terms" and states["bgp"] == "missing", states
assert states["gencat-cora"] == "generated", states
PYTHON

mkdir -p "$work/mirror/bgp"
touch "$work"/mirror/bgp/{x,y,edge_index}.npy
CRUCIBLE_MIRROR=$work/mirror expect 0 "$CRUCIBLE" list datasets
grep -q "^  bgp  *present " "$work/stdout" || fail "a mirror is not looked at"

# The same by the [paths] of an experiment.
printf '[paths]\nmirror = mirror\n' >"$work/paths.ini"
expect 0 "$CRUCIBLE" list datasets --config "$work/paths.ini"
grep -q "^  bgp  *present " "$work/stdout" || fail "[paths] mirror is not looked at by list"
mkdir -p "$work/mirror/cora-like"
cp "$SOURCE"/datasets/examples/own-graph/*.csv "$work/mirror/cora-like"
mkdir -p "$work/cards"
sed 's/^name .*/name = cora-like/' "$SOURCE/datasets/examples/own-graph/own-graph.ini" >"$work/cards/cora-like.ini"
expect 1 "$CRUCIBLE" stats "$work/cards/cora-like.ini"
expect 0 "$CRUCIBLE" stats "$work/cards/cora-like.ini" --config "$work/paths.ini"
contains "$out" "items     24"
expect 0 "$CRUCIBLE" fetch "$work/cards/cora-like.ini" --config "$work/paths.ini"
contains "$out" "present; 24 items"
printf '[paths]\nmiror = mirror\n' >"$work/wrong.ini"
expect 2 "$CRUCIBLE" list datasets --config "$work/wrong.ini"
contains "$errors" "wrong.ini:2: miror"
expect 2 "$CRUCIBLE" list datasets --config "$work/none.ini"

# A generator, with settings and seed.
expect 0 "$CRUCIBLE" stats csbm --set nodes=200 --set classes=2 --seed 3
contains "$out" "items     200"
contains "$out" "degrees"
# What takes long is measured when it is asked for.
contains "$out" "which take longer: gnb-gain, kernel-linear-gain, kernel-relu-gain"
expect 0 "$CRUCIBLE" stats csbm --set nodes=200 --set classes=2 --seed 3 --measure gnb-gain
[ "$(grep -A9 '^measures' "$work/stdout" | grep -c '^  ')" = 1 ] || fail "--measure shows others: $out"
contains "$out" "gnb-gain "
expect 0 "$CRUCIBLE" stats csbm --set nodes=200 --set classes=2 --seed 3 --all
for name in kernel-linear-gain kernel-relu-gain edge-homophily; do contains "$out" "  $name"; done
expect 2 "$CRUCIBLE" stats csbm --measure accuracy
contains "$errors" "stats: 'accuracy' is no measure of data"
expect 2 "$CRUCIBLE" stats csbn
contains "$errors" "did you mean 'csbm'?"
expect 2 "$CRUCIBLE" stats csbm --set nodez=3
contains "$errors" "did you mean nodes?"
expect 2 "$CRUCIBLE" stats csbm --set nodes
expect 2 "$CRUCIBLE" stats

# Several datasets are one table, or one array.
expect 0 "$CRUCIBLE" stats csbm csbm --set nodes=50 --set classes=2
[ "$(grep -E '^items +50 +50$' <<<"$out" | wc -l)" = 1 ] || fail "two datasets: $out"
expect 0 "$CRUCIBLE" stats csbm "$work/cards/cora-like.ini" --config "$work/paths.ini" --json
python3 -c 'import json, sys; a, b = json.load(sys.stdin); assert a["name"] == "csbm" and b["classes"] > 0, (a, b)' \
    <"$work/stdout" || fail "stats of two datasets as JSON: $out"
expect 2 "$CRUCIBLE" stats csbm csbn

# What a card says, by name and by path, without its files.
expect 0 "$CRUCIBLE" info cora
for part in "task      nodes" "metric    accuracy" "nodes 2708, edges 10556" "Planetoid\|Yang" "noisygl       scheme = official"; do
    grep -q "$part" "$work/stdout" || fail "info cora does not say $part"
done
expect 0 "$CRUCIBLE" info "$SOURCE/datasets/examples/own-graph/own-graph.ini" --json
python3 - "$work/stdout" <<'PYTHON' || fail "info --json of a card"
import json, sys
c = json.load(open(sys.argv[1]))
assert c["name"] == "own-graph" and c["kind"] == "card" and c["settings"]["label"] == "circle", c
assert [(f["role"], f["state"], f["urls"]) for f in c["files"]] == [("nodes", "present", []), ("edges", "present", [])], c
PYTHON
expect 2 "$CRUCIBLE" info no-such-card.ini

# Two CSV files and a card, read once and then from the cache.
cp -r "$SOURCE/datasets/examples/own-graph" "$work/own"
expect 0 "$CRUCIBLE" stats "$work/own/own-graph.ini" --json
python3 - "$work/stdout" <<'PYTHON' || fail "stats --json"
import json, sys
s = json.load(open(sys.argv[1]))
assert s["items"] == 24 and s["features"] == 2 and s["unlabelled"] == 2 and s["undirected"], s
assert [c["name"] for c in s["classes"]] == ["chess", "rowing"], s
assert sum(b["nodes"] for b in s["degree"]["histogram"]) == 24, s
PYTHON
ls "$XDG_CACHE_HOME"/crucible/data/own-graph-*.img >/dev/null || fail "nothing in the cache"
echo "zoe,chess,41" >>"$work/own/nodes.csv"
expect 1 "$CRUCIBLE" stats "$work/own/own-graph.ini"
contains "$errors" "nodes.csv:26: fewer fields than in the first line"
