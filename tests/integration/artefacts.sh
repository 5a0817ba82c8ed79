# SPDX-License-Identifier: Apache-2.0
# Published tables as artefacts: found by name, run once for all, printed beside the published values; claims over them;
# reports that join; export and diff. A small study of generated graphs stands for the real ones.
. "$(dirname "$0")/lib.sh"

export CRUCIBLE_STUDIES=$work/studies
mkdir -p "$work/studies/tiny/published" "$work/here"
cd "$work/here" || fail "no folder"

cat >"$work/studies/tiny/study.ini" <<'INI'
[experiment]
seeds      = 0..2
metrics    = accuracy, macro-f1
corruptors = none | uniform

[dataset csbm]
nodes = 120

[split]
scheme = percent
train  = 0.3
val    = 0.2

[corruptor uniform]
rate = 0.2, 0.4

[algorithm gcn]
hidden = 4
[algorithm mlp]
hidden = 4

[monitor]
epochs = 3
INI
cat >"$work/studies/tiny/published/table-1.csv" <<'CSV'
table,dataset,damage,rate,method,metric,mean,std,mark
1,csbm,clean,,gcn,accuracy,50.00,50.00,
1,csbm,clean,,mlp,accuracy,50.00,50.00,
1,csbm,clean,,wonder,accuracy,99.00,0.10,
1,csbm,uniform,0.4,gcn,accuracy,500.00,0.10,
1,csbm,uniform,0.4,mlp,accuracy,,,OOM
1,csbm,uniform,0.4,wonder,accuracy,90.00,0.20,damaged
CSV
cat >"$work/studies/tiny/table-1.ini" <<'INI'
include = study.ini
[artefact]
title     = A table, as it was printed
published = published/table-1.csv
rows      = damage, rate
cols      = method
groups    = Ours: gcn, mlp | Theirs: wonder
labels    = gcn: GCN
[quick]
experiment.seeds = 0
only.damage      = clean
INI
cat >"$work/studies/tiny/table-2.ini" <<'INI'
include = table-1.ini
[artefact]
title = The same runs by rows of methods
rows  = method
cols  = damage, rate
also  = method: sgc
INI

# Found from anywhere; runs what the print has and not more: 2 methods, 2 damages, 3 seeds.
expect 0 "$CRUCIBLE" run tiny/table-1 --db t.db
contains "$errors" "12 of 12 trials run"
contains "$errors" "left out, no plugin: wonder"
contains "$errors" "tiny/table-1: 3 of 5 cells measured, 2 of 3 judged are inside"
contains "$out" "A table, as it was printed"
contains "$out" "Theirs"
contains "$out" "GCN"
contains "$out" "| OOM"
contains "$out" "| 90.00?"
contains "$out" "out"

# Nothing is run again, for this table or for another one with the same trials. An open cell asks for sgc.
expect 0 "$CRUCIBLE" run tiny/table-1 --db t.db
contains "$errors" "0 of 12 trials run"
expect 0 "$CRUCIBLE" report tiny/table-2 --db t.db --published diff
contains "$out" " out"
expect 0 "$CRUCIBLE" score tiny/table-1 --db t.db
contains "$errors" "0 of 12 trials run"
expect 0 "$CRUCIBLE" run tiny/table-2 --db t.db --only method=gcn,mlp
contains "$errors" "0 of 12 trials run"
expect 0 "$CRUCIBLE" run tiny/table-2 --db t.db --only method=mlp --only damage=clean
contains "$errors" "0 of 3 trials run"

# Baselines: the best of them below, the others held against it; a row that is not there has its place.
printf 'include = table-2.ini\n[artefact]\nalso =\nbaselines = mlp\n' >"$work/studies/tiny/table-5.ini"
expect 0 "$CRUCIBLE" report tiny/table-5 --db t.db
contains "$out" "best baseline"
contains "$out" "W/T/L"
# The best of some of them is not the best baseline: what --only cuts away takes that row along.
expect 0 "$CRUCIBLE" report tiny/table-5 --db t.db --only method=gcn
lacks "$out" "best baseline"
printf 'include = table-2.ini\n[artefact]\nbaselines = mpl\n' >"$work/studies/tiny/table-5.ini"
expect 2 "$CRUCIBLE" report tiny/table-5 --db t.db
contains "$errors" "table-5.ini:3: baselines: baselines: the table has no row 'mpl'"
rm "$work/studies/tiny/table-5.ini"

