# SPDX-License-Identifier: Apache-2.0
# The examples of configs/README.md run as they stand there: every ini block, in a file of the name in its first line, and
# every indented command. datasets/README.md tells the example's card and the roles that the published cards use.
. "$(dirname "$0")/lib.sh"
unset CRUCIBLE_MIRROR
export XDG_DATA_HOME=$work/data PATH=$(dirname "$CRUCIBLE"):$PATH

mkdir "$work/guide"
cd "$work/guide" || exit 1
python3 - "$SOURCE/configs/README.md" <<'PYTHON'
import re, sys
text = open(sys.argv[1]).read()
for block in re.findall(r"^```ini\n(.*?)^```", text, re.S | re.M):
    name = re.match(r"; (\S+\.ini)\n", block).group(1)
    open(name, "w").write(block)
commands = re.findall(r"^    (crucible .*)$", text, re.M)
open("commands", "w").write("\n".join(commands) + "\n")
PYTHON
[ -s commands ] || fail "the guide has no commands"

for file in *.ini; do
    grep -qE "^\[algorithm|^algorithms" "$file" || continue # to be included
    expect 0 crucible run "$file" --db "$file.db" --json
    contains "$out" '"failed":0'
done
while read -r command; do
    # shellcheck disable=SC2086
    expect 0 $command
done <commands

python3 - "$SOURCE/datasets" <<'PYTHON' || fail "datasets/README.md is not what the cards say"
import configparser, glob, os, re, sys
root = sys.argv[1]
guide = open(os.path.join(root, "README.md")).read()
rows = {name: row for names, row in re.findall(r"^\| ([a-z0-9, -]+) \| (.*) \|$", guide, re.M) for name in names.split(", ")}
def read(path):
    card = configparser.RawConfigParser(strict=False, delimiters="=", inline_comment_prefixes=(";",), allow_no_value=True)
    card.optionxform = str
    card.read(path)
    return card
cards = glob.glob(os.path.join(root, "cards", "**", "*.ini"), recursive=True)
assert cards, "no cards"
for path in cards:
    card = read(path)
    for role in card["files"] if card.has_section("files") else ():
        names = {role} | {re.sub(r"-[0-9]+$", first, role) for first in ("-0", "-1")} # of numbered ones the first is told
        told = rows.get(card["dataset"]["format"], "")
        assert any(f"`{name}`" in told for name in names), (path, role, told)
example = [line for line in open(os.path.join(root, "examples", "own-graph", "own-graph.ini")) if line[0] != ";"]
assert "".join(example) in guide, "another card"
PYTHON
