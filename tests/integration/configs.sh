# SPDX-License-Identifier: Apache-2.0
# Every experiment that comes with the program is read without a fault, whether or not its data is here. One fault is made
# on purpose, so that nothing is run; it must be the only one that is told.
. "$(dirname "$0")/lib.sh"

told()
{
    expect 2 "$CRUCIBLE" run "$1" --db "$work/none.db" --set experiment.seeds=none
    [ -z "$out" ] || fail "$1 has run: $out"
}

printf '[dataset csbm]\n[algorithm gcn]\nhiden = 3\n' >"$work/wrong.ini"
told "$work/wrong.ini"
[ "$(wc -l <<<"$errors")" = 2 ] || fail "a second fault is not told: $errors"

count=0
for file in "$SOURCE"/configs/*.ini "$SOURCE"/configs/*/*.ini; do
    case $(basename "$file") in # parts of tables, which get their names from the tables
    part-*.ini | whole-*.ini | hops-*.ini | search-[0-9fo]*.ini) ;;
    *) grep -q '^name  *=' "$file" || continue ;; # a part that others include
    esac
    told "$file"
    [ "$errors" = "--set experiment.seeds=none: seeds: 'none' is not a whole number of at least 0" ] ||
        fail "$file: $errors"
    count=$((count + 1))
done
[ "$count" -gt 20 ] || fail "only $count experiments found"

# So is every artefact of the studies.
expect 0 "$CRUCIBLE" list studies
[ -z "$errors" ] || fail "list studies: $errors"
