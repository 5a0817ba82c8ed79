# SPDX-License-Identifier: Apache-2.0
# An experiment in shards, merged again: every trial once, the same bits as on one machine; and what merging refuses.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

cat >e.ini <<'INI'
[experiment]
name    = e
seeds   = 0..4
metrics = accuracy
[dataset csbm]
nodes   = 120
[split]
scheme  = percent
train   = 0.3
val     = 0.2
[corruptor uniform]
rate    = 0, 0.4
[algorithm mlp]
hidden  = 8, 16
[algorithm gcn]
[monitor]
rule    = validation, last
epochs  = 5
INI

expect 0 "$CRUCIBLE" run e.ini --db all.db --quiet
expect 0 "$CRUCIBLE" report e --db all.db --format csv
whole=$out

for n in 1 3 7; do
    for i in $(seq "$n"); do expect 0 "$CRUCIBLE" run e.ini --shard "$i/$n" --db "part.db" --quiet; done
    expect 0 "$CRUCIBLE" merge "m$n.db" part.*-of-"$n".db
    contains "$out" "60 trials, 60 of them new, 60 results taken over; 0 results in two stores"
    expect 0 "$CRUCIBLE" diff all.db "m$n.db"
    contains "$out" "60 trials in both, 0 with other numbers, 0 with another outcome; 0 only in all.db, 0 only in m$n.db"
    expect 0 "$CRUCIBLE" report e --db "m$n.db" --format csv
    [ "$out" = "$whole" ] || fail "the report of $n merged shards is another one"
done

# More shards than trainings: some have nothing to do, which is no failure.
for i in $(seq 40); do expect 0 "$CRUCIBLE" run e.ini --shard "$i/40" --db many.db --quiet; done
mkdir stores && mv many.*.db stores
expect 0 "$CRUCIBLE" merge many.db stores
contains "$out" "40 of 40 stores merged; 60 trials, 60 of them new"
expect 0 "$CRUCIBLE" diff all.db many.db
contains "$out" "60 trials in both, 0 with other numbers"

# By the times of a store; the same division every time.
for i in 1 2; do expect 0 "$CRUCIBLE" run e.ini --shard "$i/2" --costs all.db --db timed.db --quiet; done
expect 0 "$CRUCIBLE" merge timed.db timed.*-of-2.db
contains "$out" "60 trials, 60 of them new"

# A search stays in one shard.
for i in 1 2 3; do
    expect 0 "$CRUCIBLE" run e.ini --set search.method=random --set search.trials=3 --set monitor.rule=last \
        --set 'algorithm.mlp.hidden=search(one-of 8 16)' --set experiment.algorithms=mlp --shard "$i/3" --db s.db --quiet
done
expect 0 "$CRUCIBLE" merge s.db s.*-of-3.db
expect 0 "$CRUCIBLE" run e.ini --set search.method=random --set search.trials=3 --set monitor.rule=last \
    --set 'algorithm.mlp.hidden=search(one-of 8 16)' --set experiment.algorithms=mlp --db alone.db --quiet
expect 0 "$CRUCIBLE" diff alone.db s.db
contains "$out" "0 with other numbers, 0 with another outcome; 0 only in alone.db, 0 only in s.db"

# Merging twice changes nothing; a run after a merge has nothing to do.
cp m3.db before.db
expect 0 "$CRUCIBLE" merge m3.db part.*-of-3.db
contains "$out" "0 of them new, 0 results taken over; 60 results in two stores, 60 of them the same bits"
expect 0 "$CRUCIBLE" diff before.db m3.db
expect 0 "$CRUCIBLE" run e.ini --db m3.db
contains "$errors" "0 of 60 trials run"

# Another result for the same trial is named.
cp part.1-of-3.db other.db
sqlite3 other.db "UPDATE number SET value = value + 0.5 WHERE name = 'accuracy' AND trial = (SELECT min(trial) FROM number)"
expect 3 "$CRUCIBLE" merge m3.db other.db
contains "$errors" "other.db: trial "
contains "$errors" "has another result there: accuracy"
expect 1 "$CRUCIBLE" merge --strict m3.db other.db
contains "$errors" "1 trials have other results in another store; m3.db is as it was"

# A damaged input is named and passed over, or with --strict refused; nothing is made of nothing.
head -c 9000 all.db >bad.db
expect 3 "$CRUCIBLE" merge new.db bad.db all.db
contains "$errors" "bad.db: "
contains "$errors" "; passed over"
expect 1 "$CRUCIBLE" merge --strict none.db all.db bad.db
[ ! -e none.db ] || fail "a refused merge left a store"
echo text >text.db
expect 1 "$CRUCIBLE" merge none.db text.db
expect 2 "$CRUCIBLE" merge all.db all.db
contains "$errors" "is to be merged into itself"
[ -z "$(find . -name '*.merging-*')" ] || fail "a merge left its file"

# Killed in the middle, whenever that is, OUT is as it was or whole.
for k in $(seq 8); do
    rm -f k.db*
    "$CRUCIBLE" merge k.db part.*-of-7.db >/dev/null 2>&1 &
    [ "$k" = 1 ] || for _ in $(seq $((k * 40))); do :; done
    kill -9 $! 2>/dev/null
    wait $! 2>/dev/null
    [ ! -e k.db ] || { expect 0 "$CRUCIBLE" diff all.db k.db; contains "$out" "60 trials in both"; }
done

expect 2 "$CRUCIBLE" run e.ini --shard 8/7
contains "$errors" "--shard 8/7: not a part of so many, as 3/7"
expect 2 "$CRUCIBLE" run e.ini --costs all.db
contains "$errors" "--costs and --plan are for --shard"
expect 1 "$CRUCIBLE" status --db all.db
contains "$errors" "nothing was submitted for all.db"

# What would be submitted, without a cluster.
expect 0 "$CRUCIBLE" submit e.ini --dry-run --db dry.db --tasks 3 --partition p --max-parallel 2 -- --account=me
contains "$out" "#SBATCH --array=0-2%2"
contains "$out" "#SBATCH --partition=p"
contains "$out" "#SBATCH --account=me"
[ ! -e dry.shards ] || fail "a dry run left files"
lacks "$out" "--gres"
cuda="--set run.device=cuda --set run.sandbox=off"
if [ -n "$(find "$BUILD" -name backend-cuda.so)" ]; then
    expect 0 "$CRUCIBLE" submit e.ini --dry-run --db dry.db --tasks 3 $cuda
    contains "$out" "#SBATCH --gres=gpu:1"
    expect 0 "$CRUCIBLE" submit e.ini --dry-run --db dry.db --tasks 3 $cuda -- --gres=gpu:a100:2
    lacks "$out" "gpu:1"
    contains "$out" "#SBATCH --gres=gpu:a100:2"
else # the tasks would run this program, which cannot
    expect 1 "$CRUCIBLE" submit e.ini --dry-run --db dry.db --tasks 3 $cuda
    contains "$errors" "device = cuda: there is no backend plugin of that name"
fi
expect 2 "$CRUCIBLE" submit e.ini --engine pbs
contains "$errors" "--engine pbs: only slurm is known"