expect 0 "$CRUCIBLE" run tiny/table-1 --quick --db q.db
contains "$errors" "2 of 2 trials run"
expect 0 "$CRUCIBLE" report tiny/table-1 --db t.db --published off --format markdown
case "$out" in *500*) fail "published values are not off: $out" ;; esac
expect 0 "$CRUCIBLE" report tiny/table-1 --db t.db --format csv
contains "$out" "500"
grep ',mlp,' <<<"$out" | grep -q ',no,' && fail "a cell without a published value has a verdict: $out"
expect 0 "$CRUCIBLE" run tiny --db t.db --hours 1 -q
expect 0 "$CRUCIBLE" list studies --db t.db
contains "$out" "tiny/table-2"
contains "$out" "  missing: wonder (no plugin)"
[ "$(grep -c wonder "$work/stdout")" = 1 ] || fail "what a study lacks is not told once: $out"
expect 1 "$CRUCIBLE" list studies --db none.db
[ "$errors" = "crucible: none.db: No such file or directory; --db FILE names the results store" ] ||
    fail "a store that is not there: $errors"

# Only some of them. A probe runs one trial of each method that was never timed: what is left is known afterwards.
expect 0 "$CRUCIBLE" run tiny/table-1 --only method=gcn --only damage=clean --db p.db -q
expect 0 "$CRUCIBLE" list studies tiny/table-1 --db p.db
contains "$out" "6 trials never timed"
case "$out" in *table-2*) fail "not only the artefact that was named: $out" ;; esac
expect 0 "$CRUCIBLE" list studies tiny/table-1 --db p.db --probe
case "$out" in *"never timed"*) fail "not probed: $out" ;; esac
expect 0 "$CRUCIBLE" list studies tiny/table-1 --db p.db --json
python3 -c 'import json, sys; a, = json.load(sys.stdin); assert a["pending"] == 8 and a["untimed"] == 0 and a["seconds_left"] > 0, a' \
    <"$work/stdout" || fail "after a probe: $out"
expect 2 "$CRUCIBLE" list studies none-such --db p.db
contains "$errors" "no study or artefact 'none-such'"
expect 2 "$CRUCIBLE" list metrics --probe

# A study is not run with files of an experiment; unknown names say what was meant.
expect 2 "$CRUCIBLE" run tiny/table-3 --db t.db
contains "$errors" "did you mean tiny/table-"
expect 2 "$CRUCIBLE" run tiny/table-1 --only metod=gcn --db t.db
contains "$errors" "did you mean method"
expect 2 "$CRUCIBLE" run tiny/table-1 --only method=mlp,gnc --db t.db
contains "$errors" "--only: tiny/table-1 has no method 'gnc'; did you mean gcn?"
expect 2 "$CRUCIBLE" run tiny/table-1 --only method=gcn --only dataset=moons --db t.db
contains "$errors" "--only: tiny/table-1 has no dataset 'moons'"
# Of a whole study the artefacts without these values are passed over, unless that leaves none.
expect 0 "$CRUCIBLE" run tiny --only method=sgc --db t.db
contains "$out" "The same runs by rows of methods"
lacks "$out" "A table, as it was printed"
lacks "$errors" "--only"
expect 2 "$CRUCIBLE" run tiny --only method=gnc --db t.db
[ "$(wc -l <<<"$errors")" = 1 ] || fail "not one line: $errors"
expect 2 "$CRUCIBLE" run tiny/table-1 --published up --db t.db
expect 2 "$CRUCIBLE" run tiny/table-1 --hours soon --db t.db

