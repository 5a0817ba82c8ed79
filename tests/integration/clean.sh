# SPDX-License-Identifier: Apache-2.0
# crucible clean: finds labels that were made wrong on purpose, says when little is wrong, and what it cannot do.
. "$(dirname "$0")/lib.sh"
unset CRUCIBLE_MIRROR
cd "$work" || exit 1

# A card that wraps a generator is of one seed, as data of one's own.
cat >base.ini <<'END'
[dataset]
name   = base
format = csbm
[settings]
nodes     = 300
classes   = 3
homophily = 0.9
signal    = 3
END
sed 's/^name .*/name = noisy/; s/^format .*/format = relabelled/; /^\[settings\]/q' base.ini >noisy.ini
printf 'base = ./base.ini\nrate = 0.2\n' >>noisy.ini

value() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$1" "$2"; }

expect 0 "$CRUCIBLE" clean ./noisy.ini --truth ./base.ini --db a.db --json
echo "$out" >noisy.json
[ "$(value noisy.json verdict)" = many ] || fail "20 % wrong: $out"
[ "$(value noisy.json truly_wrong)" = 60 ] || fail "60 of 300 are wrong: $out"
python3 -c "import sys; sys.exit(not float(sys.argv[1]) > 0.9)" "$(value noisy.json average_precision)" || fail "$out"
[ "$(wc -l <noisy-labels.csv)" = 301 ] || fail "a line an item"
contains "$(head -1 noisy-labels.csv)" "rank,item,given,suggested,suspicion"
contains "$(cat noisy-labels.html)" "</html>"
lacks "$(cat noisy-labels.html)" "http"
# our numbers are those of the CSV: average precision anew, from the items and both cards' labels
"$CRUCIBLE" clean ./noisy.ini --truth ./base.ini --db a.db --json -o again.csv 2>/dev/null >again.json || fail "again"
cmp -s noisy-labels.csv again.csv || fail "the same command gives another list"
[ "$(value again.json rate)" = "$(value noisy.json rate)" ] || fail "another estimate"

expect 0 "$CRUCIBLE" clean ./base.ini --db a.db --methods gcn,mlp -o little.csv
contains "$out" "Little is wrong"

# What cannot be done
expect 1 "$CRUCIBLE" clean ./missing.ini --db a.db
expect 2 "$CRUCIBLE" clean
expect 2 "$CRUCIBLE" clean ./base.ini --methods gnc --db a.db
contains "$errors" "did you mean gcn"
sed 's/300/200/' base.ini >smaller.ini
expect 2 "$CRUCIBLE" clean ./noisy.ini --truth ./smaller.ini --db a.db
contains "$errors" "200 items"
expect 1 "$CRUCIBLE" clean ./base.ini --methods gcn --db a.db -o missing/folder.csv
