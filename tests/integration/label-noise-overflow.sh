# SPDX-License-Identifier: Apache-2.0
# A run of the label noise study whose loss overflows is scored, as the study does, and fails where one asks for that.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

cat >overflow.ini <<INI
include = $SOURCE/configs/noisygl/protocol.ini
[experiment]
name       = overflow
seeds      = 0
corruptors = uniform
metrics    = accuracy
[dataset csbm]
nodes = 200
[split]
scheme = stratified
[algorithm crgnn]
stable = no
tau    = 0.01
lr     = 0.5
epochs = 20
INI

expect 0 "$CRUCIBLE" run overflow.ini --db kept.db --quiet
sqlite3 kept.db "SELECT outcome, value BETWEEN 0 AND 1 FROM trial JOIN number ON number.trial = trial.id
    WHERE name = 'accuracy'" | grep -qx '1|1' ||
    fail "no score: $(sqlite3 kept.db 'SELECT outcome, message FROM trial')"

"$CRUCIBLE" run overflow.ini --db failed.db --quiet --set monitor.nonfinite=fail >/dev/null 2>&1
sqlite3 failed.db "SELECT count(*) FROM trial WHERE outcome = 1" | grep -qx 0 || fail "nothing overflowed"
