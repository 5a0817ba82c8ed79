# SPDX-License-Identifier: Apache-2.0
# A Slurm of two nodes on one machine, in a folder of its own, without systemd and control groups:
#   . slurm.sh;  slurm_start FOLDER || echo "$slurm_why";  ...;  slurm_stop FOLDER
# All daemons are ended by the pids that they wrote. Ports are chosen from the shell's pid.

slurm_why=

slurm_can()
{
    local program
    for program in munged mungekey slurmctld slurmd sbatch squeue scontrol; do
        PATH=$PATH:/usr/sbin command -v "$program" >/dev/null || { slurm_why="no $program"; return 1; }
    done
    [ "$(id -u)" = 0 ] || { slurm_why="not root"; return 1; }
    # Its daemons ask for addresses of the families that this machine has, and loopback's do not count.
    getent ahostsv4 127.0.0.1 >/dev/null || { slurm_why="this machine has no address but 127.0.0.1"; return 1; }
}

# A job that is requeued waits as long as credentials are valid, which is 2 minutes if nothing is said.
slurm_conf() # FOLDER PORT
{
    cat <<CONF
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$2
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$1/munge/socket,cred_expire=20
StateSaveLocation=$1/state
SlurmdSpoolDir=$1/spool-%n
SlurmctldPidFile=$1/slurmctld.pid
SlurmdPidFile=$1/slurmd-%n.pid
SlurmctldLogFile=$1/slurmctld.log
SlurmdLogFile=$1/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=0
MpiDefault=none
MailProg=/bin/true
ReturnToService=2
MaxArraySize=4
KillWait=5
SlurmdTimeout=20
SlurmdParameters=config_overrides
NodeName=n1 NodeHostname=localhost NodeAddr=127.0.0.1 Port=$(($2 + 1)) CPUs=1 RealMemory=8000
NodeName=n2 NodeHostname=localhost NodeAddr=127.0.0.1 Port=$(($2 + 2)) CPUs=1 RealMemory=8000
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
}

# until CONDITION...: true as soon as the command is, false after so many tries that something must be wrong.
slurm_until()
{
    local tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ "$tries" -lt 2400 ] || return 1
        read -r -t 0.1 <>"$slurm_folder/never" || true
    done
}

slurm_is_up()
{
    [ "$(sinfo -h -N -o '%T' 2>/dev/null | grep -c '^idle')" = 2 ]
}

slurm_node() # NAME
{
    /usr/sbin/slurmd -N "$1"
}

slurm_start() # FOLDER
{
    slurm_can || return 1
    slurm_folder=$1
    mkdir -p "$1/munge" "$1/state" "$1/spool-n1" "$1/spool-n2"
    mkfifo "$1/never"
    slurm_conf "$1" $((20000 + $$ % 20000)) >"$1/slurm.conf"
    printf 'CgroupPlugin=cgroup/v1\n' >"$1/cgroup.conf"
    export SLURM_CONF=$1/slurm.conf
    chmod 0711 "$1"
    chmod 0755 "$1/munge"
    mungekey --create --keyfile="$1/munge/key" 2>"$1/munge.txt" || PATH=$PATH:/usr/sbin mungekey --create --keyfile="$1/munge/key"
    /usr/sbin/munged --socket="$1/munge/socket" --key-file="$1/munge/key" --pid-file="$1/munge/munged.pid" \
        --log-file="$1/munge/munged.log" --seed-file="$1/munge/seed" --force 2>"$1/munge.txt" ||
        { slurm_why="munged: $(cat "$1/munge.txt")"; return 1; }
    /usr/sbin/slurmctld 2>"$1/ctld.txt" || { slurm_why="slurmctld: $(cat "$1/ctld.txt")"; return 1; }
    slurm_node n1
    slurm_node n2
    slurm_until slurm_is_up || { slurm_why="no node answers: $(tail -2 "$1"/slurmd-*.log)"; return 1; }
}

slurm_is_gone() # PID
{
    ! kill -0 "$1" 2>/dev/null
}

# Waits for each, since one that still writes its state keeps the folder from being removed.
slurm_stop() # FOLDER
{
    local file pid
    for file in "$1"/slurmd-*.pid "$1"/slurmctld.pid "$1"/munge/munged.pid; do
        pid=$(cat "$file" 2>/dev/null) && kill "$pid" 2>/dev/null && slurm_until slurm_is_gone "$pid"
    done
    return 0
}
