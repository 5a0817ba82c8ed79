# SPDX-License-Identifier: Apache-2.0
# tools/results writes RESULTS.md of a study from a store, with a cause for each miss, and leaves the store as it was.
. "$(dirname "$0")/lib.sh"

export CRUCIBLE_STUDIES=$work/studies
study=$work/studies/tiny
mkdir -p "$study/published" "$work/here"
cd "$work/here" || fail "no folder"

cat >"$study/table-1.ini" <<'INI'
[experiment]
seeds      = 0..2
corruptors = none | uniform
algorithms = gcn, mlp
[dataset csbm]
nodes = 120
[split]
scheme = percent
train  = 0.3
val    = 0.2
[corruptor uniform]
rate = 0.4
[algorithm gcn]
hidden = 4
[algorithm mlp]
hidden = 4
[monitor]
epochs = 3
[artefact]
title     = A table
published = published/table-1.csv
rows      = damage, rate
cols      = method
INI
cat >"$study/published/table-1.csv" <<'CSV'
table,dataset,damage,rate,method,metric,mean,std,mark
1,csbm,clean,,gcn,accuracy,50.00,50.00,
1,csbm,clean,,mlp,accuracy,500.00,0.10,
1,csbm,uniform,0.4,gcn,accuracy,500.00,0.10,
1,csbm,pair,0.4,gcn,accuracy,60.00,0.10,
CSV
results() { python3 "$SOURCE/tools/results" --build "$BUILD" --configs "$work/studies" "$@"; }

# Without a store nothing is measured; with one the counts, the cells and the misses are there.
expect 0 results
contains "$(cat "$study/RESULTS.md")" "| table-1: A table | 4 | 0 |  | 0 | 0 |"
expect 0 "$CRUCIBLE" run tiny/table-1 --db t.db -q
before=$(sha256sum <t.db)
expect 0 results --db t.db
contains "$out" "3 of 4 cells measured, 1 of 3 judged are inside"
page=$(cat "$study/RESULTS.md")
contains "$page" "| table-1: A table | 4 | 3 | 3 | 3 | 1 |"
contains "$page" "Rows of which nothing was run: 1."
contains "$page" "Outside, 2:"
contains "$page" "published 500 ("
contains "$page" "): unexplained"
[ "$before" = "$(sha256sum <t.db)" ] || fail "the store was changed"
expect 0 results --db t.db --check

# What was measured is kept: a store that knows less adds to the page and takes nothing away.
rm "$study/measured.csv"
expect 0 results --db t.db --at first
grep -q '^table-1,clean,gcn,.*,3,yes,first$' "$study/measured.csv" || fail "the cell was not kept: $(cat "$study/measured.csv")"
kept=$(cat "$study/measured.csv")
expect 0 "$CRUCIBLE" run tiny/table-1 --db other.db -q --only method=gcn --set experiment.seeds=0
expect 0 results --db other.db --at second
contains "$(cat "$study/RESULTS.md")" "| table-1: A table | 4 | 3 | 3 | 3 | 1 |"
[ "$kept" = "$(cat "$study/measured.csv")" ] || fail "one run took the place of three"
sed -i 's/^table-1,clean,gcn,[^,]*/table-1,clean,gcn,12.5/' "$study/measured.csv"
expect 0 "$CRUCIBLE" run tiny/table-1 --db other.db -q --only method=gcn
expect 0 results --db other.db --at second
grep -q '^table-1,clean,gcn,.*,second$' "$study/measured.csv" || fail "three new runs did not take the place of three"
grep -q '^table-1,clean,mlp,.*,first$' "$study/measured.csv" || fail "a cell that was not run again is gone"
mean=$(awk -F, '$2 == "clean" && $3 == "mlp" { printf "%.2f", $4 }' "$study/measured.csv")
contains "$(cat "$study/RESULTS.md")" "$mean ± "
printf 'artefact,row\n' >"$study/measured.csv"
expect 1 results --db t.db
contains "$errors" "measured.csv:1: the first line must be artefact,row,col,mean"
printf 'artefact,row,col,mean,spread,runs,inside,at\ntable-1,clean,gcn,x,1,3,yes,a\n' >"$study/measured.csv"
expect 1 results --db t.db
contains "$errors" "measured.csv:2: expected artefact,row,col,mean"
rm "$study/measured.csv"

