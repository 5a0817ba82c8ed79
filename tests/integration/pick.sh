# SPDX-License-Identifier: Apache-2.0
# crucible pick: a race on one's own data ends in the same verdict twice, never judges test items before the end, and leaves
# a file that reproduces the choice.
. "$(dirname "$0")/lib.sh"
unset CRUCIBLE_MIRROR
cp -r "$SOURCE/datasets/examples/own-graph" "$work/own"
cd "$work" || exit 1
methods=gcn,mlp,sgc,appnp,label-propagation,graphsage

value() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$1" "$2"; }

expect 0 "$CRUCIBLE" pick own/own-graph.ini --methods $methods --db a.db --json
echo "$out" >first.json
best=$(value first.json best)
contains "$(value first.json as_good)" "'$best'"
[ "$(value first.json candidates)" = 6 ] || fail "six methods: $out"
contains "$(cat own-graph-pick.html)" "</html>"
lacks "$(cat own-graph-pick.html)" "http"

# The rungs hold no number of the test: only what describes the data.
for rung in 1 2 3; do
    expect 0 "$CRUCIBLE" report "pick own/own-graph.ini rung $rung" --db a.db --format csv
    lacks "$out" accuracy
done

# One seed, one verdict, in a store of its own as well.
expect 0 "$CRUCIBLE" pick own/own-graph.ini --methods $methods --db b.db --json -o second.ini
echo "$out" >second.json
for key in best as_good decided; do
    [ "$(value first.json $key)" = "$(value second.json $key)" ] || fail "$key differs: $(cat first.json) $out"
done

# The file gives the same trials: nothing is left to run.
expect 0 "$CRUCIBLE" run own-graph-pick.ini --db a.db
contains "$errors" "0 of 20 trials run"
contains "$out" "$best"

# Damage is part of the race; so is a metric.
expect 0 "$CRUCIBLE" pick own/own-graph.ini --methods gcn,mlp --damage uniform:rate=0.4 --metric macro-f1 --noise --db a.db -o damaged.ini
contains "$out" "wrong labels"
contains "$out" "uniform:rate=0.4"
contains "$out" "test: macro-f1"
contains "$(cat damaged.ini)" "rate = 0.4"

expect 2 "$CRUCIBLE" pick own/own-graph.ini --hours never --db a.db
expect 2 "$CRUCIBLE" pick own/own-graph.ini --methods gnc --db a.db
contains "$errors" "did you mean gcn"
expect 2 "$CRUCIBLE" pick own/own-graph.ini --methods gcn --damage unifrom --db a.db
expect 1 "$CRUCIBLE" pick own/own-graph.ini --methods $methods --hours 0.0000001 --db c.db
contains "$errors" "the hours were over"

# Interrupted, it says so and has no verdict.
"$CRUCIBLE" pick own/own-graph.ini --methods rncgln,lte4g,pastel,cp,nrgnn --jobs 1 --db d.db -o cut.ini >cut.out 2>cut.err &
pid=$!
until grep -q "^1/" cut.err 2>/dev/null; do kill -0 $pid 2>/dev/null || break; done
kill -INT $pid 2>/dev/null
wait $pid
code=$?
[ "$code" = 1 ] || fail "exit code $code after an interruption: $(cat cut.out cut.err)"
[ ! -s cut.out ] || fail "a verdict after an interruption: $(cat cut.out)"
