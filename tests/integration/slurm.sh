# SPDX-License-Identifier: Apache-2.0
# 200 trials over two nodes of a real Slurm give the bits of one machine; so they do when a task is cancelled, one is
# requeued, a node's daemon is killed and a node is drained, once the same command was given again.
. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/cluster/slurm.sh"
cd "$work" || exit 1

if ! slurm_start "$work/slurm"; then
    echo "SKIP: no Slurm can be started here: $slurm_why"
    slurm_stop "$work/slurm"
    exit 0
fi
trap 'scancel --quiet --user=root 2>/dev/null; slurm_stop "$work/slurm"; rm -rf "$work"' EXIT

cat >e.ini <<'INI'
[experiment]
name    = e
seeds   = 0..49
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
[algorithm gcn]
[monitor]
epochs  = 5
INI

# What could not be launched while a node's daemon was gone, Slurm holds until an administrator lets it go.
queue_is_empty()
{
    local job why
    squeue -h -o '%i %r' 2>/dev/null | while read -r job why; do
        case $why in *held*) scontrol release "$job" 2>/dev/null ;; esac
    done
    ! squeue -h 2>/dev/null | grep -q .
}
settle() { slurm_until queue_is_empty || fail "the queue does not empty: $(squeue)"; }
compare() # STORE
{
    expect 0 "$CRUCIBLE" diff all.db "$1"
    contains "$out" "200 trials in both, 0 with other numbers, 0 with another outcome; 0 only in all.db, 0 only in $1"
}

expect 0 "$CRUCIBLE" run e.ini --db all.db --quiet

# As it should be. The site allows arrays of 4 tasks, so that 6 make two.
expect 0 "$CRUCIBLE" submit e.ini --db good.db --tasks 6
contains "$out" "submitted 200 trials in 6 tasks of 2 arrays"
expect 0 "$CRUCIBLE" submit e.ini --db good.db
contains "$out" "nothing to submit: "
settle
expect 0 "$CRUCIBLE" status --db good.db --json
contains "$out" '"done":	6'
compare good.db
expect 0 "$CRUCIBLE" submit e.ini --db good.db
contains "$out" "nothing to submit: every trial has a result"

# With every fault.
expect 0 "$CRUCIBLE" submit e.ini --db bad.db --tasks 8
job=$(head -1 bad.shards/1/jobs | cut -d' ' -f1)
scontrol update nodename=n2 state=drain reason=test
scancel "${job}_3"
scontrol requeue "${job}_0" 2>/dev/null
kill -9 "$(cat slurm/slurmd-n1.pid)"
slurm_node n1
scontrol update nodename=n2 state=resume
settle
for round in 1 2 3; do
    expect 0 "$CRUCIBLE" submit e.ini --db bad.db --tasks 2
    case $out in *"every trial has a result"*) break ;; esac
    settle
done
contains "$out" "every trial has a result"
compare bad.db

# More trials of the same experiment: only these are submitted.
expect 0 "$CRUCIBLE" submit e.ini --db good.db --set experiment.seeds=0..59 --tasks 1
contains "$out" "submitted 40 trials in 1 tasks"
settle
expect 0 "$CRUCIBLE" report e --db good.db
echo ok
