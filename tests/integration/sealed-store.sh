# SPDX-License-Identifier: Apache-2.0
# Reports of a store on a medium that cannot be written. Needs a mount of its own, which a namespace gives without rights.
. "$(dirname "$0")/lib.sh"

if [ $# = 0 ]; then
    for rights in "" --map-root-user; do
        unshare --mount $rights true 2>/dev/null || continue
        unshare --mount $rights bash "$0" inside
        exit
    done
    echo "SKIPPED: no mount can be made here" >&2
    exit 0
fi

mkdir "$work/plugins" "$work/medium"
cp "$BUILD"/tests/plugins/{runner-secret,runner-accuracy,good-algorithm}.so "$work/plugins/"
export CRUCIBLE_PLUGIN_PATH=$work/plugins
cd "$work" || exit 1
printf '[experiment]\nmetrics = runner-accuracy\n[dataset runner-secret]\n[algorithm good-algorithm]\n' >good.ini

mount -t tmpfs none medium || { echo "SKIPPED: no mount can be made here" >&2; exit 0; }
trap 'cd /; umount "$work/medium"; rm -rf "$work"' EXIT
store="medium/50% of?it #1.db" # as an URI would spell it otherwise
expect 0 "$CRUCIBLE" run good.ini --quiet --db "$store"
expect 0 "$CRUCIBLE" report --db "$store"
before=$out
rm -f "$store"-*
# A log that was not written back, as a killed run leaves it: SQLite keeps it while a reader has the file open.
cp "$store" medium/logged.db
sqlite3 medium/logged.db "PRAGMA wal_autocheckpoint = 0" "UPDATE trial SET seconds_total = 1" ".shell cp medium/logged.db-wal kept"
cp kept medium/logged.db-wal
rm -f medium/logged.db-shm
mount -o remount,ro none medium || fail "cannot remount"

expect 0 "$CRUCIBLE" report --db "$store"
[ "$out" = "$before" ] || fail "the sealed store says something else: $out"
expect 1 "$CRUCIBLE" report --db medium/logged.db
contains "$errors" "beside it is a log (-wal) with more results"
[ "$(wc -l <<<"$errors")" = 1 ] || fail "not one line: $errors"
expect 1 "$CRUCIBLE" run good.ini --db "$store"
[ "$(wc -l <<<"$errors")" = 1 ] || fail "not one line: $errors"
contains "$errors" "$store"
expect 1 "$CRUCIBLE" report --db medium/none.db
contains "$errors" "medium/none.db"
