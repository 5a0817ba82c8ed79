# SPDX-License-Identifier: Apache-2.0
# The five manipulators of imbalance on a user's own data: nodes of the example of two CSV files, graphs of a card beside
# text files. Each deals out a split of its own and says what ratio it reached, with our generator and with the study's.
. "$(dirname "$0")/lib.sh"
unset CRUCIBLE_MIRROR
export XDG_DATA_HOME=$work/data
cp -r "$SOURCE/datasets/examples/own-graph" "$work/own"
cd "$work" || exit 1

# Forty rings and forty stars of 3 to 22 nodes: files of the TU format and a card.
mkdir rings
awk 'BEGIN {
    node = 0
    for (g = 0; g < 80; g++) {
        size = 3 + int(g / 2) % 20; star = g % 2
        print star > "rings/labels.txt"
        for (k = 0; k < size; k++) {
            print g + 1 > "rings/of.txt"
            to = star ? 0 : (k + 1) % size
            if (star && !k) continue
            printf "%d, %d\n%d, %d\n", node + k + 1, node + to + 1, node + to + 1, node + k + 1 > "rings/edges.txt"
        }
        for (k = 0; k < size; k++) print k == 0 > "rings/kinds.txt"
        node += size
    }
}'
cat >rings/rings.ini <<'INI'
[dataset]
name   = rings
title  = Rings and stars
format = tu
task   = graphs
[files]
edges           = edges.txt
graph-indicator = of.txt
graph-labels    = labels.txt
node-labels     = kinds.txt
INI

# experiment NAME CARD METHOD CORRUPTORS RNG: settings of the corruptors come from standard input.
experiment()
{
    {
        printf '[experiment]\nname = %s\nseeds = 0..1\nmetrics = accuracy\ncorruptors = %s\n' "$1" "$4"
        printf '[dataset %s]\n[split]\nscheme = percent\n[algorithm %s]\nepochs = 2\n' "$2" "$3"
        sed "s/RNG/$5/"
    } >"$1.ini"
    "$CRUCIBLE" run "$1.ini" --db "$1.db" --json >"$1.json" 2>stderr || fail "$1: $(cat stderr)"
    grep '"event":"trial"' "$1.json" >"$1.trials"
    ! grep -v '"outcome":"ok"' "$1.trials" || fail "$1: a trial has no result"
}

# says NAME CORRUPTOR TEXT: both of its trials report that.
says()
{
    [ "$(grep "\"corruptor\":\"$2\"" "$1.trials" | grep -c "\"$2.$3")" = 2 ] ||
        fail "$1: $2 does not say $3: $(cat "$1.trials")"
}

for rng in philox study; do
    experiment "nodes-$rng" own/own-graph.ini mlp 'class-imbalance | local-topology | global-topology' $rng <<'INI'
[corruptor class-imbalance]
rho   = 3
train = 0.5
rng   = RNG
[corruptor local-topology]
level = high
train = 0.4
rng   = RNG
[corruptor global-topology]
train = 0.2
draws = 5
rng   = RNG
INI
    # 22 people in one of two circles. n = 11, mu = 3: 11 * 3 * (3 - 1) / (3 * 3 - 1) = 8.25 and 2.75
    says "nodes-$rng" class-imbalance 'train_counts":.8,3.'
    says "nodes-$rng" class-imbalance 'imbalance_ratio":2.666'
    # floor(0.4 * 22 / 2) = 4 a circle, floor(0.3 * 4) = 1 of them a head, of which rowing has none
    says "nodes-$rng" local-topology 'train_counts":.4,3.'
    says "nodes-$rng" local-topology 'degree_imbalance_ratio":[1-9]'
    # floor(0.2 * 22 / 2) = 2 a circle
    says "nodes-$rng" global-topology 'train_counts":.2,2.'
    says "nodes-$rng" global-topology 'reaching_coefficient":[0-9]'
    says "nodes-$rng" global-topology 'squashing_coefficient":-*[0-9]'

    experiment "graphs-$rng" rings/rings.ini gin 'graph-class-imbalance | graph-topology' $rng <<'INI'
[corruptor graph-class-imbalance]
train = 0.3
rng   = RNG
[corruptor graph-topology]
train = 0.3
rng   = RNG
INI
    # n = 24, floor(0.7 * 24) = 16
    says "graphs-$rng" graph-class-imbalance 'train_counts":.8,16.'
    says "graphs-$rng" graph-class-imbalance 'imbalance_ratio":2[,}]'
    # round(0.3 * 80 / 2) = 12 a class; the rank floor(0.2 * 80) = 16 from the top has size 19 - 1
    says "graphs-$rng" graph-topology 'train_counts":.12,12.'
    says "graphs-$rng" graph-topology 'head_size":19[,}]'
    says "graphs-$rng" graph-topology 'size_imbalance_ratio":[1-9]'
done