# Mistakes: one line with its place.
mistake() # TEXT of an artefact, expected part
{
    printf 'include = study.ini\n[artefact]\npublished = published/table-1.csv\nrows = damage, rate\ncols = method\n%b' "$1" \
        >"$work/studies/tiny/table-9.ini"
    expect 2 "$CRUCIBLE" run tiny/table-9 --quick --db m.db
    [ "$(grep -vc 'left out' <<<"$errors")" = 1 ] || fail "not one line: $errors"
    contains "$errors" "$2"
}
mistake 'titel = x\n' 'table-9.ini:6: titel: unknown setting of [artefact]; did you mean title?'
mistake 'where = metod=gcn\n' "table-9.ini:6: where: "
mistake 'where = dataset=cora\n' "no line of"
mistake 'also = methods: x\n' "table-9.ini:6: also: "
mistake '[match]\nrate = corruptor.rate: 1\n' "table-9.ini:7: rate: '1' is not our value"
mistake '[quick]\nexperiment.sedes = 0\n' 'table-9.ini:7: sedes: unknown setting of [experiment]; did you mean seeds?'
mistake '[quick]\nonly.metod = gcn\n' "knows no 'metod'; did you mean method?"
# Of several parts each takes what [quick] says of its own sections; what none of them has is a mistake.
printf 'include = study.ini\n[experiment]\nalgorithms = mlp\n' >"$work/studies/tiny/of-mlp.ini"
printf '[experiment]\nseeds = 0..2\nmetrics = accuracy\n[dataset csbm]\nnodes = 120\n[split]\nscheme = percent\ntrain = 0.3\nval = 0.2\n' \
    >"$work/studies/tiny/of-gcn.ini"
printf '[algorithm gcn]\nhidden = 4\n[monitor]\nepochs = 3\n' >>"$work/studies/tiny/of-gcn.ini"
parts='[artefact]\npublished = published/table-1.csv\nrows = damage, rate\ncols = method\nparts = of-gcn.ini, of-mlp.ini\n'
printf "$parts[quick]\nexperiment.seeds = 0\nalgorithm.gcn.hidden = 2\nonly.damage = clean\n" >"$work/studies/tiny/table-9.ini"
expect 0 "$CRUCIBLE" run tiny/table-9 --quick --db parts.db
contains "$errors" "tiny/table-9: 2 of 3 cells measured"
printf "$parts[quick]\nalgorithm.gnc.hidden = 2\n" >"$work/studies/tiny/table-9.ini"
expect 2 "$CRUCIBLE" run tiny/table-9 --quick --db parts.db
contains "$errors" "table-9.ini:7: gnc: no [algorithm] section is called that; did you mean gcn?"
[ "$(wc -l <<<"$errors")" = 1 ] || fail "not one line: $errors"
# Parts that differ in nothing but metrics have the same trials: a table has the numbers of both.
printf 'include = of-gcn.ini\n[experiment]\nmetrics = macro-f1\n' >"$work/studies/tiny/of-gcn-f1.ini"
printf 'table,dataset,damage,rate,method,metric,mean,std,mark\n1,csbm,clean,,gcn,accuracy,50,9,\n1,csbm,clean,,gcn,macro-f1,50,9,\n' \
    >"$work/studies/tiny/published/two-metrics.csv"
printf '[artefact]\npublished = published/two-metrics.csv\nrows = metric\ncols = method\nparts = of-gcn.ini, of-gcn-f1.ini\n' \
    >"$work/studies/tiny/table-9.ini"
expect 0 "$CRUCIBLE" run tiny/table-9 --db two-metrics.db
contains "$errors" "tiny/table-9: 2 of 2 cells measured"
rm "$work/studies/tiny/published/two-metrics.csv"
printf 'include = study.ini\n[artefact]\npublished = published/table-1.csv\nrows = damage\ncols = method\n' \
    >"$work/studies/tiny/table-9.ini"