# A store that was last asked for a part still knows the rest.
cp t.db part.db
expect 0 "$CRUCIBLE" run tiny/table-1 --db part.db -q --only method=mlp
expect 0 results --db part.db
contains "$(cat "$study/RESULTS.md")" "| table-1: A table | 4 | 3 | 3 | 3 | 1 |"
grep -q '^table-1,clean,gcn,' "$study/measured.csv" || fail "what was run before is not counted"
rm "$study/measured.csv"

# Causes, by cell and by row.
printf 'artefact,row,col,cause\ntable-1,clean,mlp,"a typing error, it seems"\ntable-1,uniform 0.4,,other splits\n' \
    >"$study/causes.csv"
expect 1 results --db t.db --check
contains "$errors" "RESULTS.md is not what these stores say"
expect 0 results --db t.db
page=$(cat "$study/RESULTS.md")
contains "$page" "): a typing error, it seems"
contains "$page" "): other splits"

# Mistakes have their place.
printf 'artefact,row,col\n' >"$study/causes.csv"
expect 1 results --db t.db
contains "$errors" "causes.csv:1: the first line must be artefact,row,col,cause"
printf 'artefact,row,col,cause\ntable-1,clean,mlp\n' >"$study/causes.csv"
expect 1 results --db t.db
contains "$errors" "causes.csv:2: expected artefact,row,col,cause"
printf 'artefact,row,col,cause\ntable-7,,,x\n' >"$study/causes.csv"
expect 1 results --db t.db
contains "$errors" "causes.csv:2: tiny has no artefact 'table-7'"
rm "$study/causes.csv"
expect 1 results --db none.db
contains "$errors" "none.db: no such store"

# What was measured with a method that is no longer here stays in view, in the store's own list too.
sed -i 's/algorithm mlp/algorithm gone as mlp/' "$study/table-1.ini"
expect 0 results --db t.db
contains "$out" "3 of 4 cells measured"
expect 0 "$CRUCIBLE" report tiny/table-1 --db t.db --format csv
[ "$(grep -c ',mlp,.*,ok,' <<<"$out")" = 1 ] || fail "the cell of a method that is gone: $out"

# An artefact without published values is shown once something of it was run, and kept.
sed -i 's/algorithm gone as mlp/algorithm mlp/' "$study/table-1.ini" # a store that has nothing of it cannot list what is gone
rm -f "$study/causes.csv" "$study/measured.csv"
cat >"$study/table-2.ini" <<'INI'
[experiment]
seeds      = 0..2
algorithms = mlp
[dataset csbm]
nodes = 120
[split]
scheme = percent
train  = 0.3
val    = 0.2
[algorithm mlp]
hidden = 8
[monitor]
epochs = 3
[artefact]
title = A table of our own
[report]
cols = dataset
INI
expect 0 results --db t.db
contains "$(cat "$study/RESULTS.md")" "| table-2: A table of our own | 0 | 0 |  | 0 | 0 |"
expect 0 "$CRUCIBLE" run tiny/table-2 --db own.db -q
expect 0 results --db own.db
contains "$(cat "$study/RESULTS.md")" "| table-2: A table of our own | 0 | 1 | 3 | 0 | 0 |"
contains "$(cat "$study/RESULTS.md")" "## table-2"
expect 0 results
contains "$(cat "$study/RESULTS.md")" "| table-2: A table of our own | 0 | 1 | 3 | 0 | 0 |"

# A distance between curves has no runs of its own: it counts as many as there are levels.
mkdir -p "$work/studies/curves/published"
cat >"$work/studies/curves/table-1.ini" <<'INI'
[experiment]
seeds   = 0
metrics = accuracy, edge-homophily
[dataset csbm]
nodes     = 120
homophily = 0.1, 0.5, 0.9
[split]
scheme = percent
train  = 0.3
val    = 0.2
[algorithm gcn]
hidden = 4
[monitor]
epochs = 3
[artefact]
title       = Distances
published   = published/table-1.csv
rows        = metric
cols        = method
lower       = yes
points      = 9
curves      = accuracy
curve_over  = dataset.homophily
curve_scale = values
INI
printf 'table,dataset,damage,rate,method,metric,mean,std,mark\n1,csbm,,,gcn,frechet edge-homophily,0.50,,\n' \
    >"$work/studies/curves/published/table-1.csv"
expect 0 "$CRUCIBLE" run curves/table-1 --db curves.db -q
expect 0 results --study curves --db curves.db
contains "$(cat "$work/studies/curves/RESULTS.md")" "| table-1: Distances | 1 | 1 | 3 | 1 | 1 |"
grep -q '^table-1,frechet edge-homophily,.*,3,yes,' "$work/studies/curves/measured.csv" || fail "the distance was not kept"
