# The examples of configs/README.md run as they stand there: every ini block, in a file of the name in its first line, and
# every indented command.
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
