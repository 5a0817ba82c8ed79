# SPDX-License-Identifier: Apache-2.0
# What `crucible stats --taxonomy` says of graphs that are made to be of a kind.
. "$(dirname "$0")/lib.sh"

cat >"$work/fast.ini" <<'END'
[experiment]
seeds = 0..2
[search]
method = none
[algorithm gcn]
lr = 0.05
weight_decay = 5e-4
[algorithm sgc as sgc-1]
weight_decay = 5e-4
[algorithm mlp as mlp-2]
lr = 0.05
weight_decay = 5e-4
[algorithm mlp as mlp-1]
weight_decay = 5e-4
[monitor]
epochs = 60
END

taxonomy()
{
    expect 0 "$CRUCIBLE" stats csbm --taxonomy --config "$work/fast.ini" --db "$work/kinds.db" --set nodes=300 "$@"
}

taxonomy --set homophily=0.95 --set signal=1
contains "$out" "csbm is homophilic"
contains "$out" "Wilcoxon"

# neighbours are of all classes alike and features tell everything: the graph only blurs
taxonomy --set homophily=0.25 --set signal=3 --json
contains "$out" '"kind":	"malignant"'
contains "$out" '"metric":	"accuracy"'

# a user's own card: 30 of the 32 links whose two circles are known stay inside one
expect 0 "$CRUCIBLE" stats "$SOURCE/datasets/examples/own-graph/own-graph.ini" --taxonomy --config "$work/fast.ini" \
    --db "$work/own.db"
contains "$out" "own-graph.ini is homophilic"
contains "$out" "edge-homophily  0.9375"

expect 2 "$CRUCIBLE" stats csbm --db "$work/kinds.db"
contains "$errors" "--db is for --taxonomy"
expect 2 "$CRUCIBLE" stats csbm --taxonomy --seed 3
contains "$errors" "seeds of its own"
