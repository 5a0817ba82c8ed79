# SPDX-License-Identifier: Apache-2.0
# A store of a stranger: its words reach no terminal, page or spreadsheet as they are, its programs are not run, and
# numbers that none of ours holds crash nothing.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

cat >e.ini <<'INI'
[experiment]
name    = e
seeds   = 0..1
metrics = accuracy
[dataset csbm]
nodes   = 60
[algorithm mlp]
[algorithm gcn]
[monitor]
epochs  = 3
[run]
curves  = yes
INI
expect 0 "$CRUCIBLE" run e.ini --db good.db --quiet
key=$(sqlite3 good.db 'SELECT min(key) FROM trial')

# ---- words ----
# ESC and BEL, C1 in UTF-8 and as a byte, marks that turn a line round, HTML, a cell that a spreadsheet runs
words="char(27) || ']0;OWNED' || char(7, 155) || '31m' || char(8238) || '</script><img src=x onerror=alert(1)>\"''' \
|| CAST(x'9b' AS TEXT) || '2J' || char(127)"
cp good.db bad.db
sqlite3 bad.db "
PRAGMA foreign_keys = off;
UPDATE experiment SET name = name || $words, config = '; ' || $words || char(10) || config;
UPDATE experiment_metric SET name = name || $words;
UPDATE environment SET description = description || $words;
UPDATE trial SET canonical = canonical || $words, message = '=cmd()' || $words;
UPDATE member SET alias = '=cmd()' || $words || rowid FROM trial WHERE trial.id = trial;
UPDATE setting SET value = value || $words WHERE name <> 'seed';
UPDATE number SET name = name || $words;
UPDATE curve SET name = name || $words WHERE name = 'loss';
INSERT OR REPLACE INTO log SELECT id, 'line' || char(10) || $words FROM trial;" || fail "the store cannot be changed"

harmless() # COMMAND...: ends as it may, and writes no control character
{
    local code=0
    "$@" >stdout 2>stderr </dev/null || code=$?
    [ "$code" -le 3 ] || fail "exit code $code: $*"
    ! LC_ALL=C grep -aqP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|(^|[\x00-\x7f])[\x80-\x9f]' stdout stderr ||
        fail "control characters of $*: $(cat -v stdout stderr | head -40)"
}

for format in text markdown latex csv json html; do
    harmless "$CRUCIBLE" report --db bad.db --format $format
    case $format in markdown | html) lacks "$(cat stdout)" '<img' ;; esac
done
lacks "$(cat stdout)" '</script><'
harmless "$CRUCIBLE" show --db bad.db
contains "$(cat stdout)" 'e?]0;OWNED'
name=$(sqlite3 bad.db 'SELECT name FROM experiment')
for what in "$name" "$key"; do
    harmless "$CRUCIBLE" show "$what" --db bad.db
    contains "$(cat stdout)" '=cmd()?]0;OWNED'
    harmless "$CRUCIBLE" show "$what" --db bad.db --json
done
harmless "$CRUCIBLE" show "$key" --db bad.db
contains "$(cat stdout)" '?]0;OWNED'
for format in csv jsonl; do harmless "$CRUCIBLE" export --db bad.db --format $format; done
"$CRUCIBLE" export --db bad.db >cells
! grep -q '\(^\|,\)"\?=cmd' cells || fail "a cell that a spreadsheet runs: $(head -2 cells)"
if command -v node >/dev/null; then # what the page saves
    "$CRUCIBLE" report --db bad.db --format html | grep '^const \(guarded\|quoted\|field\) = ' >page.js
    echo 'console.log(["=1+1", "-2.5", "-2 ± 1", "@x,y", "plain"].map(field).join(" "))' >>page.js
    [ "$(node page.js)" = "'=1+1 -2.5 '-2 ± 1 \"'@x,y\" plain" ] || fail "the page saves $(node page.js)"
else
    echo "SKIP: no node: what the page saves as CSV"
fi
harmless "$CRUCIBLE" diff good.db bad.db
harmless "$CRUCIBLE" diff bad.db good.db --json
harmless "$CRUCIBLE" merge both.db bad.db good.db
harmless "$CRUCIBLE" run e.ini --db bad.db
for kind in curve ranks box; do
    rm -f out.svg
    harmless "$CRUCIBLE" plot $kind --db bad.db --out out.svg
    [ ! -e out.svg ] || lacks "$(cat out.svg)" '<img'
done

# ---- programs ----
cp good.db view.db
sqlite3 view.db "ALTER TABLE number RENAME TO hidden; CREATE VIEW number(trial, name, value) AS WITH RECURSIVE endless(x) AS
(SELECT 1 UNION ALL SELECT x + 1 FROM endless) SELECT trial, name, value FROM hidden, endless"
cp good.db trigger.db
sqlite3 trigger.db "CREATE TRIGGER t AFTER UPDATE ON trial BEGIN DELETE FROM number; END"
for kind in view trigger; do
    expect 1 "$CRUCIBLE" report --db $kind.db
    contains "$errors" "$kind.db: has the $kind '"
    expect 1 "$CRUCIBLE" run e.ini --db $kind.db
    expect 3 "$CRUCIBLE" merge whole.$kind.db good.db $kind.db
    contains "$errors" "passed over"
done

# ---- numbers ----
strange() # NAME SQL
{
    cp good.db "$1.db"
    sqlite3 "$1.db" "PRAGMA foreign_keys = off; $2" || fail "the store cannot be changed: $2"
    for command in report show "show e" "show e:0" export "report --format html"; do
        harmless "$CRUCIBLE" $command --db "$1.db"
    done
    harmless "$CRUCIBLE" diff good.db "$1.db"
    rm -f merged.db
    harmless "$CRUCIBLE" merge merged.db good.db "$1.db"
}
strange outcomes "UPDATE trial SET outcome = 99 WHERE id % 2; UPDATE trial SET outcome = -5 WHERE NOT id % 2"
strange extremes "UPDATE trial SET seconds_total = -1e308, peak_bytes = -9223372036854775808, best_epoch = 9223372036854775807"
strange curves "UPDATE curve SET data = x'00', epochs = zeroblob(801) WHERE name = 'loss'"
strange texts "UPDATE number SET value = 'text'; UPDATE setting SET value = x'ff00ff'"
