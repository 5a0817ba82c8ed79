# SPDX-License-Identifier: Apache-2.0
# A store on a disk of other machines, as statfs would tell (a library says so in its place): a rollback journal instead of a
# log that only one machine may map, for one process at a time, with the same results; also when that one is killed.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

if ldd "$CRUCIBLE" 2>/dev/null | grep -q libasan; then
    echo "SKIP: a sanitizer wants to be the first library"
    exit 0
fi
cat >disk.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/vfs.h>
int statfs(const char *path, struct statfs *info)
{
    int (*real)(const char *, struct statfs *) = (int (*)(const char *, struct statfs *))dlsym(RTLD_NEXT, "statfs");
    int result = real(path, info);
    info->f_type = strtol(getenv("DISK_KIND"), NULL, 16);
    return result;
}
C
cc -shared -fPIC disk.c -o disk.so || fail "no compiler"

cat >e.ini <<'INI'
[experiment]
name    = e
seeds   = 0..9
metrics = accuracy
[dataset csbm]
nodes   = 60
[algorithm mlp]
[monitor]
epochs  = 3
INI
on() { local kind=$1; shift; LD_PRELOAD=$work/disk.so DISK_KIND=$kind "$@"; }

expect 0 "$CRUCIBLE" run e.ini --db local.db --quiet
[ "$(sqlite3 local.db 'PRAGMA journal_mode')" = wal ] || fail "a store of this machine has no log"
for kind in 6969 0bd00bd0 47504653 ff534d42; do # NFS, Lustre, GPFS, CIFS
    expect 0 on $kind "$CRUCIBLE" run e.ini --db $kind.db --quiet
    [ "$(sqlite3 $kind.db 'PRAGMA journal_mode')" = delete ] || fail "$kind: a log in shared memory"
    [ ! -e $kind.db-wal ] && [ ! -e $kind.db-shm ] || fail "$kind: left $(ls $kind.db*)"
    expect 0 "$CRUCIBLE" diff local.db $kind.db
done

# One that was written on a disk of this machine and then moved there.
cp local.db moved.db
expect 0 on 6969 "$CRUCIBLE" run e.ini --set experiment.seeds=0..11 --db moved.db --quiet
[ "$(sqlite3 moved.db 'PRAGMA journal_mode')" = delete ] || fail "a store that was moved keeps its log"
expect 0 on 6969 "$CRUCIBLE" report e --db moved.db

# Killed in the middle, it goes on where it was.
on 6969 "$CRUCIBLE" run e.ini --set experiment.seeds=0..99 --db killed.db --quiet >/dev/null 2>&1 &
until [ "$(sqlite3 -readonly killed.db 'SELECT count(*) FROM trial WHERE outcome = 1' 2>/dev/null || echo 0)" -gt 0 ] ||
    ! kill -0 $! 2>/dev/null || [ -s killed.db ]; do :; done
kill -9 $! 2>/dev/null
wait $! 2>/dev/null
expect 0 on 6969 "$CRUCIBLE" run e.ini --set experiment.seeds=0..99 --db killed.db --quiet
[ "$(sqlite3 killed.db 'SELECT count(*) FROM trial WHERE outcome = 1; PRAGMA integrity_check' | tr '\n' ' ')" = "100 ok " ] ||
    fail "after a kill: $(sqlite3 killed.db 'SELECT outcome, count(*) FROM trial GROUP BY 1; PRAGMA integrity_check')"