expect 2 "$CRUCIBLE" run tiny/table-9 --db m.db
contains "$errors" "table-9.ini:2: where: 'rate' takes several values"
sed -i 's/rows = damage/rows = damag/' "$work/studies/tiny/table-9.ini"
expect 2 "$CRUCIBLE" run tiny/table-9 --db m.db
contains "$errors" "has no column 'damag'; did you mean damage?"
broken() # LINE of a CSV, expected part
{
    printf 'table,dataset,damage,rate,method,metric,mean,std,mark\n%b' "$1" >"$work/studies/tiny/published/bad.csv"
    printf 'include = study.ini\n[artefact]\npublished = published/bad.csv\nrows = damage, rate\ncols = method\n' \
        >"$work/studies/tiny/table-9.ini"
    expect 2 "$CRUCIBLE" run tiny/table-9 --db m.db
    [ "$(wc -l <<<"$errors")" = 1 ] || fail "not one line: $errors"
    contains "$errors" "$2"
}
broken '1,csbm,clean,,gcn,accuracy,much,1,\n' 'bad.csv:2: the mean is not a number'
broken '1,csbm,clean,,gcn,accuracy,1,-1,\n' 'bad.csv:2: the std is negative'
broken '1,csbm,clean,,gcn,accuracy,1\n' 'bad.csv:2: the line has another number of fields than the header'
broken '1,csbm,clean,,gcn,accuracy,1,1,\n1,csbm,clean,,gcn,accuracy,2,1,\n' 'bad.csv:3: the same cell'
rm "$work/studies/tiny/table-9.ini"

# Claims, in print and in ours.
cat >"$work/studies/tiny/claims.ini" <<'INI'
[claim wonder-wins]
says   = wonder is best
holds  = accuracy[method=wonder] > max(accuracy over method in gcn mlp)
for    = damage = clean
source = table-1
[claim floor]
says   = nobody is below nothing
holds  = accuracy >= 0 and accuracy <= 1000
for    = method in gcn mlp, damage = clean
test   = p < 0.9
source = table-1
INI
expect 0 "$CRUCIBLE" claims tiny --db t.db
contains "$out" "published  holds, in 1 of 1"
contains "$out" "missing accuracy[damage=clean, method=wonder]"
contains "$out" "ours       holds, in 2 of 2"
expect 0 "$CRUCIBLE" claims tiny floor --json --db t.db
contains "$out" '"holding":'
# All of a study as one page: an index with its counts, the claims, a section for each artefact, all trials.
expect 0 "$CRUCIBLE" report tiny --db t.db --format html --out tiny.html
python3 - <<'PY' || fail "the page of a study is not what it should be"
import re
page = open("tiny.html").read()
sections = re.findall(r'<section id="([^"]+)"', page)
assert sections[:2] == ["index", "claims"] and sections[-1] == "trials", sections
assert {"tiny/table-1", "tiny/table-2"} <= set(sections), sections
for link in re.findall(r'href="#([^"]+)"', page):
    assert link in sections, link
row = re.search(r'<a href="#tiny/table-1">.*?</tr>', page, re.S).group(0)
assert re.findall(r'"number">(\d+)<', row) == ["5", "3", "3", "2"] and "wonder" in row, row
assert "holds, in 2 of 2" in page and "missing accuracy[damage=clean, method=wonder]" in page
assert page.count("<table class=\"results\"") == len(sections) - 3 and "http" not in page.split("<script>")[-1]
PY
claim_mistake() # LINE, expected part
{
    printf '[claim x]\nsource = table-1\n%b\n' "$1" >"$work/studies/tiny/claims.ini"
    expect 2 "$CRUCIBLE" claims tiny --db t.db
    [ "$(wc -l <<<"$errors")" = 1 ] || fail "not one line: $errors"
    contains "$errors" "$2"
}
claim_mistake 'holds = accuracy[method=gcn] <' 'claims.ini:3: holds: column 23: expected a key, not the end'
claim_mistake 'holds = accuracy[method=gcn > 3' 'claims.ini:3: holds: column 21: expected ]'
claim_mistake 'holds = acuracy[method=gcn,damage=clean] > 3' "none of its tables has the metric 'acuracy'"
claim_mistake 'holds = accuracy > 3' 'names several cells'
claim_mistake 'holds = accuracy > 3\nhold = 2' 'claims.ini:4: hold: unknown key of a claim; did you mean holds?'
claim_mistake 'holds = accuracy > 3\nfor = method gcn' "claims.ini:4: for: column 8: expected = or in, not gcn"
claim_mistake 'holds = accuracy > 3\ntest = p > 3' 'claims.ini:4: test: column 3: expected <'
printf '[claim x]\nholds = accuracy > 3\nsource = table-7\n' >"$work/studies/tiny/claims.ini"
expect 2 "$CRUCIBLE" claims tiny --db t.db
contains "$errors" "claims.ini:1: x: there is no artefact tiny/table-7"

