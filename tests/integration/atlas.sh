# SPDX-License-Identifier: Apache-2.0
# Studies without published values: an artefact of any name, whose cells a CSV and `also` list, is found, run, listed,
# reported with its picture, checked by claims and written down by tools/results.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

# Of the atlas every method is here, and its parts are no artefacts.
expect 0 "$CRUCIBLE" list studies atlas
for name in nodes rows graphs variants; do contains "$out" "atlas/$name"; done
lacks "$out" "no plugin"
lacks "$out" nodes-part

export CRUCIBLE_STUDIES=$work/studies
mkdir -p studies/mine
cat >studies/mine/part.ini <<'INI'
[experiment]
name       = part
seeds      = 0..2
metrics    = accuracy
algorithms = gcn, mlp
corruptors = none | uniform
[dataset csbm]
nodes = 120
[split]
scheme = percent
train  = 0.3
val    = 0.2
[corruptor uniform]
rate = 0.4
[monitor]
epochs = 3
INI
cat >studies/mine/map.ini <<'INI'
[artefact]
title     = A map of ours
kind      = figure
plot      = heat
metric    = accuracy
published = cells.csv
also      = method: mlp | damage: uniform
rows      = dataset, method
cols      = damage
parts     = part.ini
[quick]
only.method = gcn
INI
printf 'dataset,damage,method,metric,mean,std,mark\ncsbm,clean,gcn,accuracy,,,\n' >studies/mine/cells.csv
printf '[claim noise]\nsays = Noise does not help by 60 points.\nholds = accuracy[damage=uniform] < accuracy[damage=clean] + 60\nfor = dataset = csbm, method = gcn\nsource = map\n' >studies/mine/claims.ini

expect 0 "$CRUCIBLE" list studies mine
contains "$out" mine/map
lacks "$out" mine/part
expect 0 "$CRUCIBLE" run mine/map --quick --db a.db
contains "$errors" "6 of 6 trials run"
contains "$errors" "mine/map: 2 of 2 cells measured, none is published"
lacks "$out" "published value"
expect 0 "$CRUCIBLE" list studies mine --db a.db
grep -Eq "mine/map +4 +2 " <<<"$out" || fail "cells that nobody published are not counted: $out"
expect 0 "$CRUCIBLE" claims mine --db a.db
contains "$out" "ours       holds"
expect 0 "$CRUCIBLE" report mine/map --db a.db --format csv
[ "$(grep -c '^mine/map,accuracy,csbm gcn' <<<"$out")" = 2 ] || fail "two cells of gcn: $out"
expect 0 "$SOURCE/tools/results" --build "$BUILD" --configs "$work/studies" --db a.db
contains "$(cat studies/mine/RESULTS.md)" "2 cells are measured, with 3 runs each."
lacks "$(cat studies/mine/RESULTS.md)" mlp
contains "$(cat studies/mine/RESULTS.md)" "(mine-map.svg)"
contains "$(cat studies/mine/mine-map.svg)" "</svg>"
contains "$(cat studies/mine/RESULTS.md)" "| Noise does not help by 60 points. | holds, in 1 of 1 |"
# A later store adds to the page and takes nothing away; the picture is of that store.
expect 0 "$CRUCIBLE" run mine/map --only method=mlp --db b.db -q
expect 0 "$SOURCE/tools/results" --build "$BUILD" --configs "$work/studies" --db b.db
contains "$(cat studies/mine/RESULTS.md)" "4 cells are measured, with 3 runs each."
contains "$(cat studies/mine/RESULTS.md)" "| csbm gcn |"
grep -q '^map,csbm gcn,clean,' studies/mine/measured.csv || fail "a cell of the first store is gone"
