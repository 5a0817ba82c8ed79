# SPDX-License-Identifier: Apache-2.0
# What corruptors did is among the results, and the same whatever learns from it, on however many cores.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

cat >nodes.ini <<'INI'
[experiment]
name       = nodes
seeds      = 0..1
corruptors = class-imbalance, uniform | local-topology | global-topology | instance | structural | adversarial-flip |
             add-edges, rewire-edges, drop-edges | feature-noise | label-scarcity
[dataset csbm]
[corruptor class-imbalance]
rho = 5
[corruptor global-topology]
draws = 5
[algorithm mlp]
epochs = 2
[algorithm sgc]
epochs = 2
[split]
scheme = stratified
INI

cat >graphs.ini <<'INI'
[experiment]
name       = graphs
seeds      = 0
corruptors = graph-class-imbalance | graph-topology
[dataset graph-motifs]
[algorithm gin]
epochs = 1
INI

cat >sets.ini <<'INI'
[experiment]
name       = sets
seeds      = 0
corruptors = uss | fps, candidate-noise | complementary | instance-candidates
[monitor]
rule = covering-rate
[dataset blobs]
[corruptor instance-candidates]
epochs = 2
[algorithm mlp]
epochs = 2
INI

cat >clean.ini <<'INI'
[experiment]
name       = clean
seeds      = 0
corruptors = fps, clean-validation
[monitor]
rule = last
[dataset blobs]
[algorithm mlp]
epochs = 2
INI

# results DB JOBS THREADS: every trial's corruptors, dataset, seed and what the corruptors reported, sorted.
results()
{
    for file in nodes graphs sets clean; do
        OMP_NUM_THREADS=$3 "$CRUCIBLE" run $file.ini --db "$1" --jobs "$2" --json || fail "$file.ini"
    done | sed -n 's/.*"event":"trial"/&/p'
}

results one.db 1 1 >one.json
results two.db 2 2 >two.json
grep -v '"outcome":"ok"' one.json && fail "a trial has no result"

# Every corruptor reports what it did.
for name in class-imbalance.imbalance_ratio class-imbalance.train_counts uniform.noise_rate uniform.confusion \
    local-topology.degree_imbalance_ratio global-topology.place_imbalance_ratio instance.noise_rate \
    structural.noise_rate add-edges.edges_added rewire-edges.edges_rewired drop-edges.edges_lost \
    feature-noise.features_lost label-scarcity.train_after graph-class-imbalance.imbalance_ratio \
    graph-topology.size_imbalance_ratio uss.candidates fps.candidates candidate-noise.noise_rate \
    complementary.candidates instance-candidates.auxiliary_accuracy clean-validation.train_after; do
    grep -q "\"$name" one.json || fail "$name is not among the results"
done

# So are they in the store: one matrix of 2 seeds, 2 algorithms.
python3 - one.db <<'PY' || fail "the store lacks what corruptors reported"
import sqlite3, sys
store = sqlite3.connect(sys.argv[1])
matrices = [len(row[0]) // 8 for row in store.execute("SELECT data FROM vector WHERE name = 'uniform.confusion'")]
rates = store.execute("SELECT count(*) FROM number WHERE name = 'uniform.noise_rate'").fetchone()[0]
sys.exit(not (len(matrices) == rates == 4 and min(matrices) == max(matrices) > 1))
PY

# Damage that deals out the items to test on anew says so below the table; damage that keeps them does not.
expect 0 "$CRUCIBLE" report nodes --db one.db
contains "$out" "with a split of its own instead of that of [split]"
contains "$out" "class-imbalance"
expect 0 "$CRUCIBLE" report nodes --db one.db --where corruptor=instance,structural,feature-noise
case "$out" in *"split of its own"*) fail "a split that was kept is called a new one: $out" ;; esac

# The numbers of corruptors, without those of methods, by trial.
damage()
{
    python3 - "$1" "$2" <<'PY'
import json, sys
path, by_method = sys.argv[1], sys.argv[2] == "method"
for line in sorted(open(path)):
    trial = json.loads(line)
    names = trial["corruptor"].split("+")
    told = [(k, v) for part in ("numbers", "vectors") for k, v in trial[part].items() if k.split(".")[0] in names]
    print(trial["dataset"], trial["corruptor"], trial["seed"], trial["algorithm"] if by_method else "", told)
PY
}
[ "$(damage one.json method | sort)" = "$(damage two.json method | sort)" ] || fail "damage depends on jobs or threads"

# mlp and sgc met the same damage: without their names every line stands twice.
damage one.json none | grep '^csbm' | sort | uniq -c | grep -v '^ *2 ' && fail "damage depends on the algorithm"
exit 0