# Reports join: other --set options of one file, several experiments, several stores.
printf '[experiment]\nname = one\nseeds = 0..1\n' >one.ini
run() { expect 0 "$CRUCIBLE" run "$work/studies/tiny/study.ini" one.ini --set 'experiment.corruptors=none' "$@" -q; }
run --db j.db --set algorithm.gcn.hidden=4
run --db j.db --set algorithm.gcn.hidden=8
expect 0 "$CRUCIBLE" report one --db j.db
contains "$out" "hidden=4"
contains "$out" "hidden=8"
expect 0 "$CRUCIBLE" report one --latest --db j.db
case "$out" in *hidden=4*) fail "--latest shows an earlier run: $out" ;; esac
run --db k.db --set algorithm.gcn.hidden=2 --set experiment.name=two
expect 0 "$CRUCIBLE" report one two --db j.db --db k.db
for hidden in 2 4 8; do contains "$out" "hidden=$hidden"; done
expect 2 "$CRUCIBLE" report one three --db j.db --db k.db

# Export and diff.
expect 0 "$CRUCIBLE" export --db j.db
[ "$(wc -l <<<"$out")" = 7 ] || fail "6 trials and a header expected: $out" # gcn twice, mlp once, two seeds
contains "$out" "store,experiment,key,method,outcome,tried,"
"$CRUCIBLE" export --db j.db --format csv -o j.csv || fail "no export"
if python3 -c 'import pandas' 2>/dev/null; then
    python3 - <<'PY' || fail "pandas does not read the export"
import pandas
table = pandas.read_csv("j.csv")
assert len(table) == 6 and set(table.method) == {"gcn", "mlp"}, table
assert table.accuracy.between(0, 1).all() and set(table.seed) == {0, 1}, table
assert set(table[table.method == "gcn"]["algorithm.hidden"]) == {4, 8}, table
PY
else
    echo "pandas is not here: the export was not read with it"
fi
expect 0 "$CRUCIBLE" export --db j.db --format jsonl
[ "$(wc -l <<<"$out")" = 6 ] || fail "6 lines expected: $out"
python3 -c 'import json,sys; [json.loads(line) for line in sys.stdin]' <<<"$out" || fail "not JSON"
run --db l.db --set algorithm.gcn.hidden=4
run --db l.db --set algorithm.gcn.hidden=8
expect 0 "$CRUCIBLE" diff j.db l.db
contains "$out" "6 trials in both, 0 with other numbers"
expect 1 "$CRUCIBLE" diff j.db k.db
contains "$out" "only in"

# A search of one part of a table does not take away what was chosen for another part before.
cat >"$work/studies/tiny/table-4.ini" <<'INI'
include = table-1.ini
[artefact]
title = The same, searched
[search]
method = grid
per    = all-seeds
[algorithm gcn]
lr     = search(one-of 0.01 0.1)
[algorithm mlp]
lr     = search(one-of 0.01 0.1)
INI
expect 0 "$CRUCIBLE" run tiny/table-4 --only method=gcn --db searched.db --quiet
expect 0 "$CRUCIBLE" run tiny/table-4 --only method=mlp --db searched.db --quiet
expect 0 "$CRUCIBLE" list studies tiny --db searched.db
grep -Eq "tiny/table-4 +5 +3 " <<<"$out" || fail "both parts are measured: $out"

# Nor does another grid leave two choices for one cell.
expect 0 "$CRUCIBLE" run tiny/table-4 --only method=gcn --db searched.db --quiet --set 'algorithm.gcn.lr=search(one-of 0.2 0.3)'
expect 0 "$CRUCIBLE" run tiny/table-4 --only method=mlp --db searched.db --quiet
expect 0 "$CRUCIBLE" report tiny/table-4 --db searched.db

# Rows are ranked over all columns and over groups of them.
cat >"$work/studies/tiny/table-5.ini" <<'INI'
include = table-2.ini
[artefact]
title = The same, ranked
ranks = noisy: uniform
INI
expect 0 "$CRUCIBLE" run tiny/table-5 --db t.db --only method=gcn,mlp
contains "$out" "rank"
contains "$out" "noisy"

