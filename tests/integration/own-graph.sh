# SPDX-License-Identifier: Apache-2.0
# A user's own graph, two CSV files and a card of ten lines, through every method that handles nodes: as classes, as
# anomalies, and with the test nodes hidden until a method has learned.
. "$(dirname "$0")/lib.sh"
unset CRUCIBLE_MIRROR
export XDG_DATA_HOME=$work/data

cp -r "$SOURCE/datasets/examples/own-graph" "$work/own"
cd "$work" || exit 1
[ "$(grep -vc '^;' own/own-graph.ini)" -le 10 ] || fail "the card has more than ten lines"
sed 's/^name .*/name = own-anomalies/; s/^label .*/&\ntask = anomaly/' own/own-graph.ini >own/own-anomalies.ini

# methods TASK: every method that claims it, with commas between them.
methods()
{
    "$CRUCIBLE" list algorithms --json >list.json || fail "list algorithms"
    python3 - "$CRUCIBLE" "$1" list.json <<'PYTHON'
import json, subprocess, sys
program, task, names = sys.argv[1], sys.argv[2], json.load(open(sys.argv[3]))
def tasks(name):
    return json.loads(subprocess.run([program, "info", "algorithm/" + name, "--json"], check=True, capture_output=True).stdout)["tasks"]
print(", ".join(e["name"] for e in names if e["status"] == "ok" and task in tasks(e["name"])))
PYTHON
}

# through NAME CARD TASK VIEW: runs them all for a moment; what has no result is in $lost, a line each.
through()
{
    local list
    list=$(methods "$3")
    [ -n "$list" ] || fail "no method handles $3"
    {
        printf '[experiment]\nname = %s\nmetrics = accuracy\n' "$1"
        printf 'algorithms = %s\n' "${list//, /,$'\n'  }" # one a line: lines are short
        printf '[dataset own/%s.ini]\n[split]\nscheme = percent\ntrain = 0.5\nval = 0.25\nview = %s\n' "$2" "$4"
        printf '[monitor]\nepochs = 3\n[run]\ntimeout = 200\n'
    } >"$1.ini"
    # 3: some methods refuse such data, and say so
    "$CRUCIBLE" run "$1.ini" --db "$1.db" >stdout 2>stderr || [ $? = 3 ] || fail "$1: $(cat stderr)"
    # unionnet overflows on features of this size, as its study's code does (variant = bench).
    lost=$(grep -E "(failed|crashed|timeout|oom): " stderr | grep -v -E "unionnet on .*: failed: the score of item 0 is not a finite number")
}

through classes own-graph nodes transductive
[ -z "$lost" ] || fail "$lost"
through anomalies own-anomalies anomaly transductive
[ -z "$lost" ] || fail "$lost"
through hidden own-graph nodes inductive
# A method may refuse to carry over what it learned; nothing else may go wrong.
others=$(grep -v -E ": failed: (cannot learn inductively: |[a-z-]+ cannot learn inductively)" <<<"$lost")
[ -z "$others" ] || fail "$others"