# Numbers of a list that trials reported are cells; each of the 4 classes of csbm trains 9 of 120 items. One that nobody reported
# is a mistake with its place.
mkdir "$work/studies/lists"
cat >"$work/studies/lists/numbers.csv" <<'CSV'
dataset,key,value
csbm,first,9
csbm,second,8
CSV
cat >"$work/studies/lists/table-1.ini" <<'INI'
include = ../tiny/study.ini
[experiment]
seeds      = 0
corruptors = class-imbalance
algorithms = mlp
[corruptor class-imbalance]
rho   = 1
train = 0.3
[artefact]
title     = How many of each class train
published = numbers.csv
rows      = dataset
cols      = key
lists     = class-imbalance.train_ascending
points    = 0.5
[match]
key = metric: class-imbalance.train_ascending.1 first | class-imbalance.train_ascending.2 second
INI
expect 0 "$CRUCIBLE" run lists/table-1 --db lists.db
contains "$errors" "lists/table-1: 2 of 2 cells measured, 1 of 2 judged are inside"
sed -i 's/train_ascending$/train_rising/' "$work/studies/lists/table-1.ini"
expect 2 "$CRUCIBLE" run lists/table-1 --db lists.db
contains "$errors" "table-1.ini:14: lists: no trial reported a list 'class-imbalance.train_rising'"

# A table of settings stands beside what plugins and files say; nothing is trained for it.
cat >"$work/studies/lists/settings.csv" <<'CSV'
method,key,setting,default,search
gcn,width,hidden,8,one-of 4 8
gcn,rate,lr,0.01,log 1e-3 1e-1
mlp,width,hidden,4,
mlp,colour,,red,
wonder,width,hidden,1,
CSV
cat >"$work/studies/lists/table-2.ini" <<'INI'
include = ../tiny/study.ini
[artefact]
title     = Settings
kind      = settings
published = settings.csv
[search]
method = random
[algorithm gcn]
hidden = search(one-of 8 4 default 8)
lr     = search(log 1e-3 1)
INI
expect 0 "$CRUCIBLE" run lists/table-2 --db settings.db
[ ! -e settings.db ] || fail "a table of settings trained something"
contains "$out" "3 of 5 settings are here, 2 as printed"
expect 0 "$CRUCIBLE" report lists/table-2 --db t.db --format csv
contains "$out" 'gcn,width,hidden,8,8,one-of 4 8,"one of 8, 4",same'
contains "$out" "gcn,rate,lr,0.01,0.01,log 1e-3 1e-1,log-uniform 0.001..1,differs"
contains "$out" "mlp,width,hidden,4,4,,,same"
contains "$out" "mlp,colour,,red,,,,none of ours"
contains "$out" "wonder,width,hidden,1,,,,not here"
expect 0 "$CRUCIBLE" list studies lists --db t.db --json
python3 -c 'import json, sys; a = json.load(sys.stdin)[1]; assert a["kind"] == "settings" and (a["cells"], a["measured"], a["inside"]) == (5, 3, 2), a' \
    <"$work/stdout" || fail "counts of settings: $out"
sed -i 's/log 1e-3 1e-1/log 1e-3/' "$work/studies/lists/settings.csv"
expect 2 "$CRUCIBLE" run lists/table-2 --db settings.db
contains "$errors" "settings.csv:3:"
sed -i 's/,search$/,seek/' "$work/studies/lists/settings.csv"
expect 2 "$CRUCIBLE" run lists/table-2 --db settings.db
contains "$errors" "settings.csv:1: a table of settings has a column 'search'"

# Every artefact that comes with the program can be laid out, and every file of claims be read.
unset CRUCIBLE_STUDIES
expect 0 "$CRUCIBLE" list studies --db t.db --json
[ -z "$errors" ] || fail "list studies: $errors"
[ "$(grep -c '"path":' <<<"$out")" -ge 60 ] || fail "artefacts are missing: $out"
for file in "$SOURCE"/configs/*/claims.ini; do
    expect 0 "$CRUCIBLE" claims "$(basename "$(dirname "$file")")" --db t.db
done
